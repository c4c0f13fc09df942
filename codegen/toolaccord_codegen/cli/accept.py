"""The command `accept`: entries beside contracts, each of which accepts one finding."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord_codegen.breaking.baseline import UPSTREAM
from toolaccord_codegen.breaking.catalog import RULES as BREAKING_RULES
from toolaccord_codegen.cli.breaking import compare
from toolaccord_codegen.cli.options.accept import AcceptOptions
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.diagnostics import CommandError, ContractProblems, Position, Problem
from toolaccord_codegen.lint.linter import lint_snapshot
from toolaccord_codegen.loading.documents import ACCEPTED_SUFFIX, display_path
from toolaccord_codegen.loading.json_edits import append_item, apply_edits
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.reading import read_document
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.regular_files import read_utf8
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.snapshots import read_snapshot, require_valid


@dataclass(frozen=True, slots=True)
class _Found:
    """A finding of the rule, by lint or by the comparison."""

    contract: str
    """The path of its contract, or shared file, in the contracts folder."""
    position: Position
    accepted: AcceptedFinding | None


def run(options: AcceptOptions) -> int:
    """Accept the findings with the fingerprints, and print their places.

    Raises CommandError for an unknown rule or fingerprint, ContractProblems, and NoBase for a state to compare with.
    """
    if options.rule not in ACCEPTABLE_RULES:
        close = get_close_matches(options.rule, sorted(ACCEPTABLE_RULES), 1)
        hint = f'did you mean "{close[0]}"?' if close else f"`{program_name()} rules` lists them"
        raise CommandError(f'no rule of lint or breaking is called "{options.rule}"; {hint}')
    if not options.reason.strip():
        raise CommandError("an accepted finding needs a reason; write it after --reason")
    found: dict[str, list[_Found]] = {}
    for fingerprint, finding in _find(options):
        found.setdefault(fingerprint, []).append(finding)
    for fingerprint in options.fingerprints:
        if fingerprint not in found:
            raise CommandError(_explain_missing(options, fingerprint, found))
    for fingerprint in dict.fromkeys(options.fingerprints):
        for finding in found[fingerprint]:
            _accept(options, fingerprint, finding)
    return 0


def _find(options: AcceptOptions) -> Iterator[tuple[str, _Found]]:
    """Yield the present findings of the rule with their fingerprints."""
    comparison = options.comparison
    if options.rule in BREAKING_RULES:
        for change in compare(replace(comparison, against=comparison.against or UPSTREAM)).findings:
            if change.rule.id == options.rule:
                yield change.fingerprint, _Found(change.contract, change.position, change.accepted)
        return
    state = require_valid(read_snapshot(comparison.contracts))
    for finding in lint_snapshot(state, comparison.today).findings:
        if finding.issue.rule == options.rule:
            yield finding.fingerprint, _Found(finding.file, finding.position, finding.accepted)


def _explain_missing(options: AcceptOptions, fingerprint: str, found: Mapping[str, list[_Found]]) -> str:
    """Return a sentence about a fingerprint that no finding of the rule has."""
    if not found:
        return f"{options.rule} finds nothing; `{_finder(options)}` shows the findings there are"
    nearest = get_close_matches(fingerprint, found, 3, cutoff=0) or list(found)[:3]
    shown = ", ".join(f"{each} at {found[each][0].position}" for each in nearest)
    return f"no finding of {options.rule} has the fingerprint {fingerprint}; it has {shown}"


def _finder(options: AcceptOptions) -> str:
    """Return the command that shows the findings of the rule."""
    against = options.comparison.against or UPSTREAM
    return f"{program_name()} {f'breaking --against {against}' if options.rule in BREAKING_RULES else 'lint'}"


def _accept(options: AcceptOptions, fingerprint: str, finding: _Found) -> None:
    """Add an entry to the file beside the finding's contract, unless it is there."""
    name = f"{finding.contract.removesuffix('.json')}{ACCEPTED_SUFFIX}"
    path = options.comparison.contracts / name
    if finding.accepted:
        print(f"kept    {display_path(path)}: {fingerprint} was accepted on {finding.accepted.date}")
        return
    entry = {
        "rule": options.rule,
        "fingerprint": fingerprint,
        "reason": options.reason.strip(),
        "date": options.comparison.today.isoformat(),
    }
    path.write_bytes(_add_entry(path, name, entry).encode())
    line = f"wrote   {display_path(path)}: accepted {options.rule} at {finding.position}"
    print(TerminalStyle.of(sys.stdout).wrap(line, indent=8))


def _add_entry(path: Path, name: str, entry: Mapping[str, str]) -> str:
    """Return the text of a file of accepted findings with one more entry.

    Raises ContractProblems for a file that is no JSON, CommandError for one without entries.
    """
    if not path.exists():
        schema = f"{'../' * name.count('/') or './'}contract.schema.json#/$defs/AcceptedFile"
        return format_json({"$schema": schema, "accepted": [entry]})
    problems: list[Problem] = []
    document = read_document(path, name, problems)
    if document is None:
        raise ContractProblems(problems)
    if not isinstance(as_object(document.value).get("accepted"), list):
        raise CommandError(f'{display_path(path)} has no list "accepted" to add an entry to')
    return apply_edits(read_utf8(path), [append_item(document, "/accepted", dict(entry))])
