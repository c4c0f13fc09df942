"""Client of a gRPC service over grpcio, with several connections made at first use."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from google.protobuf.message import Message

from toolaccord.contract.source_kinds.grpc import GrpcSource
from toolaccord.source_faults import (
    BUSY,
    CLOSED,
    INVALID_ADDRESS,
    INVALID_ANSWER,
    LOST,
    NO_TLS,
    TOO_LARGE,
    UNRESOLVED,
    UNTRUSTED,
    describe_number,
    find_number,
)
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.client_tls import split_tls
from toolaccord.sources.grpc.api import GrpcError, GrpcTimeout, Reply, RequestOrFactory
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within
from toolaccord.urls import is_loopback

if TYPE_CHECKING:
    import grpc.aio

_SECURE, _PLAIN = "grpcs://", "grpc://"
"""Beginnings of addresses with and without TLS; one without a scheme has none."""
_HEALTH = "/grpc.health.v1.Health/Check"
"""A method without effects, which a service need not have."""
_CLOSE_TIMEOUT_S = 1.0
_BACKOFF_MS = 100
_LONGEST_BACKOFF_MS = 1000
_CONNECT_TIMEOUT_MS = 5000
"""Longest attempt to connect.

grpcio sets it by the option for the smallest reconnect backoff.
"""


class GrpcChannels:
    """A gRPC service. Calls use its connections in turn; a broken connection is replaced."""

    kind: ClassVar = "grpc"
    """Kind of the system that answers."""

    def __init__(self, limits: GrpcSource, target: str, clock: Clock) -> None:
        self._limits = limits
        self._target = target
        self._clock = clock
        self._connections: list[_Connection | None] = [None] * limits.max_connections
        self._indexes = itertools.cycle(range(limits.max_connections))
        self._in_flight = asyncio.Semaphore(limits.max_in_flight)
        self._open: set[_Connection] = set()
        unavailable = partial(GrpcError, status="UNAVAILABLE")
        self.availability = Availability(self.kind, limits.name, describe_place(target), clock, unavailable)
        """State of the source, as calls and checks found it."""

    async def start(self) -> None:
        """Start to connect, without waiting; the first call reports a service that is unavailable."""
        for _ in self._connections:
            self._next_connection().channel.get_state(try_to_connect=True)

    async def check(self) -> None:
        """Wait until a connection is ready. Raises GrpcError; the caller sets the timeout."""
        with self.availability.request():
            await self._wait_until_ready()

    async def _wait_until_ready(self) -> None:
        async with self._use_connection() as connection:
            channel = connection.channel
            while (state := channel.get_state(try_to_connect=True)).name != "READY":
                if state.name in {"TRANSIENT_FAILURE", "SHUTDOWN"}:
                    raise await _find_failure(channel)
                await channel.wait_for_state_change(state)

    async def close(self) -> None:
        """Close every connection; calls in flight raise GrpcError."""
        connections, self._open = self._open, set()
        self._connections = [None] * len(self._connections)
        with contextlib.suppress(TimeoutError):
            closings = (connection.channel.close(None) for connection in connections)
            await asyncio.wait_for(asyncio.gather(*closings), _CLOSE_TIMEOUT_S)

    def pool_state(self) -> PoolState:
        """Return the state of the connections; each may carry several calls."""
        in_use = [connection.calls > 0 for connection in tuple(self._open)]
        return PoolState(idle=in_use.count(False), in_use=in_use.count(True), limit=self._limits.max_connections)

    async def call(self, method: str, request: RequestOrFactory, reply: type[Reply], timeout_s: float) -> Reply:
        """Return the answer of *method*.

        Raises GrpcTimeout, GrpcError, and the exceptions of *request*.
        """
        deadline, is_sending = self._clock.monotonic() + timeout_s, asyncio.Event()
        with self.availability.request():
            try:
                sending = self._call(method, request, reply, deadline, is_sending)
                return await run_within(self._clock, timeout_s, sending)
            except DeadlineExceeded as error:
                message = f"{method}: no answer within {timeout_s} s"
                raise GrpcTimeout(message, reason=None if is_sending.is_set() else BUSY) from error

    async def _call(
        self, method: str, request: RequestOrFactory, reply: type[Reply], deadline: float, is_sending: asyncio.Event
    ) -> Reply:
        async with self._in_flight:
            is_sending.set()
            message = request if isinstance(request, Message) else await request()
            async with self._use_connection() as connection:
                send = connection.channel.unary_unary(
                    method, request_serializer=type(message).SerializeToString, response_deserializer=reply.FromString
                )
                with _translate_errors(method):
                    answer: Reply | None = await send(message, timeout=deadline - self._clock.monotonic())
                if answer is None:  # grpcio has logged why
                    raise GrpcError(f"{method}: no decodable reply", status="INTERNAL", reason=INVALID_ANSWER)
                return answer

    @asynccontextmanager
    async def _use_connection(self) -> AsyncIterator[_Connection]:
        """Provide the next connection in turn.

        A broken one is not used again, and closed after its last call.
        """
        connection = self._next_connection()
        connection.calls += 1
        try:
            yield connection
        except GrpcError as error:
            # grpcio would fail every call until its next attempt to connect, even if the service is back.
            connection.broken = connection.broken or error.status == "UNAVAILABLE"
            raise
        finally:
            connection.calls -= 1
            if connection.broken and not connection.calls:
                self._open.discard(connection)
                await connection.channel.close(None)

    def _next_connection(self) -> _Connection:
        index = next(self._indexes)
        connection = self._connections[index]
        if connection is None or connection.broken:
            connection = self._connections[index] = _Connection(
                _create_channel(self._target, _channel_options(self._limits))
            )
            self._open.add(connection)
        return connection


class _Connection:
    """A channel that holds one connection."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.calls = 0
        """Calls in flight."""
        self.broken = False


