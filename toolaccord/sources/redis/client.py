"""Client of a Redis over redis-py, with timeouts, repetitions and a connection pool."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from toolaccord.contract.source_kinds.redis import RedisSource
from toolaccord.errors import UndeclaredEffect
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.read_only import ReadOnly
from toolaccord.sources.redis.api import RedisError, Script, Value
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import time_left

if TYPE_CHECKING:
    from toolaccord.sources.redis.connections import ConnectionPool

_TRANSIENT = ("unreachable", "timeout", "invalid")
_UNKNOWN_SCRIPT = "NOSCRIPT"
_LOG = logging.getLogger(__name__)


class _ReadingClient(ReadOnly):
    """A Redis for operations that only read."""

    async def run_script(self, script: Script, *arguments: Any, **options: Any) -> Any:
        """Return the answer of *script*.

        Raises RedisError, and UndeclaredEffect for a script that may change values.
        """
        if not script.only_reads:
            raise UndeclaredEffect(self._rejection)
        return await self._source.run_script(script, *arguments, **options)


class RedisClient:
    """A Redis. Connects at the first command, and again after the server was unavailable."""

    kind: ClassVar = "redis"
    """Kind of the system that answers."""

    def __init__(self, limits: RedisSource, url: str, clock: Clock) -> None:
        self._limits = limits
        self._url = url
        self._clock = clock
        self._pool: ConnectionPool | None = None
        self.availability = Availability(self.kind, limits.name, describe_place(url), clock, RedisError)
        """State of the source, as calls and checks found it."""

    def reading(self, rejection: str) -> ReadOnly:
        """Return the client without commands that change values, which raise UndeclaredEffect."""
        return _ReadingClient(self, ("set", "delete", "publish"), rejection)

    async def start(self) -> None:
        """Connect. Raises RedisError."""
        await self.check()

    async def check(self) -> None:
        """Ping the server. Raises RedisError."""
        await self._execute("PING")

    async def close(self) -> None:
        """Close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    def pool_state(self) -> PoolState:
        """Return the state of the pool."""
        idle, in_use = (self._pool.idle, self._pool.in_use) if self._pool else (0, 0)
        return PoolState(idle=idle, in_use=in_use, limit=self._limits.max_connections)

    async def get(self, key: str) -> bytes | None:
        """Return the value of *key*; None without one. Raises RedisError."""
        value: bytes | None = await self._execute("GET", key)
        return value

    async def set(self, key: str, value: Value, *, ttl_ms: int | None = None, only_if_absent: bool = False) -> bool:
        """Store *value*; return whether it was stored. Raises RedisError."""
        lifetime = () if ttl_ms is None else ("PX", ttl_ms)
        condition = ("NX",) if only_if_absent else ()
        reply = await self._execute("SET", key, value, *lifetime, *condition, may_repeat=not only_if_absent)
        return reply is not None

    async def delete(self, key: str) -> None:
        """Delete *key*, if it exists. Raises RedisError."""
        await self._execute("DEL", key)

    async def run_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Value], *, is_patient: bool = False
    ) -> Any:
        """Return the answer of *script*, for which a patient caller waits. Raises RedisError."""
        values = (len(keys), *keys, *arguments)
        try:
            return await self._execute(
                "EVALSHA", script.sha1, *values, may_repeat=script.is_idempotent, is_patient=is_patient
            )
        except RedisError as error:
            if error.failure != "rejected" or not str(error).startswith(_UNKNOWN_SCRIPT):
                raise
        return await self._execute("EVAL", script.text, *values, may_repeat=script.is_idempotent, is_patient=is_patient)

    async def publish(self, channel: str, payload: Value) -> None:
        """Send *payload* to the present subscribers of *channel*. Raises RedisError."""
        await self._execute("PUBLISH", channel, payload, may_repeat=False)

    def subscribe(self, channel: str) -> AsyncGenerator[bytes | None]:
        """Yield None once subscribed to *channel*, then its messages.

        Raises RedisError at the loss of the connection, which is none of the pool.
        """
        return self._open().messages(channel)

    async def _execute(self, *command: Value, may_repeat: bool = True, is_patient: bool = False) -> Any:
        """Return the answer to *command*.

        Repeats it only if the caller's deadline leaves time for an answer. A patient caller finds out by itself if
        Redis is away, so the circuit breaker does not reject its command. Raises RedisError.
        """
        availability = self.availability
        availability.retries.count_request()
        for left in range(self._limits.retries or 0 if may_repeat else 0, -1, -1):
            try:
                with availability.attempt() if is_patient else availability.request():
                    return await self._open().execute(command, is_patient=is_patient)
            except RedisError as error:
                if not left or not self._may_repeat(error):
                    raise
                _LOG.debug("repeating %s: %s", command[0], error)
        raise AssertionError("the last attempt returns or raises")

    def _may_repeat(self, error: RedisError) -> bool:
        """Return whether a command that failed with *error* may be sent again."""
        left_s = time_left(self._clock)
        has_time = left_s is None or left_s > self._limits.timeout_s
        is_transient = error.failure in _TRANSIENT and not error.is_rejected
        return is_transient and has_time and self.availability.retries.take()

    def _open(self) -> ConnectionPool:
        """Return the pool, created at the first command. Raises RedisError for an invalid URL."""
        if self._pool is None:
            from toolaccord.sources.redis.connections import ConnectionPool  # noqa: PLC0415 - redis-py takes 110 ms to load

            self._pool = ConnectionPool(self._url, self._limits)
        return self._pool
