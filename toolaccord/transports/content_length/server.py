"""JSON-RPC 2.0 over standard input and output, a message a frame of LSP's base protocol."""

from __future__ import annotations

from toolaccord.call.pipeline import Pipeline
from toolaccord.shutdown import StopSignal
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.content_length.access import KeyCheck
from toolaccord.transports.content_length.connection import FramedConnection
from toolaccord.transports.content_length.frames import FrameDecoder, encode_frames
from toolaccord.transports.streams import server as stream_server
from toolaccord.transports.streams.connection import StreamOptions
from toolaccord.transports.streams.descriptors import StdioDescriptors
from toolaccord.transports.streams.in_flight import InFlight
from toolaccord.transports.streams.reader import Reader
from toolaccord.transports.streams.writer import Writer


async def serve(
    pipeline: Pipeline, descriptors: StdioDescriptors, stop: StopSignal, options: StreamOptions, access: KeyCheck
) -> None:
    """Serve the tools as methods on *descriptors*, as `streams.server.serve` does."""
    writer = Writer(descriptors.output, encode_frames)
    in_flight = InFlight(options.warm_up, {tool.name for tool in pipeline.server.tools})
    connection = FramedConnection(pipeline, writer, in_flight, stop, access, SystemClock())
    reader = Reader(descriptors.input, FrameDecoder(options.max_message_bytes), connection)
    await stream_server.serve(reader, writer, connection, stop, options.drain_s)
