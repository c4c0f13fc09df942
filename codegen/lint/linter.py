"""The lint of a contracts folder: what the rules find, held against what is accepted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from codegen.diagnostics import ContractProblems, Problem
from codegen.lint.catalog import RULES
from codegen.lint.issues import Complaint
from codegen.lint.rules.date import date_complaints
from codegen.lint.rules.error import error_complaints
from codegen.lint.rules.name import name_complaints
from codegen.lint.rules.schema import schema_complaints
from codegen.lint.rules.size import size_complaints
from codegen.lint.rules.tool import tool_complaints
from codegen.lint.rules.units import unit_complaints
from codegen.lint.schema_walk import Subject, subjects
from codegen.loading.references import check_references
from codegen.loading.schema_nodes import ContractValue, Place, Position
from codegen.loading.suppressions import Key, Suppression, active_suppressions, check_stale
from codegen.reporting.model import short_hash
from codegen.snapshots import Snapshot

ALTERNATIVE = re.compile(r"(/(anyOf|oneOf)/[0-9]+)+$")


@dataclass(frozen=True, slots=True)
class Finding:
    """A complaint that can be accepted."""

    complaint: Complaint
    fingerprint: str
    accepted: Suppression | None

    @property
    def file(self) -> str:
        """The path of the file in the contracts folder, beside which it is accepted."""
        return self.complaint.place.document.name

    @property
    def position(self) -> Position:
        """Where it is."""
        return self.complaint.place.position


@dataclass(frozen=True, slots=True)
class Lint:
    """What came out."""

    folder: str
    findings: tuple[Finding, ...]
    """By place."""
    problems: tuple[Problem, ...]
    """Entries that accept nothing."""

    @property
    def open(self) -> list[Finding]:
        """The findings that are not accepted."""
        return [finding for finding in self.findings if not finding.accepted]

    @property
    def fails(self) -> bool:
        """Whether something has to be mended or accepted."""
        return bool(self.problems or self.open)


def linted(state: Snapshot, today: date) -> Lint:
    """Hold every rule against every contract of a folder.

    Raises ContractProblems where references lead nowhere, or round in a circle.
    """
    faults = [
        fault for document in state.library.documents.values() for fault in check_references(state.library, document)
    ]
    if faults:
        raise ContractProblems(faults)
    findings = [found(state, complaint) for complaint in once(complaints(state, today))]
    return Lint(state.name, tuple(sorted(findings, key=order)), tuple(sorted(unused(state, findings))))


def found(state: Snapshot, complaint: Complaint) -> Finding:
    """A complaint, and whether it is accepted."""
    digits = fingerprint(complaint)
    beside = state.accepted.get(complaint.place.document.name)
    entries = active_suppressions(beside, None, RULES) if beside else []
    accepted = next((entry for _, entry in entries if entry.key == (complaint.rule, digits)), None)
    return Finding(complaint, digits, accepted)


def unused(state: Snapshot, findings: Sequence[Finding]) -> Iterator[Problem]:
    """Entries that accept nothing."""
    keys: defaultdict[str, set[Key]] = defaultdict(set)
    for finding in findings:
        keys[finding.file].add((finding.complaint.rule, finding.fingerprint))
    for file, document in state.accepted.items():
        yield from check_stale(document, active_suppressions(document, None, RULES), keys[file])


def complaints(state: Snapshot, today: date) -> Iterator[Complaint]:
    """What every rule has against every contract."""
    dialects = {name: value for name, (_, value) in state.dialects.items()}
    systems: defaultdict[str, list[Subject]] = defaultdict(list)
    for name, document in state.contracts.items():
        contract = ContractValue(state.library, Place(document, ""), document.value)
        tools = list(subjects(contract))
        systems[name.partition("/")[0]] += tools
        for tool in tools:
            yield from complaints_of(tool)
            yield from date_complaints(tool, today)
        yield from size_complaints(contract, dialects)
    for system in systems.values():
        yield from name_complaints(system)


def complaints_of(subject: Subject) -> Iterator[Complaint]:
    """What every rule has against one tool."""
    for part in subject.parts:
        yield from schema_complaints(part)
        yield from unit_complaints(part)
    yield from error_complaints(subject)
    yield from tool_complaints(subject)


def once(found: Iterator[Complaint]) -> Iterator[Complaint]:
    """Of the same complaints about one place, which tools may share, or about the alternatives of one, the first."""
    seen: set[tuple[object, ...]] = set()
    for complaint in found:
        outside = ALTERNATIVE.sub("", complaint.place.pointer)
        key = (complaint.rule, complaint.place.document.name, outside, complaint.facts)
        if key not in seen:
            seen.add(key)
            yield complaint


def fingerprint(complaint: Complaint) -> str:
    """Twelve digits that stay the same until the finding becomes another one; wording and positions do not matter."""
    return short_hash(complaint.rule, complaint.place.document.name, complaint.lasting, *complaint.facts)


def order(finding: Finding) -> tuple[Position, str]:
    """By place, then by rule."""
    return finding.position, finding.complaint.rule
