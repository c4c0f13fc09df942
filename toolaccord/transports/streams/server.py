"""Serving of one connection until its input ends or a stop is requested."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from toolaccord.shutdown import StopSignal
from toolaccord.transports.streams.connection import Connection
from toolaccord.transports.streams.reader import Reader
from toolaccord.transports.streams.writer import Writer

_LOG = logging.getLogger(__name__)
_FLUSH_TIMEOUT_S = 1.0


async def serve(
    reader: Reader[Any], writer: Writer, connection: Connection[Any], stop: StopSignal, drain_s: float
) -> None:
    """Serve until the input ends or a stop is requested, and calls in flight are answered.

    Calls have *drain_s* seconds after the end of input, and the grace period of *stop* after its request. Calls that
    still run then are abandoned and get an error response, as they do when serving is cancelled. Raises the exceptions
    of the connection and of reading.
    """
    reading = asyncio.create_task(reader.read())
    stopping = asyncio.create_task(stop.requested.wait())
    try:
        ends: set[asyncio.Future[Any]] = {reading, stopping, *connection.failures}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in (*connection.failures, reading):
            if end.done():
                end.result()
        if not await _finish_calls(connection, stopping, drain_s, stop.timeouts.grace_s):
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
    connection: Connection[Any], stopping: asyncio.Task[Literal[True]], drain_s: float, grace_s: float
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
