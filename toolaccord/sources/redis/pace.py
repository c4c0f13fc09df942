"""The pace towards a service outside, which replicas share in Redis."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from toolaccord.sources import SourceDeclaration
from toolaccord.sources.redis.api import Redis, Script
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import time_left

_TAKE = Script("""
local clock = redis.call('TIME')
local now, calls, window = clock[1] * 1000000 + clock[2], tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4] / 1000)
local replicas = redis.call('ZCARD', KEYS[2])
if redis.call('LLEN', KEYS[1]) >= calls then
    local age = now - redis.call('LINDEX', KEYS[1], -calls)
    if age >= 0 and age < window then return {window - age, replicas} end
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
while redis.call('LLEN', KEYS[1]) > calls do
    local age = now - redis.call('LINDEX', KEYS[1], 0)
    if age >= 0 and age < 1000000 then break end
    redis.call('LPOP', KEYS[1])
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 3600000)
return {0, replicas}
""")
"""Takes a slot, and counts the replicas that took or wanted one.

The list KEYS[1] has the last starts, of which ARGV[1] are allowed in ARGV[2] microseconds. It keeps more than these,
since another replica may have another pace: those of a second, and the last one for an hour at least. A longer window
has one start. The set KEYS[2] has the replicas of the last ARGV[4] microseconds, this one as ARGV[3]. Returns the
microseconds until a slot may be free, or 0 for a slot, and the number of replicas. All times are those of Redis's
clock.
"""
_MICROSECONDS = 1_000_000
_PORTS = {"http": 80, "https": 443}
_REPLICA_US = 60 * _MICROSECONDS
"""Time after which a replica that wants nothing does not count."""


class SharedPace:
    """Slots for requests to one service, which all replicas take.

    At most *calls* start in any *window_s* seconds, also of replicas that have another pace. While Redis is away, each
    replica keeps to its part: the pace divided by the replicas that were there last.
    """

    def __init__(
        self, store: SharedStore, redis: Redis, service: str, calls: int, window_s: float, clock: Clock
    ) -> None:
        self._store = store
        self._redis = redis
        self._keys = [f"toolaccord:pace:{{{service}}}:{part}" for part in ("starts", "replicas")]
        replica = f"{os.getpid()}.{secrets.token_hex(8)}"
        self._arguments: list[str | int] = [calls, round(window_s * _MICROSECONDS), replica, _REPLICA_US]
        self._interval_s = window_s / calls
        self._replicas = 1
        self._clock = clock
        self._taken_at = float("-inf")
        """Time of the last slot, from Redis or alone.

        Replicas that lose Redis at the same time then do not start at the same time.
        """

    async def take_slot(self) -> float:
        """Take a slot and return 0, or the seconds until one may be free. Raises DeadlineExceeded."""
        has_deadline = time_left(self._clock) is not None  # others wait behind one without, such as of `lifespan`
        run = partial(self._redis.run_script, _TAKE, self._keys, self._arguments, is_patient=has_deadline)
        try:
            wait_us, self._replicas = await self._store.run(run, writes=True, must_count=True)
        except SharedStoreUnavailable:
            return self._take_alone()
        if not wait_us:
            self._taken_at = self._clock.monotonic()
        return float(wait_us) / _MICROSECONDS

    def _take_alone(self) -> float:
        """Take a slot of this replica's part."""
        now = self._clock.monotonic()
        wait_s = self._taken_at + self._interval_s * self._replicas - now
        if wait_s > 0:
            return wait_s
        self._taken_at = now
        return 0.0


def share_paces(
    declared: Iterable[SourceDeclaration],
    sources: Mapping[str, Any],
    stores: Mapping[str, SharedStore],
    settings: Mapping[str, Any],
    clock: Clock,
) -> None:
    """Let the *declared* sources with a store share their paces in it, by their hosts."""
    for source in declared:
        store, pace = getattr(source, "store", None), getattr(sources[source.name], "pace", None)
        if source.kind == "http" and store and pace:
            service = _name_service(str(settings[source.url]))  # type: ignore[attr-defined] # of HttpSource
            shared = SharedPace(stores[store], sources[store], service, pace.burst, pace.window_s, clock)
            pace.share(shared.take_slot)


def _name_service(url: str) -> str:
    """Return host and port of a URL, alike for all ways to write them; empty for no URL."""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname}:{parts.port or _PORTS.get(parts.scheme)}"
    except ValueError:
        return ""
