"""Results that clients share in a Redis, which they can do without."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from toolaccord.sources.redis import RedisLimits, Script, Value
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.timing.clock import Clock

_LIMITS = RedisLimits(name="of the client's cache", max_connections=10, connection_timeout_s=0.5, timeout_s=0.5)
_MAX_VALUE_BYTES = 1 << 20
"""Largest answer that is stored; a larger one would keep other commands of Redis waiting."""
_VALUE = re.compile(rb"(\d{1,19}) (.*)", re.DOTALL)
"""A stored value: the time of receipt by Redis's clock, in ms, and the text of the answer."""
_NOW = "local clock = redis.call('TIME')\nlocal now = clock[1] * 1000 + math.floor(clock[2] / 1000)\n"
_LOOK_UP = Script(
    f"""{_NOW}
local value = redis.pcall('GET', KEYS[1])
return {{string.format('%.0f', now), type(value) == 'string' and value or false}}
""",
    is_idempotent=True,
)
"""Returns the time in milliseconds and the value; nothing for a key of another type."""
_STORE = Script(
    f"""{_NOW}
local left = ARGV[1] + ARGV[3] - now
if left > 0 then redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', left) end
""",
    is_idempotent=True,
)
"""Stores the answer ARGV[2], received at ARGV[1] ms, until ARGV[3] ms later."""


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
        self._store = SharedStore("of the client's cache", clock)
        self._clock = clock

    async def look_up(self, key: str) -> LookUp | None:
        """Return the state of *key*; None if Redis is unavailable."""
        try:
            redis_ms, value = await self._store.run(partial(self._redis.run_script, _LOOK_UP, [key], []))
        except SharedStoreUnavailable:
            return None
        found = _VALUE.fullmatch(value or b"")
        age_ms = int(redis_ms) - int(found[1]) if found else -1
        answer = found[2] if found and age_ms >= 0 else None  # of the future, if Redis's clock was set back
        return LookUp(int(redis_ms), self._clock.monotonic(), answer, age_ms / 1000)

    async def store(self, key: str, found: LookUp, answer: bytes, lifetime_s: float) -> None:
        """Store *answer*, received just now after the look-up *found*; without Redis, do nothing."""
        if len(answer) > _MAX_VALUE_BYTES:
            return
        call_ms = math.floor((self._clock.monotonic() - found.received_at) * 1000)
        arguments: list[Value] = [found.redis_ms + call_ms, answer, math.floor(lifetime_s * 1000)]
        with suppress(SharedStoreUnavailable):
            await self._store.run(partial(self._redis.run_script, _STORE, [key], arguments), writes=True)

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.close()
