"""The requests of one connection that wait for their answers: how many there may be, and when there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_MOST_BYTES = 1 << 24
"""What requests in flight may take together; reading goes on when there is room again."""
_OF_EACH_BYTES = 1 << 14
"""What a request takes beside its line: a thousand small ones are in flight at most."""
_WORTH_A_WARM_UP = {"tools/list", "tools/call"}


class Line:
    """A line that waits for its answer; one that says the same is another."""

    __slots__ = ("opening", "text")

    def __init__(self, text: bytes, *, opening: bool = False) -> None:
        self.text = text
        """What it says."""
        self.opening = opening
        """Whether the front says it, to bring the SDK to where the connection is; then nobody hears the answer."""


class Outstanding:
    """Counts requests. *warm_up* is called once, when the first list of tools or the first result is on its way."""

    def __init__(self, warm_up: Callable[[], None]) -> None:
        self._warm_up: Callable[[], None] | None = warm_up
        self._lines: dict[Line, None] = {}
        self._bytes = 0
        self._none = asyncio.Event()
        self._none.set()
        self._room = asyncio.Event()
        self._room.set()

    @property
    def full(self) -> bool:
        """Whether no more should be read."""
        return self._bytes > _MOST_BYTES

    def began(self, line: Line) -> None:
        """Count *line*."""
        self._lines[line] = None
        self._bytes += len(line.text) + _OF_EACH_BYTES
        self._none.clear()
        if self.full:
            self._room.clear()

    def ended(self, line: Line, method: str) -> None:
        """Forget *line*; *method* is that of a request that was answered, empty for any other."""
        del self._lines[line]
        self._bytes -= len(line.text) + _OF_EACH_BYTES
        self.answered(method)
        if not self.full:
            self._room.set()
        if not self._lines:
            self._none.set()

    def answered(self, method: str) -> None:
        """Hear that a request of *method* was answered, though it was never counted."""
        if self._warm_up is not None and method in _WORTH_A_WARM_UP:
            warm_up, self._warm_up = self._warm_up, None
            warm_up()

    def unanswered(self) -> list[Line]:
        """Return the lines that the host said and that wait, in their order."""
        return [line for line in self._lines if not line.opening]

    async def room(self) -> None:
        """Wait until more may be read."""
        await self._room.wait()

    async def none(self) -> None:
        """Wait until no line is counted."""
        await self._none.wait()