def _create_channel(target: str, options: Sequence[tuple[str, int]]) -> grpc.aio.Channel:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # else its C core writes to standard error
    import grpc.aio  # noqa: PLC0415 - takes 60 ms to load, too long before the first answer

    address, files = split_tls(target)
    host = address.removeprefix(_SECURE).removeprefix(_PLAIN)
    if is_loopback(host.rpartition(":")[0].strip("[]")):  # which no proxy can reach
        options = [*options, ("grpc.enable_http_proxy", 0)]
    if not address.startswith(_SECURE):
        return grpc.aio.insecure_channel(host, options=options)
    try:
        root = files.read(files.root or os.environ.get("SSL_CERT_FILE", ""))  # else grpcio has its own authorities
        chain, key = files.read(files.certificate), files.read(files.key or files.certificate)
    except ValueError as error:
        raise GrpcError(f"the address {error}", status="UNAVAILABLE", reason=INVALID_ADDRESS) from None
    credentials = grpc.ssl_channel_credentials(root, key, chain)
    return grpc.aio.secure_channel(host, credentials, options=options)


async def _find_failure(channel: grpc.aio.Channel) -> GrpcError:
    """Return the failure of a channel without a connection; only a request learns the reason."""
    try:
        with _translate_errors("check"):
            await channel.unary_unary(_HEALTH, request_serializer=bytes, response_deserializer=bytes)(b"")
    except GrpcError as error:
        if error.is_outage:
            return error
    return GrpcError("the connection broke", status="UNAVAILABLE", reason=LOST)


def _channel_options(limits: GrpcSource) -> list[tuple[str, int]]:
    """Return the options that give a channel its own connection and the contract's limits.

    Only a connection in use is pinged. A service with default settings treats more than two pings in a row, without an
    answer between them, as an attack.
    """
    return [
        ("grpc.use_local_subchannel_pool", 1),  # channels to the same target would share one connection
        ("grpc.keepalive_time_ms", round(limits.keepalive_interval_s * 1000)),
        ("grpc.keepalive_timeout_ms", round(limits.keepalive_timeout_s * 1000)),
        # Without this option a silent connection lives for a minute, despite keepalive_timeout_ms.
        ("grpc.http2.ping_timeout_ms", round(limits.keepalive_timeout_s * 1000)),
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", limits.max_response_bytes),
        ("grpc.http2.bdp_probe", 0),  # else a connection holds megabytes of replies that are rejected
        ("grpc.initial_reconnect_backoff_ms", _BACKOFF_MS),
        ("grpc.min_reconnect_backoff_ms", _CONNECT_TIMEOUT_MS),
        ("grpc.max_reconnect_backoff_ms", _LONGEST_BACKOFF_MS),
    ]


@contextmanager
def _translate_errors(method: str) -> Iterator[None]:
    """Raise the exceptions of grpcio as GrpcTimeout or GrpcError."""
    import grpc  # noqa: PLC0415 - see _create_channel

    try:
        yield
    except grpc.aio.AioRpcError as error:
        status, details = error.code().name, error.details() or ""
        message = f"{method}: {status}: {details}"
        if status == "DEADLINE_EXCEEDED":
            raise GrpcTimeout(message) from error
        raise GrpcError(message, status=status, reason=_explain(status, details)) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise GrpcError(f"{method}: the connection was closed", status="CANCELLED", reason=CLOSED) from error
    except grpc.aio.UsageError as error:
        raise GrpcError(f"{method}: the connection is closed", status="CANCELLED", reason=CLOSED) from error


def _explain(status: str, details: str) -> str | None:
    """Return the reason that *details* show, without values; None for none."""
    if status == "RESOURCE_EXHAUSTED" and "larger than max" in details:
        return TOO_LARGE
    return _explain_connection(details) if status == "UNAVAILABLE" else None


def _explain_connection(details: str) -> str:
    if "http1.x" in details:
        return INVALID_ANSWER
    if "resolution" in details:
        return UNRESOLVED
    if "CERTIFICATE_VERIFY_FAILED" in details or "Peer name" in details or "ostname" in details:
        return f"its TLS certificate is not trusted; {UNTRUSTED}"
    if "SSL_ERROR" in details or "handshake failed" in details:
        return NO_TLS
    if "Connection refused" in details:
        return describe_number(errno.ECONNREFUSED) or LOST
    return find_number(details) or LOST
