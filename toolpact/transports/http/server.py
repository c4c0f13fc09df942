"""Listening, serving by uvicorn, and an end that loses no call."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import uvicorn

from toolpact.shutdown import StopSignal
from toolpact.transports.http.app import HttpApp
from toolpact.transports.http.connection import LimitedConnection
from toolpact.transports.http.security import Traffic

_LOG = logging.getLogger(__name__)
_BACKLOG = 2048
_GIVING_UP_S = 0.5
"""Seconds in which calls that were given up may still be answered."""
_LOGGERS_TO_QUIET = ("mcp.server.streamable_http", "mcp.server.streamable_http_manager", "uvicorn.error")
"""Loggers that have a word for every request, or for what is logged here already."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *host*; *port* 0 is any that is free. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def address(listening: socket.socket) -> str:
    """Return the URL by which *listening* is reached."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def serve(app: HttpApp, listening: socket.socket, stop: StopSignal) -> None:
    """Serve *app* until *stop* asks for the end, and finish the requests in flight.

    For the drain of *stop* everything is served, while `/ready` says no and no connection is kept. Then nothing new is taken, and what is in
    flight has the grace of *stop*; what still runs then is answered that the server is stopping, where it can be.
    """
    for name in _LOGGERS_TO_QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    server = _Server(_config(app))
    async with app.open():
        serving = asyncio.create_task(server.serve([listening]))
        asked = asyncio.create_task(stop.requested.wait())
        try:
            await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                await _finish(app, server, stop)
                server.should_exit = True
            await serving
        finally:
            app.traffic.closed = True
            app.traffic.give_up()
            asked.cancel()
            serving.cancel()


def _config(app: HttpApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(LimitedConnection, 2 * app.slowest_s),  # type: ignore[arg-type] # what makes a protocol will do
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )


async def _finish(app: HttpApp, server: _Server, stop: StopSignal) -> None:
    """Go from serving everything to serving nothing."""
    traffic, timeouts = app.traffic, stop.timeouts
    traffic.leaving = True
    _LOG.info("not ready any more; requests are taken for another %s s", timeouts.drain_s)
    await asyncio.sleep(timeouts.drain_s)
    traffic.closed = True
    server.stop_listening()
    _LOG.info("no more requests are taken")
    clock = asyncio.get_running_loop()
    due = clock.time() + timeouts.grace_s
    try:
        async with asyncio.timeout_at(due):
            await traffic.none()
    except TimeoutError:
        _LOG.warning("calls in flight were given up after %s s", timeouts.grace_s)
        await _give_up(traffic)
    server.config.timeout_graceful_shutdown = max(1, round(due - clock.time()))  # for answers that are on their way


async def _give_up(traffic: Traffic) -> None:
    """Cancel the requests in flight, and wait a little for their ends."""
    traffic.give_up()
    with suppress(TimeoutError):
        async with asyncio.timeout(_GIVING_UP_S):
            await traffic.none()


class _Server(uvicorn.Server):
    """A server of uvicorn that leaves signals to the process, which has more to end than connections."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    def stop_listening(self) -> None:
        """Take no more connections."""
        for each in self.servers:
            each.close()
