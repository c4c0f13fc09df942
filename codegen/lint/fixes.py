"""Findings mended by what needs no thought, unless the compiler would have something against it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from codegen.compiler import check_documents
from codegen.lint.issues import Addition
from codegen.lint.json_edits import edited
from codegen.lint.linter import Finding, linted
from codegen.snapshots import Snapshot, build_snapshot

Faults = Counter[tuple[str, str, str]]
"""Files, rules and sentences: a fault is the same wherever it moves."""


@dataclass(frozen=True, slots=True)
class Mending:
    """What was mended."""

    state: Snapshot
    """The folder as it is then."""
    findings: tuple[Finding, ...]
    """What is found no more, as it was before."""

    def changed(self, before: Snapshot) -> dict[str, bytes]:
        """The files that are others now, by name."""
        return {name: content for name, content in self.state.files.items() if content != before.files[name]}


def mended(state: Snapshot, today: date) -> Mending:
    """Mend what can be mended, until nothing more can be: what was mended may let something else be.

    Raises ContractProblems, as linting does.
    """
    done: dict[str, Finding] = {}
    while True:
        found = [each for each in linted(state, today).open if each.complaint.additions]
        kept = harmless(state, [each for each in found if each.fingerprint not in done])
        if not kept:
            return Mending(state, tuple(done.values()))
        done |= {each.fingerprint: each for each in kept}
        state = applied(state, kept)


def harmless(state: Snapshot, findings: Sequence[Finding]) -> list[Finding]:
    """The findings that can be mended without a fault that was not there: all at once, else each after the other."""
    before = known_faults(state)
    if not known_faults(applied(state, findings)) - before:
        return list(findings)
    kept: list[Finding] = []
    for finding in findings:
        if not known_faults(applied(state, [*kept, finding])) - before:
            kept.append(finding)
    return kept


def known_faults(state: Snapshot) -> Faults:
    """What the compiler has against a folder."""
    documents = state.library.documents
    shared = [document for name, document in documents.items() if name not in state.contracts]
    dialects = {name: value for name, (_, value) in state.dialects.items()}
    found = check_documents(state.library, shared, list(state.contracts.values()), dialects)
    return Counter((fault.path, fault.rule, fault.sentence) for fault in found)


def applied(state: Snapshot, findings: Sequence[Finding]) -> Snapshot:
    """The folder with what mends some findings."""
    additions: defaultdict[str, list[Addition]] = defaultdict(list)
    for finding in findings:
        for addition in finding.complaint.additions:
            additions[addition.holder.document.name].append(addition)
    files = {name: edited(content, name, additions[name]) for name, content in state.files.items()}
    return build_snapshot(state.name, files, lambda name: state.documents[name].display_path, state)
