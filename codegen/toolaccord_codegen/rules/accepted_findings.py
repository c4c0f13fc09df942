"""Rules for the files that accept findings, whatever is found."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.accepted_findings import contract_name, read_accepted_findings
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.rules import metaschema


def check_accepted_file(
    document: Document, contracts: Collection[str], acceptable: Collection[str]
) -> Iterator[Problem]:
    """Yield a file's own problems: shape, unknown rules, repeated entries, missing contract.

    `contracts` are the paths of the folder's files; `acceptable` are the ids of rules whose findings can be accepted.
    """
    yield from metaschema.check_shape(document, "AcceptedFile")
    contract = contract_name(document)
    if contract not in contracts:
        yield document.problem("", "ACCEPTED_ORPHAN", f"there is no {contract} beside this file")
    seen: set[AcceptedFinding] = set()
    for pointer, entry in read_accepted_findings(document):
        if entry.rule not in acceptable:
            hint = suggest(entry.rule, acceptable)
            sentence = f'no rule whose findings can be accepted is called "{entry.rule}"; {hint}'
            yield document.problem(join_pointer(pointer, "rule"), "ACCEPTED_UNKNOWN", sentence)
        if entry in seen:
            yield document.problem(pointer, "ACCEPTED_TWICE", "an earlier entry of this file is equal; remove one")
        seen.add(entry)
