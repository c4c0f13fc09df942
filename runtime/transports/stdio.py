"""MCP on standard input and output: a message a line, and an answer to everything that has an id."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from runtime.lifecycle import Stop
from runtime.transports import messages
from runtime.transports.frames import LineWriter, Wire, lines

_LOG = logging.getLogger(__name__)
_WORTH_A_WARM_UP = {"tools/list", "tools/call"}
_FLUSH_S = 1.0
_READ_AHEAD = 64
_MOST_UNREAD = 1000


async def serve(served: McpServer[Any], wire: Wire, stop: Stop, *, drain_s: float, warm_up: Callable[[], None]) -> None:
    """Serve until the input ends or *stop* asks for it, and the calls in flight are answered.

    They have *drain_s* seconds after the end of input, and the grace of *stop* after it asked; what still runs then is given up, as it is
    when serving is cancelled. *warm_up* is called once, when the first list of tools or the first result is on its way.
    """
    writer = LineWriter(wire.writing)
    inbox_end, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](_READ_AHEAD)
    outbox = _Outbox(writer, warm_up)
    feeding = asyncio.create_task(_feed(wire.reading, inbox_end, outbox, stop, drain_s))
    try:
        await served.run(inbox, outbox, served.create_initialization_options())
    finally:
        feeding.cancel()
        await asyncio.wait({feeding, asyncio.ensure_future(writer.written())}, timeout=_FLUSH_S)


async def _feed(
    reading: int, inbox: ObjectSendStream[SessionMessage | Exception], outbox: _Outbox, stop: Stop, drain_s: float
) -> None:
    """Pass on what is read until the end of input or *stop*, wait for the answers, and then say that it ended."""
    async with inbox:
        passing = asyncio.create_task(_pass_on(reading, inbox, outbox, stop))
        asked = asyncio.create_task(stop.asked.wait())
        try:
            await asyncio.wait({passing, asked}, return_when=asyncio.FIRST_COMPLETED)
            if passing.done():
                passing.result()
            async with asyncio.timeout(drain_s if passing.done() else stop.patience.grace_s):
                await outbox.all_answered()
        except TimeoutError:
            _LOG.warning(
                "%s and calls in flight were given up", "a signal came" if asked.done() else "the input has ended"
            )
        finally:
            passing.cancel()
            asked.cancel()
            await asyncio.wait({passing, asked})


async def _pass_on(
    reading: int, inbox: ObjectSendStream[SessionMessage | Exception], outbox: _Outbox, stop: Stop
) -> None:
    """Pass on each message of *reading*; once *stop* asks for it, refuse each request."""
    async with aclosing(lines(reading)) as incoming:
        async for line in incoming:
            if not line.strip():
                continue
            message = messages.read(line)
            if isinstance(message, list):
                for answer in message:
                    outbox.refuse(answer)
            elif stop.asked.is_set() and isinstance(message, types.JSONRPCRequest):
                outbox.refuse(messages.refusal(message.id, types.INTERNAL_ERROR, "The server is stopping"))
            else:
                await inbox.send(outbox.expecting(message))
            await outbox.room()


class _Outbox:
    """The stream that the SDK writes to; knows which requests still wait for their answer."""

    def __init__(self, writer: LineWriter, warm_up: Callable[[], None]) -> None:
        self._writer = writer
        self._warm_up: Callable[[], None] | None = warm_up
        self._expected: Counter[str] = Counter()
        self._methods: dict[str, str] = {}
        self._settled = asyncio.Event()
        self._settled.set()

    def expecting(self, message: types.JSONRPCMessage) -> SessionMessage:
        """Return *message* for the SDK; a request is remembered until it is answered or needs no answer."""
        if not isinstance(message, types.JSONRPCRequest):
            return SessionMessage(message)
        key = repr(message.id)
        self._expected[key] += 1
        self._methods[key] = message.method
        self._settled.clear()

        async def unanswered() -> None:
            self._settle(key)

        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def all_answered(self) -> None:
        """Wait until no request waits for its answer, and the host has them all."""
        await self._settled.wait()
        await self._writer.written()

    async def room(self) -> None:
        """Wait while the host has many answers to read."""
        if self._writer.backlog > _MOST_UNREAD:
            await self._writer.written()

    def refuse(self, answer: bytes) -> None:
        """Write the answer to a line that is no message."""
        self._writer.write(answer)

    async def send(self, item: SessionMessage, /) -> None:
        """Write what the SDK says; waits while the host is slow to read."""
        if self._writer.broken:
            raise anyio.BrokenResourceError
        self._writer.write(messages.write(item.message))
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(repr(item.message.id))
        await self._writer.written()

    def _settle(self, key: str) -> None:
        self._expected[key] -= 1
        if self._expected[key] <= 0:
            del self._expected[key]
            if self._methods.pop(key, None) in _WORTH_A_WARM_UP and self._warm_up is not None:
                warm_up, self._warm_up = self._warm_up, None
                warm_up()
        if not self._expected:
            self._settled.set()

    async def aclose(self) -> None:
        """Nothing is left to do: the process owns the descriptor."""

    async def __aenter__(self) -> Self:
        """Enter the stream."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stream."""
