"""Results that clients share in a Redis, which they can do without."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from toolaccord.sources.redis import RedisSource, Script, Value
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.sources.redis.stored_results import MAX_VALUE_BYTES, READ, decode, encode
from toolaccord.timing.clock import Clock

_LIMITS = RedisSource(name="of the client's cache", url="", max_connections=10, connection_timeout_s=0.5, timeout_s=0.5)
_STORE = Script("redis.call('SET', KEYS[1], ARGV[1], 'PXAT', ARGV[2])", is_idempotent=True)
"""Stores the value ARGV[1] until ARGV[2] ms; not at all if that has passed."""


class LookUp(NamedTuple):
    """State of one key in Redis."""

    redis_ms: int
    """Time of the look-up by Redis's clock, in milliseconds."""
    received_at: float
    """Time after the look-up, in seconds of the own clock's monotonic time."""
    answer: bytes | None
    """Text of an answer; None without one."""
    age_s: float
    """Seconds since a client received the answer; of no meaning without one."""


class SharedResults:
    """Answers in one Redis, with their ages by its clock.

    So the clocks of clients need not agree. Redis's time of the look-up before a call, and the duration of the call,
    give the time of receipt. So an answer that a frozen Redis stores late does not count as new.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._redis = RedisClient(_LIMITS, url, clock)
        self._store = SharedStore("of the client's cache", self._redis, clock)
        self._clock = clock

    async def look_up(self, key: str) -> LookUp | None:
        """Return the state of *key*; None if Redis is unavailable."""
        try:
            value, remaining_ms, redis_ms = await self._store.run(partial(self._redis.run_script, READ, [key], []))
        except SharedStoreUnavailable:
            return None
        stored = decode(key, value, remaining_ms)
        if stored is None or stored.age_ms < 0:  # of the future, if Redis's clock was set back
            return LookUp(int(redis_ms), self._clock.monotonic(), None, 0)
        return LookUp(int(redis_ms), self._clock.monotonic(), stored.value, stored.age_ms / 1000)

    async def store(self, key: str, found: LookUp, answer: bytes, lifetime_s: float) -> None:
        """Store *answer*, received just now after the look-up *found*; without Redis, do nothing."""
        if len(answer) > MAX_VALUE_BYTES:
            return
        call_ms = math.floor((self._clock.monotonic() - found.received_at) * 1000)
        lifetime_ms = math.floor(lifetime_s * 1000)
        arguments: list[Value] = [encode(key, answer, lifetime_ms), found.redis_ms + call_ms + lifetime_ms]
        with suppress(SharedStoreUnavailable):
            await self._store.run(partial(self._redis.run_script, _STORE, [key], arguments), writes=True)

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.close()
