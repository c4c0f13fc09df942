"""MCP SDK server on lines, for the messages that the fast path leaves to it, or for all."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
import mcp_types as types
from anyio.abc import ObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from toolaccord.call.pipeline import Pipeline
from toolaccord.shutdown import StopSignal
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.sdk import jsonrpc_messages
from toolaccord.transports.mcp.sdk.server import create_mcp_server
from toolaccord.transports.streams.in_flight import InFlight, Message
from toolaccord.transports.streams.writer import Writer

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls

_READ_AHEAD = 64


async def serve(
    pipeline: Pipeline,
    incoming: asyncio.Queue[Message],
    writer: Writer,
    in_flight: InFlight,
    stop: StopSignal,
    tasks: TaskCalls | None = None,
) -> None:
    """Answer each line of *incoming* until cancelled. Each line is tracked by *in_flight*."""
    server = create_mcp_server(pipeline.server, pipeline, tasks)
    inbox_end, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](_READ_AHEAD)
    outbox = _Outbox(writer, in_flight)
    forwarding = asyncio.create_task(
        _forward(incoming, inbox_end, outbox, stop, jsonrpc.max_argument_values(pipeline.server))
    )
    try:
        await server.run(inbox, outbox, server.create_initialization_options())
    finally:
        forwarding.cancel()
        await asyncio.wait({forwarding})


async def _forward(
    incoming: asyncio.Queue[Message],
    inbox: ObjectSendStream[SessionMessage | Exception],
    outbox: _Outbox,
    stop: StopSignal,
    max_arguments: int,
) -> None:
    """Forward each message of *incoming* to the SDK.

    Reject requests of the host once a stop is requested.
    """
    async with inbox:
        while True:
            line = await incoming.get()
            message = jsonrpc_messages.parse_line(line.text, max_arguments)
            if isinstance(message, list):
                outbox.reject(line, message)
            elif stop.requested.is_set() and isinstance(message, types.JSONRPCRequest):
                outbox.reject(line, [] if line.is_replay else [jsonrpc.stopping_response(message.id)])
            else:
                await inbox.send(outbox.register(line, message))
                if line.is_replay:
                    await outbox.replayed.wait()


class _Outbox:
    """Stream for the SDK's messages. Matches responses to the lines of their requests."""

    def __init__(self, writer: Writer, in_flight: InFlight) -> None:
        self.replayed = asyncio.Event()
        """Set when the SDK has answered the last replayed request."""
        self._writer = writer
        self._in_flight = in_flight
        self._requests: defaultdict[str, list[tuple[Message, str]]] = defaultdict(list)
        """Lines and methods of the requests in flight, by id."""

    def register(self, line: Message, message: types.JSONRPCMessage) -> SessionMessage:
        """Return the *message* of *line* for the SDK.

        Track a request until it is answered or cancelled.
        """
        if not isinstance(message, types.JSONRPCRequest):
            self.replayed.set()
            self._in_flight.remove(line, None)
            return SessionMessage(message)
        key = repr(message.id)
        self._requests[key].append((line, message.method))
        if line.is_replay:
            self.replayed.clear()

        async def on_unanswered() -> None:
            self._complete(key)

        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=on_unanswered))

    def reject(self, line: Message, responses: list[bytes]) -> None:
        """Write the error *responses* to an invalid line, or to a request after a stop."""
        for response in responses:
            self._writer.write(response)
        self._in_flight.remove(line, None)

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message of the SDK; wait while the host is slow to read."""
        if self._writer.is_broken:
            raise anyio.BrokenResourceError
        message = item.message
        if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError) or not self._complete(repr(message.id)):
            self._writer.write(jsonrpc_messages.format_line(message))
        await self._writer.drain()

    def _complete(self, key: str) -> bool:
        """Stop tracking a request that is answered or cancelled.

        Return whether it was a replayed one.
        """
        line, method = self._requests[key].pop(0)
        if not self._requests[key]:
            del self._requests[key]
        self._in_flight.remove(line, None if line.is_replay else method)
        if line.is_replay:
            self.replayed.set()
        return line.is_replay

    async def aclose(self) -> None:
        """Do nothing; the process owns the descriptor."""

    async def __aenter__(self) -> Self:
        """Enter the stream."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stream."""
