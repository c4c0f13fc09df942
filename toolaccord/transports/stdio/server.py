"""MCP over standard input and output: one message a line, and a response to every request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolaccord.call.pipeline import Pipeline
from toolaccord.shutdown import StopSignal
from toolaccord.transports.stdio.connection import StdioConnection
from toolaccord.transports.stdio.lines import LineDecoder, encode_lines
from toolaccord.transports.streams import server as stream_server
from toolaccord.transports.streams.connection import StreamOptions
from toolaccord.transports.streams.descriptors import StdioDescriptors
from toolaccord.transports.streams.in_flight import InFlight
from toolaccord.transports.streams.reader import Reader
from toolaccord.transports.streams.writer import Writer

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls

_WARM_UP_METHODS = frozenset({"tools/list", "tools/call"})


async def serve(
    pipeline: Pipeline,
    descriptors: StdioDescriptors,
    stop: StopSignal,
    options: StreamOptions,
    tasks: TaskCalls | None = None,
    *,
    reference: bool,
) -> None:
    """Serve MCP on *descriptors*, as `streams.server.serve` does.

    The SDK answers everything if *reference* is true.
    """
    writer = Writer(descriptors.output, encode_lines)
    in_flight = InFlight(options.warm_up, _WARM_UP_METHODS)
    connection = StdioConnection(pipeline, writer, in_flight, stop, tasks, reference=reference)
    reader = Reader(descriptors.input, LineDecoder(options.max_message_bytes), connection)
    await stream_server.serve(reader, writer, connection, stop, options.drain_s)
