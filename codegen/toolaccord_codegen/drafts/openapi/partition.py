"""Drafts of OpenAPI documents that are too large for one contract: one for each tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolaccord_codegen.drafts.contract import Draft, Identity
from toolaccord_codegen.drafts.names import snake_name
from toolaccord_codegen.drafts.openapi.document import Place, Selection, draft_openapi, list_places
from toolaccord_codegen.loading.json_layout import format_json

LONGEST_PART = 40
"""Most characters of a part's name, which leaves room for the names of tools."""


def draft_parts(
    document: Any, identity: Identity, selection: Selection, largest: int
) -> Sequence[tuple[Identity, Draft]]:
    """Return one draft of a document, or one for each tag if that has over *largest* bytes.

    Raises ValueError as `draft_openapi` does, and for one operation that is larger.
    """
    whole = draft_openapi(document, identity, selection)
    if Room(largest, set()).admits(whole):
        return [(identity, whole)]
    groups: dict[str, list[Place]] = {}
    for tag, place in list_places(document, selection):
        groups.setdefault(snake_name(tag, "other"), []).append(place)
    taken: set[str] = set()
    family = replace(identity, family=identity.name)
    return [
        part
        for tag, places in groups.items()
        for part in _draft_group(
            document, family, f"{identity.name}_{tag}"[:LONGEST_PART], places, Room(largest, taken)
        )
    ]


@dataclass(frozen=True, slots=True)
class Room:
    """The limits of parts."""

    bytes: int
    """The most bytes of a contract."""
    taken: set[str]
    """Names of the parts so far."""

    def admits(self, draft: Draft) -> bool:
        """Return True for a contract that is small enough."""
        return len(format_json(draft.contract).encode()) <= self.bytes

    def claim(self, name: str) -> str:
        """Return a free name like *name*, and take it."""
        stem = name.rstrip("_")
        free = next(
            each for each in (stem, *(f"{stem}_{n}" for n in range(2, len(self.taken) + 3))) if each not in self.taken
        )
        self.taken.add(free)
        return free


def _draft_group(
    document: Any, family: Identity, name: str, places: Sequence[Place], room: Room
) -> Iterator[tuple[Identity, Draft]]:
    """Yield the drafts of some operations, halved until each is small enough."""
    identity = replace(family, name=room.claim(name))
    draft = draft_openapi(document, identity, Selection(places=frozenset(places)))
    if room.admits(draft):
        yield identity, draft
        return
    if len(places) == 1:
        raise ValueError(f"{' '.join(places[0])} alone is too large for a contract; select others with --operation")
    room.taken.remove(identity.name)
    half = len(places) // 2
    for part in (places[:half], places[half:]):
        yield from _draft_group(document, family, name, part, room)
