"""The MCP SDK's server on lines: it answers whatever the front leaves to it, or everything."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from types import TracebackType
from typing import Self

import anyio
import mcp_types as types
from anyio.abc import ObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from toolpact.call.pipeline import Pipeline
from toolpact.shutdown import StopSignal
from toolpact.transports.mcp import jsonrpc, jsonrpc_messages
from toolpact.transports.mcp.sdk_server import mcp_server
from toolpact.transports.stdio.in_flight import Line, Outstanding
from toolpact.transports.stdio.line_io import LineWriter

_READ_AHEAD = 64


async def serve(
    pipeline: Pipeline, incoming: asyncio.Queue[Line], writer: LineWriter, outstanding: Outstanding, stop: StopSignal
) -> None:
    """Answer each line of *incoming*, all of which *outstanding* has counted, until cancelled."""
    served = mcp_server(pipeline.server, pipeline)
    inbox_end, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](_READ_AHEAD)
    outbox = _Outbox(writer, outstanding)
    passing = asyncio.create_task(_pass_on(incoming, inbox_end, outbox, stop))
    try:
        await served.run(inbox, outbox, served.create_initialization_options())
    finally:
        passing.cancel()
        await asyncio.wait({passing})


async def _pass_on(
    incoming: asyncio.Queue[Line],
    inbox: ObjectSendStream[SessionMessage | Exception],
    outbox: _Outbox,
    stop: StopSignal,
) -> None:
    """Pass on each message of *incoming*; once *stop* asks for it, refuse each request of the host's."""
    async with inbox:
        while True:
            line = await incoming.get()
            message = jsonrpc_messages.read(line.text)
            if isinstance(message, list):
                outbox.refuse(line, message)
            elif stop.requested.is_set() and isinstance(message, types.JSONRPCRequest):
                outbox.refuse(line, [] if line.opening else [jsonrpc.stopping(message.id)])
            else:
                await inbox.send(outbox.expecting(line, message))
                if line.opening:
                    await outbox.opened.wait()


class _Outbox:
    """The stream that the SDK writes to; knows which requests still wait for their answer."""

    def __init__(self, writer: LineWriter, outstanding: Outstanding) -> None:
        self.opened = asyncio.Event()
        """What the front said last was heard."""
        self._writer = writer
        self._outstanding = outstanding
        self._expected: defaultdict[str, list[tuple[Line, str]]] = defaultdict(list)

    def expecting(self, line: Line, message: types.JSONRPCMessage) -> SessionMessage:
        """Return the *message* of *line* for the SDK; a request is remembered until it is answered or needs no answer."""
        if not isinstance(message, types.JSONRPCRequest):
            self.opened.set()
            self._end(line, "")
            return SessionMessage(message)
        key = repr(message.id)
        self._expected[key].append((line, message.method))
        if line.opening:
            self.opened.clear()

        async def unanswered() -> None:
            self._settle(key)

        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))

    def refuse(self, line: Line, answers: list[bytes]) -> None:
        """Write the *answers* to a line that is no message, or one that comes too late."""
        for answer in answers:
            self._writer.write(answer)
        self._end(line, "")

    async def send(self, item: SessionMessage, /) -> None:
        """Write what the SDK says; waits while the host is slow to read."""
        if self._writer.broken:
            raise anyio.BrokenResourceError
        if not isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) or not self._settle(
            repr(item.message.id)
        ):
            self._writer.write(jsonrpc_messages.write(item.message))
        await self._writer.written()

    def _settle(self, key: str) -> bool:
        """Note that a request has its answer, or needs none; return whether it was the front's own."""
        line, method = self._expected[key].pop(0)
        if not self._expected[key]:
            del self._expected[key]
        self._end(line, method)
        if line.opening:
            self.opened.set()
        return line.opening

    def _end(self, line: Line, method: str) -> None:
        self._outstanding.ended(line, "" if line.opening else method)

    async def aclose(self) -> None:
        """Nothing is left to do: the process owns the descriptor."""

    async def __aenter__(self) -> Self:
        """Enter the stream."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stream."""
