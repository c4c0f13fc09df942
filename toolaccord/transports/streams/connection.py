"""Connection of one client on two descriptors, whatever messages it sends."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from toolaccord.transports.streams.in_flight import InFlight
from toolaccord.transports.streams.writer import Writer

M = TypeVar("M")
_MAX_BACKLOG_BYTES = 1 << 22
_MESSAGES_PER_TURN = 64
"""Messages after which other tasks of the event loop run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """Options of a server on two descriptors."""

    drain_s: float
    """Seconds that calls have after the end of input."""
    warm_up: Callable[[], None] | None
    """Called once, after the first list of tools or the first call; None for a warm server."""
    max_message_bytes: int
    """Largest message, in bytes."""


class Connection(ABC, Generic[M]):
    """Answers the messages of one client, as far as there is room for requests and responses."""

    def __init__(self, writer: Writer, in_flight: InFlight) -> None:
        self._writer = writer
        self._in_flight = in_flight

    @abstractmethod
    def _handle(self, message: M) -> None:
        """Answer *message*, now or later."""

    @abstractmethod
    def abandon_calls(self) -> list[asyncio.Task[Any]]:
        """Send an error response to each request in flight, and abandon its call.

        Returns the tasks that still have to end.
        """

    @property
    def failures(self) -> Sequence[asyncio.Future[None]]:
        """Futures that fail when the connection cannot go on."""
        return ()

    @property
    def is_full(self) -> bool:
        """True while too many calls are in flight, or too many responses are unread."""
        return self._in_flight.is_full or self._writer.backlog_bytes > _MAX_BACKLOG_BYTES

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""
        await self._in_flight.wait_for_room()
        if self._writer.backlog_bytes > _MAX_BACKLOG_BYTES:
            await self._writer.drain()

    async def wait_until_answered(self) -> None:
        """Wait until every request is answered, and every response written."""
        await self._in_flight.wait_until_empty()
        await self._writer.drain()

    def consume(self, messages: Sequence[M]) -> int:
        """Answer *messages* as far as there is room and time in this turn; return their number.

        Responses to calls may be written later.
        """
        turn = messages[:_MESSAGES_PER_TURN]
        with self._writer.batch():
            for count, message in enumerate(turn, 1):
                self._handle(message)
                if self.is_full:
                    return count
        return len(turn)
