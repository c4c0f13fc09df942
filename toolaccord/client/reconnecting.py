"""Connection that opens again, for clients with policies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from toolaccord.client.connection import Connection, ToolResponse
from toolaccord.errors import ServerGone, TimedOut, TransportError
from toolaccord.json_values import JsonObject

_LOG = logging.getLogger(__name__)


class ReconnectingConnection:
    """Connection that calls open when they need it, also after its server ended.

    All concurrent calls wait for one opening, which goes on when the time of one of them is over.
    """

    def __init__(self, server: str, connect: Callable[[], Connection], *, ends_with_server: bool) -> None:
        """*connect* makes connections, which are not open; they may end with the server's process."""
        self._server = server
        self._connect = connect
        self._ends_with_server = ends_with_server
        self._opening: asyncio.Task[Connection] | None = None
        self._closings: set[asyncio.Task[None]] = set()
        self._is_closed = True

    async def open(self) -> None:
        """Open the connection if the server is there; otherwise calls will open it.

        Raises TransportError if it would also reject them.
        """
        self._is_closed = False
        try:
            _ = await self._get()
        except TransportError as error:
            if not error.retryable:
                raise
            _LOG.warning("calls will connect to %s later: %s", self._server, error)
        except asyncio.CancelledError:  # nobody else will close what is being opened
            await self.close()
            raise

    async def close(self) -> None:
        """Close the connection; calls in flight raise ServerGone."""
        self._is_closed = True
        if self._opening is not None:
            self._discard(self._opening)
        while self._closings:
            await asyncio.wait(self._closings)

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the response of *tool*; open the connection first if necessary.

        Raises TransportError or BrokenAnswer.
        """
        if self._is_closed:
            raise ServerGone(f"The client of {self._server} is not open; enter it with `async with`.")
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_s
        try:
            async with asyncio.timeout_at(end):
                opening = await self._get()
        except TimeoutError:
            raise TimedOut(f"{self._server} was not ready within {timeout_s:g} s.") from None
        try:
            return await opening.result().call(tool, arguments, meta, end - loop.time())
        except ServerGone:
            if self._ends_with_server and opening is self._opening:  # otherwise another call has discarded it
                self._discard(opening)
            raise

    async def _get(self) -> asyncio.Task[Connection]:
        """Return the task that opened the connection. Raises TransportError."""
        opening = self._opening
        if opening is None or (opening.done() and _failed(opening)):
            opening = self._opening = asyncio.create_task(self._open())
            opening.add_done_callback(_failed)
        await asyncio.wait({opening})
        if opening.cancelled():
            raise ServerGone(f"The client of {self._server} was closed.")
        opening.result()
        return opening

    async def _open(self) -> Connection:
        connection = self._connect()
        await connection.open()
        return connection

    def _discard(self, opening: asyncio.Task[Connection]) -> None:
        """Close the connection that *opening* opened or opens, without waiting."""
        self._opening = None
        closing = asyncio.create_task(_close(opening))
        self._closings.add(closing)
        closing.add_done_callback(self._closings.discard)


def _failed(opening: asyncio.Task[Connection]) -> bool:
    """Return whether *opening* failed; asyncio would log an exception that nobody retrieved."""
    return opening.cancelled() or opening.exception() is not None


async def _close(opening: asyncio.Task[Connection]) -> None:
    opening.cancel()  # does nothing once it is done
    await asyncio.wait({opening})
    if not _failed(opening):
        await opening.result().close()
