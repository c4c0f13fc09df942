"""Differences between a draft and its original."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class Effect(StrEnum):
    """Consequence of a difference for callers."""

    WIDER = "wider"
    """The draft admits values that the original rejects."""
    NARROWER = "narrower"
    """The draft rejects values that the original admits."""
    SAME = "same"
    """Both admit the same values; a text, a hint or a form differs."""


class Change(StrEnum):
    """Fate of a keyword."""

    DROPPED = "dropped"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Loss:
    """One keyword that a draft lacks, or has in another form."""

    owner: str
    """The tool, resource or prompt by its original name, e.g. `tool search`, or `server`."""
    pointer: str
    """JSON pointer into the original of the owner."""
    keyword: str
    change: Change
    effect: Effect
    reason: str
    became: str = ""
    """The new name of what has one."""

    def as_json(self) -> dict[str, str]:
        """Return the loss for JSON output."""
        return {key: str(value) for key, value in asdict(self).items()}


@dataclass(slots=True)
class Losses:
    """The losses of one draft, in the order in which they were noted."""

    found: dict[Loss, None] = field(default_factory=dict)
    """Each loss once: a definition that two schemas use is converted for both."""
    owner: str = "server"
    """The owner of what is noted next."""

    @contextmanager
    def of(self, owner: str) -> Iterator[None]:
        """Note the losses of one owner."""
        previous, self.owner = self.owner, owner
        try:
            yield
        finally:
            self.owner = previous

    def drop(self, pointer: str, keyword: str, effect: Effect, reason: str) -> None:
        """Note a keyword that the draft lacks."""
        self.found[Loss(self.owner, pointer, keyword, Change.DROPPED, effect, reason)] = None

    def change(self, pointer: str, keyword: str, effect: Effect, reason: str, became: str = "") -> None:
        """Note a keyword that the draft has in another form."""
        self.found[Loss(self.owner, pointer, keyword, Change.CHANGED, effect, reason, became)] = None
