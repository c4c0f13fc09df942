"""Lint a contracts folder, and find out which findings are accepted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord_codegen.diagnostics import ContractProblems, Position, Problem
from toolaccord_codegen.lint.catalog import RULES
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.agent import check_agent
from toolaccord_codegen.lint.rules.ask import check_asks
from toolaccord_codegen.lint.rules.date import check_dates
from toolaccord_codegen.lint.rules.error import check_errors
from toolaccord_codegen.lint.rules.event import check_events
from toolaccord_codegen.lint.rules.name import check_names
from toolaccord_codegen.lint.rules.resource import check_completion, check_resource
from toolaccord_codegen.lint.rules.schema import check_schema
from toolaccord_codegen.lint.rules.size import check_size
from toolaccord_codegen.lint.rules.steps import check_steps
from toolaccord_codegen.lint.rules.task import check_tasks
from toolaccord_codegen.lint.rules.tool import check_tool
from toolaccord_codegen.lint.rules.units import check_units
from toolaccord_codegen.lint.schema_walk import LintedTool, linted_prompts, linted_resources, linted_tools
from toolaccord_codegen.loading.accepted_findings import Key, accepted_since, check_stale, key_of
from toolaccord_codegen.loading.references import check_references
from toolaccord_codegen.reporting.model import short_hash
from toolaccord_codegen.snapshots import Snapshot

ALTERNATIVE = re.compile(r"(/(anyOf|oneOf)/[0-9]+)+$")


@dataclass(frozen=True, slots=True)
class Finding:
    """An issue with its fingerprint and the entry that accepts it, if any."""

    issue: Issue
    fingerprint: str
    accepted: AcceptedFinding | None

    @property
    def file(self) -> str:
        """The path of the contract file, relative to the contracts folder."""
        return self.issue.place.document.name

    @property
    def position(self) -> Position:
        """The file, line and column of the issue."""
        return self.issue.place.position


@dataclass(frozen=True, slots=True)
class LintResult:
    """The outcome of linting a folder."""

    folder: str
    findings: tuple[Finding, ...]
    """All findings, ordered by position."""
    problems: tuple[Problem, ...]
    """Entries of accepted findings that match none."""

    @property
    def open(self) -> list[Finding]:
        """The findings that are not accepted."""
        return [finding for finding in self.findings if not finding.accepted]

    @property
    def fails(self) -> bool:
        """True if there are open findings or stale entries."""
        return bool(self.problems or self.open)


def lint_snapshot(state: Snapshot, today: date) -> LintResult:
    """Check every contract of a folder against every rule.

    Raises ContractProblems if a reference has no target or is circular.
    """
    faults = [
        fault for document in state.library.documents.values() for fault in check_references(state.library, document)
    ]
    if faults:
        raise ContractProblems(faults)
    findings = [_to_finding(state, issue) for issue in _deduplicate(_all_issues(state, today))]
    findings.sort(key=lambda finding: (finding.position, finding.issue.rule))
    return LintResult(state.name, tuple(findings), tuple(sorted(_stale_entries(state, findings))))


def _to_finding(state: Snapshot, issue: Issue) -> Finding:
    """Add the entry that accepts an issue, and a fingerprint without wording and position."""
    file = issue.place.document.name
    digest = short_hash(issue.rule, file, issue.stable_pointer, *issue.facts)
    document = state.accepted.get(file)
    entries = accepted_since(document, None, RULES) if document else []
    accepted = next((entry for _, entry in entries if key_of(entry) == (issue.rule, digest)), None)
    return Finding(issue, digest, accepted)


def _stale_entries(state: Snapshot, findings: Sequence[Finding]) -> Iterator[Problem]:
    """Yield entries that match no finding."""
    keys: defaultdict[str, set[Key]] = defaultdict(set)
    for finding in findings:
        keys[finding.file].add((finding.issue.rule, finding.fingerprint))
    for file, document in state.accepted.items():
        yield from check_stale(document, accepted_since(document, None, RULES), keys[file])


def _all_issues(state: Snapshot, today: date) -> Iterator[Issue]:
    """Yield the issues of every contract."""
    dialects = {name: value for name, (_, value) in state.dialects.items()}
    systems: defaultdict[str, list[LintedTool]] = defaultdict(list)
    for name in state.contracts:
        contract = state.contract(name)
        tools = list(linted_tools(contract))
        systems[name.partition("/")[0]] += tools
        for tool in tools:
            yield from _tool_issues(tool)
            yield from check_dates(tool, today)
            yield from check_steps(tool)
        for resource in linted_resources(contract):
            systems[name.partition("/")[0]].append(resource)
            yield from _schema_issues(resource)
            yield from check_resource(resource.tool)
        for prompt in linted_prompts(contract):
            systems[name.partition("/")[0]].append(prompt)
            yield from _schema_issues(prompt)
            yield from check_completion(prompt.tool)
        if contract.place.document.is_agent:
            yield from check_agent(contract)
        else:
            yield from check_events(contract)
            yield from check_asks(contract)
            yield from check_tasks(contract)
            yield from check_size(contract, dialects)
    for system in systems.values():
        yield from check_names(system)


def _tool_issues(subject: LintedTool) -> Iterator[Issue]:
    """Yield the issues of one tool."""
    yield from _schema_issues(subject)
    yield from check_tool(subject)


def _schema_issues(subject: LintedTool) -> Iterator[Issue]:
    """Yield the issues of the schemas and errors of a tool, a resource or a prompt."""
    for part in subject.parts:
        yield from check_schema(part)
        yield from check_units(part)
    yield from check_errors(subject)


def _deduplicate(issues: Iterator[Issue]) -> Iterator[Issue]:
    """Yield one of several equal issues, as tools share schemas and unions repeat members."""
    seen: set[tuple[object, ...]] = set()
    for issue in issues:
        pointer = ALTERNATIVE.sub("", issue.place.pointer)
        key = (issue.rule, issue.place.document.name, pointer, issue.facts)
        if key not in seen:
            seen.add(key)
            yield issue
