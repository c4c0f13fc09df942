"""A gRPC service by grpcio, over several connections that are made when first needed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from toolpact.sources import PoolState
from toolpact.sources.grpc import Ask, GrpcError, GrpcSource, GrpcTimeout, Reply
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import grpc.aio

_CLOSING_S = 1.0
_LARGEST_ANSWER_BYTES = 128 * 1024 * 1024
"""The library's own limit of 4 MB is no year of candles; what is sent has no limit on this side."""
_BACKOFF_MS = 100
_LONGEST_BACKOFF_MS = 1000
_CONNECTING_MS = 5000
"""How long an attempt to connect may take; the option that says so speaks of the backoff."""
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class GrpcChannels:
    """A gRPC service; calls take its connections in turn, and a connection that broke is made anew."""

    def __init__(self, declared: GrpcSource, target: str, clock: Clock) -> None:
        self._declared = declared
        self._target = target
        self._clock = clock
        self._connections: list[_Connection | None] = [None] * declared.max_connections
        self._turns = itertools.cycle(range(declared.max_connections))
        self._in_flight = asyncio.Semaphore(declared.max_in_flight)
        self._open: set[_Connection] = set()

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    async def start(self) -> None:
        """Begin to connect; a service that is away is met by the first call."""
        for _ in self._connections:
            self._next().channel.get_state(try_to_connect=True)

    async def check(self) -> None:
        """Wait until a connection stands; who bounds the wait knows that none does."""
        async with self._lent() as connection:
            channel = connection.channel
            while (state := channel.get_state(try_to_connect=True)).name != "READY":
                if state.name in {"TRANSIENT_FAILURE", "SHUTDOWN"}:
                    raise GrpcError(f"the connection is {state.name}", status="UNAVAILABLE")
                await channel.wait_for_state_change(state)

    async def close(self) -> None:
        """Close every connection; calls in flight are given up."""
        connections, self._open = self._open, set()
        self._connections = [None] * len(self._connections)
        with contextlib.suppress(TimeoutError):
            closing = (connection.channel.close(None) for connection in connections)
            await asyncio.wait_for(asyncio.gather(*closing), _CLOSING_S)

    def pool_state(self) -> PoolState:
        """Return how the connections stand; each is made when its turn comes, and may carry several calls."""
        lent = [connection.lent > 0 for connection in tuple(self._open)]
        return PoolState(idle=lent.count(False), in_use=lent.count(True), limit=self._declared.max_connections)

    async def call(self, method: str, request: Ask, reply: type[Reply], timeout_s: float) -> Reply:
        """Return what *method* answers within *timeout_s* seconds. Raises GrpcTimeout, GrpcError, what *request* raises."""
        due = self._clock.monotonic() + timeout_s
        try:
            return await run_within(self._clock, timeout_s, self._call(method, request, reply, due))
        except DeadlineExceeded as error:
            raise GrpcTimeout(f"{method}: no answer within {timeout_s} s") from error

    async def _call(self, method: str, request: Ask, reply: type[Reply], due: float) -> Reply:
        async with self._in_flight:
            message = request if isinstance(request, Message) else await request()
            async with self._lent() as connection:
                ask = connection.channel.unary_unary(
                    method, request_serializer=type(message).SerializeToString, response_deserializer=reply.FromString
                )
                with _faults(method):
                    answer: Reply = await ask(message, timeout=due - self._clock.monotonic())
                return answer

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[_Connection]:
        """Lend the next connection in turn; one that broke is not lent again, and closed after its last call."""
        connection = self._next()
        connection.lent += 1
        try:
            yield connection
        except GrpcError as error:
            # Left to itself, it would refuse every call until its next attempt, though the service is back.
            connection.broken = connection.broken or error.status == "UNAVAILABLE"
            raise
        finally:
            connection.lent -= 1
            if connection.broken and not connection.lent:
                self._open.discard(connection)
                await connection.channel.close(None)

    def _next(self) -> _Connection:
        turn = next(self._turns)
        connection = self._connections[turn]
        if connection is None or connection.broken:
            connection = self._connections[turn] = _Connection(_channel(self._target, _options(self._declared)))
            self._open.add(connection)
        return connection


class _Connection:
    """A channel of one connection."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.lent = 0
        self.broken = False


def _channel(target: str, options: Sequence[tuple[str, int]]) -> grpc.aio.Channel:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # the library's C core would write to standard error by itself
    import grpc.aio  # noqa: PLC0415 - 60 ms that a server need not pay before its first answer

    if target.rpartition(":")[0].strip("[]") in _LOOPBACK:  # a proxy cannot reach this machine's loopback
        options = [*options, ("grpc.enable_http_proxy", 0)]
    return grpc.aio.insecure_channel(target, options=options)


def _options(declared: GrpcSource) -> list[tuple[str, int]]:
    """What makes a channel one connection of its own, with the contract's limits.

    Only a connection in use is pinged: a service with default settings takes more than two pings in a row, without
    an answer between them, for an attack.
    """
    return [
        ("grpc.use_local_subchannel_pool", 1),  # channels to the same target would share one connection
        ("grpc.keepalive_time_ms", round(declared.keepalive_interval_s * 1000)),
        ("grpc.keepalive_timeout_ms", round(declared.keepalive_timeout_s * 1000)),
        (
            "grpc.http2.ping_timeout_ms",
            round(declared.keepalive_timeout_s * 1000),
        ),  # else a minute, whatever it says above
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", _LARGEST_ANSWER_BYTES),
        ("grpc.initial_reconnect_backoff_ms", _BACKOFF_MS),
        ("grpc.min_reconnect_backoff_ms", _CONNECTING_MS),
        ("grpc.max_reconnect_backoff_ms", _LONGEST_BACKOFF_MS),
    ]


@contextmanager
def _faults(method: str) -> Iterator[None]:
    """Raise what the library raises as GrpcTimeout or GrpcError."""
    import grpc  # noqa: PLC0415 - see _channel

    try:
        yield
    except grpc.aio.AioRpcError as error:
        status = error.code().name
        said = f"{method}: {status}: {error.details()}"
        if status == "DEADLINE_EXCEEDED":
            raise GrpcTimeout(said) from error
        raise GrpcError(said, status=status) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise GrpcError(f"{method}: the connection was closed", status="CANCELLED") from error
    except grpc.aio.UsageError as error:
        raise GrpcError(f"{method}: the connection is closed", status="CANCELLED") from error
