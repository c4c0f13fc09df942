"""Findings that are meant: entries in a file beside a contract, each with a reason and a date."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from codegen.diagnostics import Problem
from codegen.loading.documents import SUPPRESSIONS_SUFFIX, Document, join_pointer
from codegen.loading.references import as_array, as_object

Key = tuple[str, str]
"""A rule and a fingerprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One entry: this finding is meant, and why."""

    rule: str
    fingerprint: str
    reason: str
    date: str
    """The day on which it was accepted, YYYY-MM-DD."""

    @property
    def key(self) -> Key:
        """What it has in common with the finding that it accepts."""
        return self.rule, self.fingerprint


def read_suppressions(document: Document) -> list[tuple[str, Suppression]]:
    """The entries of a file that have the right shape, each with its pointer."""
    found: list[tuple[str, Suppression]] = []
    for index, value in enumerate(as_array(as_object(document.value).get("accepted"))):
        said = {key: as_object(value).get(key) for key in ("rule", "fingerprint", "reason", "date")}
        if all(isinstance(part, str) for part in said.values()):
            found.append(
                (join_pointer("/accepted", index), Suppression(**{key: str(part) for key, part in said.items()}))
            )
    return found


def contract_name(document: Document) -> str:
    """The path of the contract, or of the shared file, that a file lies beside."""
    return f"{document.name.removesuffix(SUPPRESSIONS_SUFFIX)}.json"


def active_suppressions(
    document: Document, base: Document | None, rules: Collection[str]
) -> list[tuple[str, Suppression]]:
    """The entries that speak of some rules and were not there before: the base's have had their day, and are a record."""
    settled = {entry for _, entry in read_suppressions(base)} if base else set()
    return [
        (pointer, entry)
        for pointer, entry in read_suppressions(document)
        if entry.rule in rules and entry not in settled
    ]


def check_stale(
    document: Document, wanted: Sequence[tuple[str, Suppression]], found: Collection[Key]
) -> Iterator[Problem]:
    """Entries that accept nothing that was found."""
    for pointer, entry in wanted:
        if entry.key not in found:
            sentence = f"{entry.rule} {entry.fingerprint} is no finding any more; remove this entry"
            yield document.problem(pointer, "ACCEPTED_NOTHING", sentence)
