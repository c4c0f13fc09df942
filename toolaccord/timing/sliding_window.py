"""Events of the last seconds, counted in two halves of a window."""

from __future__ import annotations

_HALF_S = 5.0
"""Seconds of a half: at any moment, events of the last five to ten seconds count."""


class SlidingWindow:
    """Number of events, and of those that stand out among them; times never decrease."""

    __slots__ = ("_all", "_ends_at", "_marked", "_older", "_older_marked")

    def __init__(self) -> None:
        self._ends_at = float("-inf")
        self._all = self._marked = self._older = self._older_marked = 0

    def add(self, now: float, number: int = 1, *, marked: int = 0) -> None:
        """Count *number* events, and *marked* ones that stand out."""
        if now >= self._ends_at:
            self._move(now)
        self._all += number
        self._marked += marked

    def totals(self, now: float) -> tuple[int, int]:
        """Return the number of events, and of those that stand out."""
        if now >= self._ends_at:
            self._move(now)
        return self._all + self._older, self._marked + self._older_marked

    def _move(self, now: float) -> None:
        is_next = now < self._ends_at + _HALF_S
        self._older, self._older_marked = (self._all, self._marked) if is_next else (0, 0)
        self._all = self._marked = 0
        self._ends_at = (self._ends_at if is_next else now) + _HALF_S
