"""JSON-RPC 2.0 over standard input and output, a message a frame of LSP's base protocol."""

from __future__ import annotations

from toolpact.call.pipeline import Pipeline
from toolpact.shutdown import StopSignal
from toolpact.timing.clock import SystemClock
from toolpact.transports.content_length.access import KeyCheck
from toolpact.transports.content_length.connection import FramedConnection
from toolpact.transports.content_length.frames import FrameDecoder, encode_frames
from toolpact.transports.streams import server as stream_server
from toolpact.transports.streams.connection import StreamOptions
from toolpact.transports.streams.descriptors import StdioDescriptors
from toolpact.transports.streams.in_flight import InFlight
from toolpact.transports.streams.reader import Reader
from toolpact.transports.streams.writer import Writer


async def serve(
    pipeline: Pipeline, descriptors: StdioDescriptors, stop: StopSignal, options: StreamOptions, access: KeyCheck
) -> None:
    """Serve the tools as methods on *descriptors*, as `streams.server.serve` does."""
    writer = Writer(descriptors.output, encode_frames)
    in_flight = InFlight(options.warm_up, {tool.name for tool in pipeline.server.tools})
    connection = FramedConnection(pipeline, writer, in_flight, stop, access, SystemClock())
    reader = Reader(descriptors.input, FrameDecoder(options.max_message_bytes), connection)
    await stream_server.serve(reader, writer, connection, stop, options.drain_s)
