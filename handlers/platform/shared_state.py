"""Values that agents share, in Redis: one hash a value, which scripts read and write whole.

A hash holds the JSON of the value and its metadata, so no reader sees one without the other. Times are those of Redis's
clock, which all servers share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from toolpact import SourceError
from toolpact.sources.redis import Redis, Script

WRITE = Script(
    """
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
local created = redis.call('HGET', KEYS[1], 'created_ms') or now
redis.call('HSET', KEYS[1], 'json', ARGV[1], 'created_ms', created, 'updated_ms', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return now
""",
    is_idempotent=True,
)
"""Stores ARGV[1] for ARGV[2] ms, and returns the time in ms since 1970.

A full Redis rejects all of it. A repeated write replaces what another caller has written in between, as the write of a
caller does who repeats a failed call.
"""

READ = Script(
    """
local stored = redis.call('HMGET', KEYS[1], 'json', 'created_ms', 'updated_ms', 'reads')
if not stored[1] then
    return false
end
local reads = redis.pcall('HINCRBY', KEYS[1], 'reads', 1)
if type(reads) == 'table' then
    reads = tonumber(stored[4] or 0)
end
return {stored[1], stored[2], stored[3], reads, redis.call('PTTL', KEYS[1])}
""",
    is_idempotent=True,
)
"""Counts a read, and returns the hash and its time to live in ms.

A full Redis and a replica answer without counting. A repeated read may be counted twice.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedValue:
    """A stored value."""

    json: bytes
    """The value as it was stored."""
    created_at: datetime
    """Time of the first of the values that replaced each other."""
    updated_at: datetime
    """Time at which this value was stored."""
    ttl_s: int
    """Seconds until the value expires, rounded up; -1 if it never does."""
    reads: int
    """Number of reads since *created_at*, this one included."""


async def write(redis: Redis, corr_id: str, key: str, json: bytes, ttl_s: int) -> datetime:
    """Store *json* for *ttl_s* seconds, and return the time at which it expires.

    Raises RedisError. After a timeout, the value may be stored.
    """
    stored_ms = await redis.run_script(WRITE, [_name(corr_id, key)], [json, ttl_s * 1000])
    return _time(stored_ms) + timedelta(seconds=ttl_s)


async def read(redis: Redis, corr_id: str, key: str) -> SharedValue | None:
    """Return the value of *key*, or None without one.

    Raises SourceError, also for a hash that `write` has not stored.
    """
    stored = await redis.run_script(READ, [_name(corr_id, key)], [])
    try:
        return None if stored is None else _parse(stored)
    except (TypeError, ValueError, OverflowError) as error:
        raise SourceError(f"{_name(corr_id, key)} holds no shared state: {error}") from error


def _parse(stored: Sequence[Any]) -> SharedValue:
    json, created_ms, updated_ms, reads, ttl_ms = stored
    return SharedValue(
        json=json,
        created_at=_time(created_ms),
        updated_at=_time(updated_ms),
        ttl_s=-1 if ttl_ms < 0 else -(-ttl_ms // 1000),
        reads=reads,
    )


def _name(corr_id: str, key: str) -> str:
    """Return the name in Redis; neither part holds a colon."""
    return f"shared:{corr_id}:{key}"


def _time(milliseconds: bytes) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(milliseconds))
