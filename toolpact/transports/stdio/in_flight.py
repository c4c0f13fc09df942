"""Requests of one connection that wait for their response, and limits on their number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_MAX_BYTES = 1 << 24
"""Bytes that requests in flight may take together. Above this limit, reading stops."""
_BYTES_PER_REQUEST = 1 << 14
"""Bytes that a request takes beside its line.

About a thousand small requests may be in flight.
"""
_WARM_UP_METHODS = {"tools/list", "tools/call"}


class Line:
    """A line in flight. Lines with the same text are different."""

    __slots__ = ("is_replay", "text")

    def __init__(self, text: bytes, *, is_replay: bool = False) -> None:
        self.text = text
        """The message."""
        self.is_replay = is_replay
        """True for a message that brings the SDK to the state of the connection.

        The host gets no response to it.
        """


class InFlight:
    """Tracks lines in flight.

    *warm_up* is called once, after the response to the first list of tools or the first call, unless it is None.
    """

    def __init__(self, warm_up: Callable[[], None] | None) -> None:
        self._warm_up = warm_up
        self._lines: dict[Line, None] = {}
        self._bytes = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_full(self) -> bool:
        """True while no more should be read."""
        return self._bytes > _MAX_BYTES

    def add(self, line: Line) -> None:
        """Track *line*."""
        self._lines[line] = None
        self._bytes += len(line.text) + _BYTES_PER_REQUEST
        self._empty.clear()
        if self.is_full:
            self._has_room.clear()

    def remove(self, line: Line, answered_method: str | None) -> None:
        """Stop tracking *line*; *answered_method* is the method of an answered request, else None."""
        del self._lines[line]
        self._bytes -= len(line.text) + _BYTES_PER_REQUEST
        if answered_method is not None:
            self.note_answer(answered_method)
        if not self.is_full:
            self._has_room.set()
        if not self._lines:
            self._empty.set()

    def note_answer(self, method: str) -> None:
        """Note that a request of *method* was answered; it may never have been tracked."""
        if self._warm_up is not None and method in _WARM_UP_METHODS:
            warm_up, self._warm_up = self._warm_up, None
            warm_up()

    def host_lines(self) -> list[Line]:
        """Return the tracked lines of the host, in order."""
        return [line for line in self._lines if not line.is_replay]

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""
        await self._has_room.wait()

    async def wait_until_empty(self) -> None:
        """Wait until no line is tracked."""
        await self._empty.wait()
