"""Values that agents share, in Redis: strings of JSON, with hashes of metadata beside them.

Any program may read a value with GET, and store one with SETEX. The hash holds a digest of the value that it describes,
so nobody sees a value with the metadata of another. Times are those of Redis's clock, which all servers share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from toolaccord import SourceError
from toolaccord.sources.redis import Redis, Script

MAX_BYTES = 1_048_576
"""Largest size of a value's JSON in bytes."""

_NOW = """
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
"""
WRITE = Script(
    _NOW
    + """
local is_new = redis.call('EXISTS', KEYS[1]) == 0
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if is_new then redis.call('DEL', KEYS[2]) end
redis.call('HSETNX', KEYS[2], 'created_ms', now)
redis.call('HSET', KEYS[2], 'digest', redis.sha1hex(ARGV[1]), 'updated_ms', now)
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return now
""",
    is_idempotent=True,
)
"""Stores ARGV[1] for ARGV[2] ms, and returns the time in ms since 1970.

A full Redis rejects all of it, because SET comes before the other writes. A repeated write replaces what another caller
has written in between, as the write of a caller does who repeats a failed call.
"""

READ = Script(
    _NOW
    + """
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return false elseif kind ~= 'string' then return kind end
local size = redis.call('STRLEN', KEYS[1])
if size > tonumber(ARGV[1]) then return size end
local json, ttl = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
local digest = redis.sha1hex(json)
local stored = redis.call('HMGET', KEYS[2], 'digest', 'created_ms', 'updated_ms', 'reads')
local created, updated, reads = stored[2] or now, stored[3], tonumber(stored[4] or 0)
if stored[1] ~= digest then
    updated = now
    redis.pcall('HSET', KEYS[2], 'digest', digest, 'created_ms', created, 'updated_ms', updated)
end
local counted = redis.pcall('HINCRBY', KEYS[2], 'reads', 1)
redis.pcall('PEXPIRE', KEYS[2], ttl < 0 and ARGV[2] or ttl)
return {json, created, updated, type(counted) == 'table' and reads or counted, ttl}
""",
    is_idempotent=True,
    only_reads=True,
)
"""Counts a read; returns the value, its metadata and its time to live in ms.

Instead of them, it returns the type of a key that is no string, or the size of a value above ARGV[1] bytes. A value
that another program stored has the time of its first read; without an end its metadata live ARGV[2] ms from the last
one. A full Redis and a replica answer without counting. A repeated read may be counted twice.
"""
_DAY_MS = 86_400_000


class ForeignState(Exception):
    """A key holds no shared state, but what another program stored; the text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedValue:
    """A stored value."""

    json: bytes
    """The value as it was stored, perhaps no JSON."""
    created_at: datetime
    """Time of the first of the values that replaced each other."""
    updated_at: datetime
    """Time at which this value was stored, or was first read if another program stored it."""
    ttl_s: int
    """Seconds until the value expires, rounded up; -1 if it never does."""
    reads: int
    """Number of reads since *created_at*, this one included."""


async def write(redis: Redis, corr_id: str, key: str, json: bytes, ttl_s: int) -> datetime:
    """Store *json* for *ttl_s* seconds, and return the time at which it expires.

    Raises RedisError. After a timeout, the value may be stored.
    """
    stored_ms = await redis.run_script(WRITE, _names(corr_id, key), [json, ttl_s * 1000])
    return _time(stored_ms) + timedelta(seconds=ttl_s)


async def read(redis: Redis, corr_id: str, key: str) -> SharedValue | None:
    """Return the value of *key*, or None without one.

    Raises ForeignState for a key of another type or a value above `MAX_BYTES`, and SourceError.
    """
    names = _names(corr_id, key)
    stored = await redis.run_script(READ, names, [MAX_BYTES, _DAY_MS])
    if isinstance(stored, bytes):
        raise ForeignState(f"a {stored.decode()} instead of a string")
    if isinstance(stored, int):
        raise ForeignState(f"{stored} bytes; at most {MAX_BYTES} can be read")
    try:
        return None if stored is None else _parse(stored)
    except (TypeError, ValueError, OverflowError) as error:
        raise SourceError(f"{names[1]} holds no metadata: {error}") from error


def _parse(stored: Sequence[Any]) -> SharedValue:
    json, created_ms, updated_ms, reads, ttl_ms = stored
    return SharedValue(
        json=json,
        created_at=_time(created_ms),
        updated_at=_time(updated_ms),
        ttl_s=-1 if ttl_ms < 0 else -(-ttl_ms // 1000),
        reads=reads,
    )


def _names(corr_id: str, key: str) -> tuple[str, str]:
    """Return the names of value and metadata in Redis, which one node of a cluster has.

    Neither part holds a colon.
    """
    name = f"shared:{corr_id}:{key}"
    return name, f"metadata:{{{name}}}"


def _time(milliseconds: bytes) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(milliseconds))
