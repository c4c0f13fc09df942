"""Connections of redis-py to one Redis, shared by all callers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from redis import exceptions
from redis._parsers import _AsyncRESP2Parser
from redis.asyncio import connection as redis_connection
from redis.asyncio.connection import AbstractConnection

from toolaccord.contract.source_kinds.redis import RedisSource
from toolaccord.source_faults import BUSY, INVALID_ADDRESS
from toolaccord.sources import MAX_RESPONSE_BYTES
from toolaccord.sources.addresses import translate_address_errors
from toolaccord.sources.client_tls import split_tls
from toolaccord.sources.redis.api import RedisError, RedisFailure, Value

_CLOSE_TIMEOUT_S = 1.0
_SILENCE_S = 5.0
"""Seconds without a message after which a subscriber pings."""


class _TooLarge(exceptions.RedisError):
    """An answer exceeds MAX_RESPONSE_BYTES."""


class _BoundedParser(_AsyncRESP2Parser):
    """Parser of redis-py with a bound for an answer and all its parts."""

    __slots__ = ("_left",)

    async def read_response(self, disable_decoding: bool = False) -> Any:  # noqa: FBT001, FBT002 - as redis-py calls it
        """Return the next answer. Raises _TooLarge before it is read to its end."""
        self._left = MAX_RESPONSE_BYTES
        return await super().read_response(disable_decoding)

    async def _read(self, length: int) -> bytes:
        self._count(length)
        return await super()._read(length)

    async def _readline(self) -> bytes:
        line = await super()._readline()
        self._count(len(line))
        return line

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooLarge(f"the answer exceeds {MAX_RESPONSE_BYTES} bytes")


_OPTIONS = {
    "parser_class": _BoundedParser,
    "protocol": 2,  # connects without a round trip
    "driver_info": None,
    "decode_responses": False,
    "socket_timeout": None,  # the pool has its own timeouts, which need no task for each command
    "socket_connect_timeout": None,
}
"""Options of redis-py, which those in a URL do not override."""
_FAILURES: dict[str, RedisFailure] = {"OOM": "full", "READONLY": "read_only"}
_CODE = re.compile(r"(?:^|: -)(OOM|READONLY) ")
"""The code of an answer; Redis 6 sends that of a command in a script inside the text."""


class ConnectionPool:
    """At most as many connections as the limit, opened when commands need them.

    Taking a connection back awaits nothing, so no cancellation interrupts it. The timeout of redis-py's
    BlockingConnectionPool covers the wait for a connection, and not connecting (docs/decisions/0014).
    """

    def __init__(self, url: str, limits: RedisSource) -> None:
        """Connect to nothing yet. Raises RedisError for an invalid URL."""
        self._limits = limits
        self._factory = _connection_factory(url)
        self._free = asyncio.Semaphore(limits.max_connections)
        self._idle: list[AbstractConnection] = []
        self._in_use: set[AbstractConnection] = set()
        self._is_closed = False

    @property
    def idle(self) -> int:
        """Number of open connections that nothing uses."""
        return len(self._idle)

    @property
    def in_use(self) -> int:
        """Number of connections in use."""
        return len(self._in_use)

    async def execute(self, command: Sequence[Value], *, is_patient: bool = False) -> Any:
        """Return the answer to *command*; if *is_patient*, without a timeout. Raises RedisError.

        redis-py closes a connection whose answer was not read to its end: it times out, breaks, or its caller is
        cancelled.
        """
        limits = self._limits
        with _translate_errors(f"no connection within {limits.connection_timeout_s} s", pool=self._free):
            async with _timeout(None if is_patient else limits.connection_timeout_s):
                connection = await self._acquire()
        try:
            with _translate_errors(f"no answer to {command[0]!r} within {limits.timeout_s} s"):
                async with _timeout(None if is_patient else limits.timeout_s):
                    await connection.send_command(*command)
                    return await connection.read_response()
        except RedisError as error:
            if error.failure == "read_only":  # connecting again may reach the new primary
                await connection.disconnect(nowait=True)
            raise
        finally:
            self._release(connection)

    async def messages(self, channel: str) -> AsyncGenerator[bytes | None]:
        """Yield None once subscribed to *channel*, then its messages.

        Its connection is beside the limit. Raises RedisError once it is lost.
        """
        limits = self._limits
        connection: AbstractConnection = self._factory.make_connection()
        try:
            with _translate_errors(f"no subscription within {limits.connection_timeout_s} s"):
                async with _timeout(limits.connection_timeout_s):
                    await self._connect(connection)
                    await connection.send_command("SUBSCRIBE", channel)
                    await connection.read_response()
            yield None
            while True:
                with _translate_errors(f"no answer to a ping within {limits.timeout_s} s"):
                    kind, *_, payload = await _hear(connection, limits.timeout_s)
                if kind == b"message":
                    yield payload
        finally:
            await connection.disconnect(nowait=True)

    async def close(self) -> None:
        """Close every connection, in bounded time. A command in flight fails."""
        self._is_closed = True
        connections = [*self._idle, *self._in_use]
        self._idle.clear()
        with suppress(TimeoutError):  # their transports are closing
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await asyncio.gather(*(each.disconnect() for each in connections), return_exceptions=True)

    async def _acquire(self) -> AbstractConnection:
        """Return an open connection for the caller alone."""
        await self._free.acquire()
        connection = self._idle.pop() if self._idle else self._factory.make_connection()
        self._in_use.add(connection)
        try:
            await self._connect(connection)
        except BaseException:
            await connection.disconnect(nowait=True)
            self._release(connection)
            raise
        return connection

    async def _connect(self, connection: AbstractConnection) -> None:
        await self._factory.ensure_connection(connection)
        if self._is_closed:
            raise exceptions.ConnectionError("the source was closed")

    def _release(self, connection: AbstractConnection) -> None:
        """Let the next caller use *connection*, if it is still open, or else another one."""
        self._in_use.discard(connection)
        if connection.is_connected:
            self._idle.append(connection)
        self._free.release()


async def _hear(connection: AbstractConnection, timeout_s: float) -> Any:
    """Return the next answer to a subscriber, which pings after a silence.

    Raises TimeoutError if that has no answer.
    """
    if heard := await connection.read_response(timeout=_SILENCE_S):
        return heard
    await connection.send_command("PING")
    if heard := await connection.read_response(timeout=timeout_s):
        return heard
    raise TimeoutError


def _connection_factory(url: str) -> Any:
    """Return redis-py's pool, which only makes and checks connections. Raises RedisError."""
    try:
        with translate_address_errors(RedisError):
            address, files = split_tls(url)
            named = {"ssl_ca_certs": files.root, "ssl_certfile": files.certificate, "ssl_keyfile": files.key}
            tls = {name: path for name, path in named.items() if path}
            options: dict[str, Any] = {**redis_connection.parse_url(address), **tls, **_OPTIONS}
            factory: Any = redis_connection.ConnectionPool(**options)
            factory.make_connection()  # checks the options, and does not connect
    except TypeError:
        message = "the address is invalid: it has an unknown parameter"
        raise RedisError(message, reason=INVALID_ADDRESS) from None
    return factory


