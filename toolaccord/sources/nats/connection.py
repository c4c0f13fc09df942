"""Connection to NATS over nats-py, made in the background and made again for ever.

nats-py could reconnect by itself. Each connection is a client of its own instead, for three reasons. A client closes
for good if a server rejects it once. After a break, it sends what it buffered, although the callers were told that it
failed. And it connects again only after a dead server has read the last bytes.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextvars import Context
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from toolaccord.contract.source_kinds.nats import NatsSource
from toolaccord.source_faults import CLOSED, LOST
from toolaccord.sources.addresses import translate_address_errors
from toolaccord.sources.availability import Availability
from toolaccord.sources.client_tls import split_tls
from toolaccord.sources.nats.api import NatsError
from toolaccord.sources.nats.faults import explain
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from nats.aio.client import Client

_LOG = logging.getLogger(__name__)
_CLOSE_TIMEOUT_S = 0.5
"""Seconds that a connection may take to send its last bytes."""
_PING_INTERVAL_S = 5
_MAX_UNANSWERED_PINGS = 2
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0
"""Seconds between attempts to connect; a call ends the pause."""
_CHECK_INTERVAL_S = 1.0
"""Seconds between looks at the connection.

nats-py reports the loss of a connection after it has sent what it buffered, and to a dead server it never has.
"""


class NatsConnection:
    """The connection of one source."""

    def __init__(self, limits: NatsSource, url: str, clock: Clock, availability: Availability) -> None:
        self._limits = limits
        self._availability = availability
        self._url = url
        self._clock = clock
        self._client: Client | None = None
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the current client has lost its connection."""
        self._keeping: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._outcome = asyncio.Condition()
        self._started = 0
        """Number of the newest attempt to connect."""
        self._failed, self._failure, self._reason = 0, "", ""
        """Number of the newest attempt that failed, its error's text, and the reason for the log."""
        self._discards: set[asyncio.Task[None]] = set()

    @property
    def client(self) -> Client | None:
        """The connected client; None while there is no connection."""
        return self._client if self._client is not None and self._client.is_connected else None

    async def acquire(self) -> tuple[Client, asyncio.Future[None]]:
        """Return the connected client, and a future that is done when it is no longer connected.

        Without a client, wait for an attempt that starts from now on. Raises NatsError.
        """
        first = self._started + 1
        while (client := self.client) is None:
            if self._failed >= first:
                raise NatsError(self._failure, reason=self._reason)
            self._wake.set()
            if self._keeping is None or self._keeping.done():
                # Without the context of this call: its id and its deadline are not those of the connection.
                self._keeping = asyncio.get_running_loop().create_task(self._keep_connected(), context=Context())
            async with self._outcome:
                await self._outcome.wait()
        return client, self._lost

    async def close(self) -> None:
        """Close the connection in bounded time, and make no other."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})
        client, self._client = self._client, None
        if client is not None:
            self._discard(client)
        await self._report_failure(sys.maxsize, NatsError("the connection was closed", reason=CLOSED))
        if self._discards:
            await asyncio.wait(self._discards)

    async def _keep_connected(self) -> None:
        """Connect, wait for the loss of the connection, and connect again, until cancelled."""
        pause_s = _SHORTEST_PAUSE_S
        while True:
            self._started += 1
            self._wake.clear()
            try:
                client = await self._connect()
            except NatsError as error:
                self._availability.go_down(error.why)
                await self._report_failure(self._started, error)
                await self._pause(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                continue
            pause_s = _SHORTEST_PAUSE_S
            await self._report_connection(client)
            while client.is_connected:
                await self._pause(_CHECK_INTERVAL_S)
            self._client = None
            self._lost.set_result(None)
            self._availability.go_down(explain(client.last_error) if client.last_error else LOST)
            self._discard(client)

    async def _connect(self) -> Client:
        """Return a new client that is connected. Raises NatsError."""
        import nats.errors  # noqa: PLC0415 - takes 200 ms to load, too long before the first answer

        from toolaccord.sources.nats.strict_tls import StrictTlsClient  # noqa: PLC0415 - see above

        client = StrictTlsClient()
        causes: list[Exception] = []
        try:
            with translate_address_errors(NatsError):
                await client.connect(**self._options(client, causes))
        except (OSError, nats.errors.Error) as error:
            cause = causes[-1] if isinstance(error, nats.errors.NoServersError) and causes else error
            raise NatsError(f"no connection: {self._describe(cause)}", reason=explain(cause)) from (
                cause if isinstance(cause, TimeoutError) else None
            )
        finally:
            if not client.is_connected:
                self._discard(client)
        if not client.is_connected:  # nats-py does not notice a server that closes the connection meanwhile
            raise NatsError("no connection: the server closed it", reason=LOST)
        return client

    def _options(self, client: Client, causes: list[Exception]) -> dict[str, Any]:
        """Return the options of *client*; its last error is the only one of *causes*."""

        async def on_error(error: Exception) -> None:
            causes[:] = [error]
            _LOG.debug("source %s: %s: %s", self._limits.name, type(error).__name__, error)

        async def on_close() -> None:
            if self._client is client:  # not for one that never was connected
                self._wake.set()

        return {
            **_parse_url(self._url),
            "error_cb": on_error,
            "closed_cb": on_close,
            "allow_reconnect": False,
            "max_reconnect_attempts": 1,  # 0 means for ever
            "reconnect_time_wait": 0,
            "connect_timeout": self._limits.connection_timeout_s,
            "ping_interval": _PING_INTERVAL_S,
            "max_outstanding_pings": _MAX_UNANSWERED_PINGS,
            "pending_size": 0,  # otherwise a full buffer blocks publishers without a time limit
        }

    def _describe(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"no answer within {self._limits.connection_timeout_s} s"
        return f"{type(error).__name__}: {error}"

    async def _pause(self, seconds: float) -> None:
        """Wait for *seconds*, for a call that needs a connection, or for the loss of the connection."""
        timer = self._clock.call_later(seconds, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
            self._wake.clear()

    async def _report_connection(self, client: Client) -> None:
        self._availability.connected()
        self._client, self._lost = client, asyncio.get_running_loop().create_future()
        async with self._outcome:
            self._outcome.notify_all()

    async def _report_failure(self, attempt: int, error: NatsError) -> None:
        self._failed, self._failure, self._reason = attempt, str(error), error.why
        async with self._outcome:
            self._outcome.notify_all()

    def _discard(self, client: Client) -> None:
        """Close *client* in the background, in bounded time."""
        discard = asyncio.get_running_loop().create_task(_close(client), context=Context())
        self._discards.add(discard)
        discard.add_done_callback(self._discards.discard)


async def _close(client: Client) -> None:
    """Close *client*; drop what the server has not read after a while."""
    closing = asyncio.create_task(client.close())
    await asyncio.wait({closing}, timeout=_CLOSE_TIMEOUT_S)
    # nats-py cannot abort: it waits until the server has read everything.
    writer = getattr(client._transport, "_io_writer", None)  # noqa: SLF001
    if writer is not None:
        writer.transport.abort()
    # After a failed TLS handshake, nats-py waits for the end of a connection that has no end.
    await asyncio.wait({closing}, timeout=_CLOSE_TIMEOUT_S)
    closing.cancel()
    await asyncio.wait({closing}, timeout=_CLOSE_TIMEOUT_S)


def _parse_url(url: str) -> dict[str, Any]:
    """Return the servers, the credentials and the context of TLS in *url*.

    It is `nats://user:password@host:port,host:port`, or has a token before the `@`. nats-py would not decode them, and
    errors may name the servers.
    """
    address, files = split_tls(url)
    parts = urlsplit(address)
    tls = {"tls": files.create_context()} if files else {}
    servers = [f"{parts.scheme}://{host}" for host in parts.netloc.rpartition("@")[2].split(",")]
    if parts.password is not None:
        login: dict[str, Any] = {"user": unquote(parts.username or ""), "password": unquote(parts.password)}
    else:
        login = {"token": unquote(parts.username) if parts.username else None}
    return {"servers": servers, **login, **tls}
