"""Rules for the files that accept findings, whatever is found."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from codegen.breaking.catalog import RULES as OF_CHANGES
from codegen.diagnostics import Problem, suggest
from codegen.lint.catalog import RULES as OF_LINT
from codegen.loading.documents import Document, join_pointer
from codegen.loading.suppressions import Suppression, contract_name, read_suppressions
from codegen.rules import metaschema

RULES = frozenset({*OF_CHANGES, *OF_LINT})
"""The rules whose findings can be accepted: those of the judges."""


def check_suppression_file(document: Document, files: Collection[str]) -> Iterator[Problem]:
    """What is wrong with a file in itself: its shape, rules that nothing has, and a contract that does not exist."""
    yield from metaschema.check_shape(document, "AcceptedFile")
    if contract_name(document) not in files:
        yield document.problem(
            "", "ACCEPTED_ORPHAN", f"there is no {contract_name(document)} beside which this file lies"
        )
    seen: set[Suppression] = set()
    for pointer, entry in read_suppressions(document):
        if entry.rule not in RULES:
            sentence = f'no rule whose findings can be accepted is called "{entry.rule}"; {suggest(entry.rule, RULES)}'
            yield document.problem(join_pointer(pointer, "rule"), "ACCEPTED_UNKNOWN", sentence)
        if entry in seen:
            yield document.problem(pointer, "ACCEPTED_TWICE", "this entry stands in the file before; remove one")
        seen.add(entry)
