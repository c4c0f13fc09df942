"""Suppressions: entries in a file beside a contract, each of which accepts one finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import SUPPRESSIONS_SUFFIX, Document
from toolaccord_codegen.loading.references import as_array, as_object

Key = tuple[str, str]
"""A rule and a fingerprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One accepted finding, with its reason."""

    rule: str
    fingerprint: str
    reason: str
    date: str
    """The day on which it was accepted, YYYY-MM-DD."""

    @property
    def key(self) -> Key:
        """Return the facts that it shares with the accepted finding."""
        return self.rule, self.fingerprint


def read_suppressions(document: Document) -> list[tuple[str, Suppression]]:
    """Return the well-formed entries of a file with their pointers."""
    found: list[tuple[str, Suppression]] = []
    for index, value in enumerate(as_array(as_object(document.value).get("accepted"))):
        entry = {key: as_object(value).get(key) for key in ("rule", "fingerprint", "reason", "date")}
        if all(isinstance(part, str) for part in entry.values()):
            found.append(
                (join_pointer("/accepted", index), Suppression(**{key: str(part) for key, part in entry.items()}))
            )
    return found


def contract_name(document: Document) -> str:
    """Return the path of the contract, or shared file, beside a file of accepted findings."""
    return f"{document.name.removesuffix(SUPPRESSIONS_SUFFIX)}.json"


def active_suppressions(
    document: Document, base: Document | None, rules: Collection[str]
) -> list[tuple[str, Suppression]]:
    """Return the entries for some rules that the base does not have.

    Entries of the base have served their purpose and stay as a record.
    """
    settled = {entry for _, entry in read_suppressions(base)} if base else set()
    return [
        (pointer, entry)
        for pointer, entry in read_suppressions(document)
        if entry.rule in rules and entry not in settled
    ]


def check_stale(
    document: Document, wanted: Sequence[tuple[str, Suppression]], found: Collection[Key]
) -> Iterator[Problem]:
    """Yield entries whose finding no longer exists."""
    for pointer, entry in wanted:
        if entry.key not in found:
            sentence = f"{entry.rule} {entry.fingerprint} is no finding any more; remove this entry"
            yield document.problem(pointer, "ACCEPTED_NOTHING", sentence)
