"""Accepted findings: entries in a file beside a contract, each of which accepts one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import ACCEPTED_SUFFIX, Document
from toolaccord_codegen.loading.references import as_array, as_object

Key = tuple[str, str]
"""A rule and a fingerprint."""


def key_of(entry: AcceptedFinding) -> Key:
    """Return the facts that an entry shares with its finding."""
    return entry.rule, entry.fingerprint


def read_accepted_findings(document: Document) -> list[tuple[str, AcceptedFinding]]:
    """Return the well-formed entries of a file with their pointers."""
    found: list[tuple[str, AcceptedFinding]] = []
    for index, value in enumerate(as_array(as_object(document.value).get("accepted"))):
        entry = {key: as_object(value).get(key) for key in ("rule", "fingerprint", "reason", "date")}
        if all(isinstance(part, str) for part in entry.values()):
            found.append(
                (join_pointer("/accepted", index), AcceptedFinding(**{key: str(part) for key, part in entry.items()}))
            )
    return found


def contract_name(document: Document) -> str:
    """Return the path of the contract, or shared file, beside a file of accepted findings."""
    return f"{document.name.removesuffix(ACCEPTED_SUFFIX)}.json"


def accepted_since(
    document: Document, base: Document | None, rules: Collection[str]
) -> list[tuple[str, AcceptedFinding]]:
    """Return the entries for some rules that the base does not have.

    Entries of the base have served their purpose and stay as a record.
    """
    settled = {entry for _, entry in read_accepted_findings(base)} if base else set()
    return [
        (pointer, entry)
        for pointer, entry in read_accepted_findings(document)
        if entry.rule in rules and entry not in settled
    ]


def check_stale(
    document: Document, wanted: Sequence[tuple[str, AcceptedFinding]], found: Collection[Key]
) -> Iterator[Problem]:
    """Yield entries whose finding no longer exists."""
    for pointer, entry in wanted:
        if key_of(entry) not in found:
            sentence = f"{entry.rule} {entry.fingerprint} is no finding any more; remove this entry"
            yield document.problem(pointer, "ACCEPTED_NOTHING", sentence)
