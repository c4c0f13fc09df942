"""Requests of one connection that wait for their response, and limits on their number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from collections.abc import Set as AbstractSet

_MAX_BYTES = 1 << 24
"""Bytes that requests in flight may take together. Above this limit, reading stops."""
_BYTES_PER_REQUEST = 1 << 14
"""Bytes that a request takes beside its message.

About a thousand small requests may be in flight.
"""


class Message:
    """A message in flight. Messages with the same text are different."""

    __slots__ = ("is_replay", "text")

    def __init__(self, text: bytes, *, is_replay: bool = False) -> None:
        self.text = text
        """The text, as it arrived."""
        self.is_replay = is_replay
        """True for a message that brings the SDK to the state of the connection.

        The host gets no response to it.
        """


class InFlight:
    """Tracks messages in flight.

    *warm_up* is called once, after the response to the first request of one of *methods*, unless it is None.
    """

    def __init__(self, warm_up: Callable[[], None] | None, methods: AbstractSet[str]) -> None:
        self._warm_up = warm_up
        self._warm_up_methods = methods
        self._messages: dict[Message, None] = {}
        self._bytes = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_full(self) -> bool:
        """True while no more should be read."""
        return self._bytes > _MAX_BYTES

    def add(self, message: Message) -> None:
        """Track *message*."""
        self._messages[message] = None
        self._bytes += len(message.text) + _BYTES_PER_REQUEST
        self._empty.clear()
        if self.is_full:
            self._has_room.clear()

    def remove(self, message: Message, answered_method: str | None) -> None:
        """Stop tracking *message*.

        *answered_method* is the method of an answered request, else None.
        """
        del self._messages[message]
        self._bytes -= len(message.text) + _BYTES_PER_REQUEST
        if answered_method is not None:
            self.note_answer(answered_method)
        if not self.is_full:
            self._has_room.set()
        if not self._messages:
            self._empty.set()

    def note_answer(self, method: str) -> None:
        """Note that a request of *method* was answered; it may never have been tracked."""
        if self._warm_up is not None and method in self._warm_up_methods:
            warm_up, self._warm_up = self._warm_up, None
            warm_up()

    def host_messages(self) -> list[Message]:
        """Return the tracked messages of the host, in order."""
        return [message for message in self._messages if not message.is_replay]

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""
        await self._has_room.wait()

    async def wait_until_empty(self) -> None:
        """Wait until no message is tracked."""
        await self._empty.wait()
