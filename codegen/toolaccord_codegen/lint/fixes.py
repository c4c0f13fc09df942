"""Fix findings automatically unless a fix would cause a compiler error."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from toolaccord.contract.dialects import Dialect
from toolaccord_codegen.compiler import check_documents
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.lint.issues import Addition
from toolaccord_codegen.lint.linter import Finding, lint_snapshot
from toolaccord_codegen.loading.json_edits import add_member, apply_edits
from toolaccord_codegen.loading.reading import decode_document
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.snapshots import Snapshot, build_snapshot

FaultCounts = Counter[tuple[str, str, str]]
"""Counts by file, rule and sentence. Positions are left out because fixes move them."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """The outcome of automatic fixes."""

    snapshot: Snapshot
    """The contracts folder after the fixes."""
    findings: tuple[Finding, ...]
    """The fixed findings, as they were before."""

    def changed_files(self, before: Snapshot) -> dict[str, bytes]:
        """Return the new content of the files that changed, by name."""
        return {name: content for name, content in self.snapshot.files.items() if content != before.files[name]}


def fix_snapshot(snapshot: Snapshot, today: date) -> FixResult:
    """Fix what can be fixed, repeatedly, because one fix may enable another.

    Raises ContractProblems as linting does.
    """
    fixed: dict[str, Finding] = {}
    while True:
        fixable = [each for each in lint_snapshot(snapshot, today).open if each.issue.additions]
        safe = _select_safe(snapshot, [each for each in fixable if each.fingerprint not in fixed])
        if not safe:
            return FixResult(snapshot, tuple(fixed.values()))
        fixed |= {each.fingerprint: each for each in safe}
        snapshot = _apply(snapshot, safe)


def _select_safe(snapshot: Snapshot, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose fixes cause no new compiler error.

    Tries all of them at once, then one after the other.
    """
    before = count_faults(snapshot)
    if not count_faults(_apply(snapshot, findings)) - before:
        return list(findings)
    safe: list[Finding] = []
    for finding in findings:
        if not count_faults(_apply(snapshot, [*safe, finding])) - before:
            safe.append(finding)
    return safe


def count_faults(snapshot: Snapshot) -> FaultCounts:
    """Count the compiler errors of a contracts folder."""
    documents = snapshot.library.documents
    shared = [document for name, document in documents.items() if name not in snapshot.contracts]
    dialects = {name: read_record(Dialect, value, name=name) for name, (_, value) in snapshot.dialects.items()}
    fixable = check_documents(snapshot.library, shared, list(snapshot.contracts.values()), dialects)
    return Counter((fault.path, fault.rule, fault.sentence) for fault in fixable)


def _apply(snapshot: Snapshot, findings: Sequence[Finding]) -> Snapshot:
    """Return the contracts folder with the fixes of some findings."""
    additions: defaultdict[str, list[Addition]] = defaultdict(list)
    for finding in findings:
        for addition in finding.issue.additions:
            additions[addition.holder.document.name].append(addition)
    files = {name: _add_members(content, name, additions[name]) for name, content in snapshot.files.items()}
    return build_snapshot(snapshot.name, files, lambda name: snapshot.documents[name].display_path, snapshot)


def _add_members(content: bytes, name: str, additions: Iterable[Addition]) -> bytes:
    """Return a file with members added. An existing member is never replaced.

    Raises ContractProblems if it is not JSON.
    """
    for addition in additions:
        problems: list[Problem] = []
        document = decode_document(content, name, name, problems)
        if document is None:
            raise ContractProblems(problems)
        if addition.key not in document.value_at(addition.holder.pointer):
            edit = add_member(document, addition.holder.pointer, addition.key, addition.value)
            content = apply_edits(content.decode(), [edit]).encode()
    return content
