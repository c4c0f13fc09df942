"""MCP over standard input and output: one message a line, and a response to every request."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from toolpact.call.pipeline import Pipeline
from toolpact.shutdown import StopSignal
from toolpact.transports.stdio.connection import Connection, StdioOptions
from toolpact.transports.stdio.descriptors import StdioDescriptors
from toolpact.transports.stdio.in_flight import InFlight
from toolpact.transports.stdio.line_reader import LineReader
from toolpact.transports.stdio.line_writer import LineWriter

_LOG = logging.getLogger(__name__)
_FLUSH_TIMEOUT_S = 1.0


async def serve(pipeline: Pipeline, descriptors: StdioDescriptors, stop: StopSignal, options: StdioOptions) -> None:
    """Serve until the input ends or a stop is requested, and calls in flight are answered.

    Calls have `drain_s` seconds after the end of input, and the grace period of *stop* after its request. Calls that
    still run then are abandoned and get an error response, as they do when serving is cancelled.
    """
    writer = LineWriter(descriptors.output)
    connection = Connection(pipeline, writer, InFlight(options.warm_up), stop, options)
    reading = asyncio.create_task(LineReader(descriptors.input, connection, options.max_line_bytes).read())
    stopping = asyncio.create_task(stop.requested.wait())
    try:
        ends: set[asyncio.Future[Any]] = {reading, stopping, connection.sdk_failure}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if connection.sdk_failure.done():
            connection.sdk_failure.result()
        if reading.done():
            reading.result()
        if not await _finish_calls(connection, stopping, options.drain_s, stop.timeouts.grace_s):
            cause = "a signal came" if stopping.done() else "the input has ended"
            _LOG.warning("%s and calls in flight were abandoned", cause)
    finally:
        reading.cancel()
        stopping.cancel()
        ending: set[asyncio.Future[Any]] = {
            reading,
            stopping,
            *connection.abandon_calls(),
            asyncio.ensure_future(writer.drain()),
        }
        await asyncio.wait(ending, timeout=_FLUSH_TIMEOUT_S)


async def _finish_calls(
    connection: Connection, stopping: asyncio.Task[Literal[True]], drain_s: float, grace_s: float
) -> bool:
    """Wait until every request is answered; return False if that takes too long.

    The limit is *drain_s* seconds, or *grace_s* seconds after a stop.
    """
    answered = asyncio.create_task(connection.wait_until_answered())
    try:
        await asyncio.wait({answered, stopping}, timeout=drain_s, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():  # hosts close the input first, and then signal the process
            await asyncio.wait({answered}, timeout=grace_s)
        return answered.done()
    finally:
        answered.cancel()