@asynccontextmanager
async def _timeout(seconds: float | None) -> AsyncIterator[None]:
    """Raise TimeoutError in the block after *seconds*, if any, unless the answer has arrived.

    asyncio's own timeout also ends blocks whose answer waits in the socket, because the event loop was busy elsewhere.
    Here a block may still run in the turn of the loop in which its time is over, and only then ends.
    """
    if seconds is None:
        yield
        return
    async with asyncio.timeout(None) as limit:
        timer = asyncio.get_running_loop().call_later(seconds, limit.reschedule, 0)
        try:
            yield
        finally:
            timer.cancel()


@contextmanager
def _translate_errors(timeout_message: str, *, pool: asyncio.Semaphore | None = None) -> Iterator[None]:
    """Raise the exceptions of redis-py and of the network as RedisError.

    *pool* has the free connections, if one of them is waited for.
    """
    try:
        yield
    except TimeoutError as error:
        reason = BUSY if pool and pool.locked() else None
        raise RedisError(timeout_message, failure="timeout", reason=reason) from error
    except exceptions.AuthenticationError as error:  # also where a password is missing
        raise RedisError(_describe(error), failure="login") from error
    except exceptions.ResponseError as error:
        text = _describe(error)
        code = _CODE.search(text)
        raise RedisError(text, failure=_FAILURES[code[1]] if code else "rejected") from error
    except exceptions.InvalidResponse as error:
        raise RedisError(f"the answer is invalid: {error}", failure="invalid") from error
    except _TooLarge as error:
        raise RedisError(str(error), failure="too_large") from error
    except (exceptions.RedisError, OSError, EOFError) as error:
        raise RedisError(f"{type(error).__name__}: {error}") from error
    except (ArithmeticError, LookupError, RecursionError, ValueError) as error:
        message = f"the answer cannot be decoded: {type(error).__name__}: {error}"
        raise RedisError(message, failure="invalid") from error


def _describe(error: exceptions.RedisError) -> str:
    """Return the code and the text that Redis sent, without the arguments of an unknown command."""
    text = str(error).partition(", with args beginning with")[0]
    return f"{error.status_code} {text}" if error.status_code else text
