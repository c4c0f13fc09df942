"""HTTP server: serves with uvicorn, and shuts down without losing a call."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import uvicorn
from starlette.types import Receive, Scope, Send

from toolaccord.shutdown import StopSignal
from toolaccord.timing.clock import Clock
from toolaccord.transports.http.connection.open_connections import Connections
from toolaccord.transports.http.connection.tls_connection import accept
from toolaccord.transports.http.listening import BACKLOG
from toolaccord.transports.http.traffic import Traffic

_LOG = logging.getLogger(__name__)
_ACCEPTED_A_TURN = 32
"""Connections that asyncio accepts in a turn of its loop, so that others have theirs."""
_LOG_INTERVAL_S = 1.0
"""Seconds between two lines on failures to accept connections."""
_CANCEL_WAIT_S = 0.5
"""Seconds in which cancelled requests may still be answered."""
_VERBOSE_LOGGERS = ("mcp.server.streamable_http", "mcp.server.streamable_http_manager", "uvicorn.error")
"""Loggers that log every request, or events that are logged here."""


class HttpApplication(Protocol):
    """An ASGI application that can be drained."""

    traffic: Traffic
    """The requests in flight."""

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which requests are served; it may be entered once."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""


@dataclass(frozen=True, slots=True)
class Handover:
    """Listening sockets that processes of a server share.

    So no connection is refused between two of them.
    """

    sockets: Sequence[socket.socket]
    on_change: Callable[[bool], None]
    """Called with True once this process accepts connections, with False once it stops that."""
    is_replaced: Callable[[], bool] = lambda: True
    """Returns False if no other process accepts connections once this one stops."""
    is_alone: bool = True
    """False if other processes accept connections at the same time, and each takes its part."""


async def serve(
    app: HttpApplication,
    listening: Sequence[socket.socket],
    stop: StopSignal,
    connections: Connections,
    handover: Handover | None = None,
) -> None:
    """Serve *app* until *stop* requests a stop, and finish the requests in flight.

    During the drain time every request is served, but `/ready` is 503 and each response closes its connection. Then no
    request is accepted, and those in flight have the grace time. After it they are cancelled and answered with 503.
    A process that is replaced, as its *handover* says, leaves new connections to the others from the start of the drain
    time, which then ends with its last connection.
    """
    for name in _VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    asyncio.get_running_loop().set_exception_handler(AcceptErrorHandler(connections.clock))
    server = _Server(_config(app, connections, handover), handover)
    watched = connections.certificate.watched() if connections.certificate else nullcontext()
    async with app.open():
        serving = asyncio.create_task(server.serve(list(listening)))
        stop_requested = asyncio.create_task(stop.requested.wait())
        try:
            with watched:
                await asyncio.wait({serving, stop_requested}, return_when=asyncio.FIRST_COMPLETED)
                if not serving.done():
                    await _shut_down(app.traffic, server, stop, connections)
                    server.should_exit = True
                await serving
        finally:
            app.traffic.is_closed = True
            app.traffic.cancel_all()
            stop_requested.cancel()
            serving.cancel()


def _config(app: HttpApplication, connections: Connections, handover: Handover | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(accept, connections),  # type: ignore[arg-type] # any factory of protocols works
        backlog=_ACCEPTED_A_TURN if handover is None or handover.is_alone else 1,
        timeout_keep_alive=connections.limits.keep_alive_timeout_s,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )


async def _shut_down(traffic: Traffic, server: _Server, stop: StopSignal, connections: Connections) -> None:
    """Drain, close, and wait for the requests in flight and for clients that read responses."""
    patience = stop.timeouts
    traffic.is_draining = True
    if server.handover and server.handover.is_replaced():
        server.stop_listening()  # the sockets stay open in other processes, which alone accept
        server.handover.on_change(False)
        traffic.end_streams()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience.drain_s):
                await connections.wait_until_closed()
    elif patience.drain_s:
        _LOG.info("not ready any more; requests are accepted for another %s s", patience.drain_s)
        await asyncio.sleep(patience.drain_s)
    traffic.is_closed = True
    traffic.end_streams()
    server.stop_listening()
    _LOG.info("no more requests are accepted")
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience.grace_s
    try:
        async with asyncio.timeout_at(deadline):
            await traffic.wait_until_idle()
    except TimeoutError:
        _LOG.warning("calls in flight were abandoned after %s s", patience.grace_s)
        await _cancel_all(traffic)
    loop.call_at(max(deadline, loop.time() + _CANCEL_WAIT_S), connections.abort_all)  # uvicorn waits for their ends


async def _cancel_all(traffic: Traffic) -> None:
    """Cancel the requests in flight, and wait briefly for their responses."""
    traffic.cancel_all()
    with suppress(TimeoutError):
        async with asyncio.timeout(_CANCEL_WAIT_S):
            await traffic.wait_until_idle()


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the process."""

    def __init__(self, config: uvicorn.Config, handover: Handover | None) -> None:
        super().__init__(config)
        self.handover = handover

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections. asyncio lowers the sockets' backlog to those of a turn."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)
        if self.handover:
            self.handover.on_change(True)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield

    def stop_listening(self) -> None:
        """Accept no more connections."""
        for each in self.servers:
            each.close()


class AcceptErrorHandler:
    """Exception handler of an event loop that logs failures to accept connections once a second.

    asyncio reports thousands of them a second when descriptors run out. It tries again after a second. All other
    exceptions get the loop's default treatment.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged_at: float | None = None

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle one exception."""
        if not context["message"].startswith("socket.accept()"):
            loop.default_exception_handler(context)
            return
        now = self._clock.monotonic()
        if self._logged_at is None or now - self._logged_at >= _LOG_INTERVAL_S:
            self._logged_at = now
            _LOG.error("cannot accept connections, and tries again: %s", context["exception"])
