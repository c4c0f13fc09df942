"""Results that processes share in a Redis: their format, and the script that reads one."""

from __future__ import annotations

from hashlib import blake2b, sha256
from typing import NamedTuple

from toolaccord.sources.redis.api import Script

READ = Script(
    """
local clock = redis.call('TIME')
local now = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'string' then return {false, 0, now} end
return {value, redis.call('PTTL', KEYS[1]), now}
""",
    is_idempotent=True,
)
"""Returns a value, its remaining milliseconds, and the time in milliseconds.

The value of a key of another type is missing.
"""
MAX_VALUE_BYTES = 1 << 20
"""Largest result that is stored; a larger one would keep other commands of Redis waiting."""
_FORMAT = b"2"
"""Format of stored values: this byte, a digest of 16 bytes, the lifetime, the result."""
_DIGEST_BYTES, _LIFETIME_BYTES = 16, 8
_HEAD_BYTES = 1 + _DIGEST_BYTES


class StoredResult(NamedTuple):
    """A result in Redis, with its times by Redis's clock alone."""

    value: bytes
    remaining_ms: int
    """Milliseconds until it expires, above 0."""
    age_ms: int
    """Milliseconds since it was received; below 0 if Redis's clock was set back."""


def encode(key: str, result: bytes, lifetime_ms: int) -> bytes:
    """Return *result* as it is stored under *key*.

    It expires *lifetime_ms* milliseconds after it was received.
    """
    body = lifetime_ms.to_bytes(_LIFETIME_BYTES) + result
    return _FORMAT + _digest(key, body) + body


def decode(key: str, value: bytes | None, remaining_ms: int) -> StoredResult | None:
    """Return the result in a stored *value*; None if it is damaged, expired, or from elsewhere."""
    if value is None or remaining_ms <= 0:
        return None
    digest, body = value[1:_HEAD_BYTES], value[_HEAD_BYTES:]
    if value[:1] != _FORMAT or len(body) < _LIFETIME_BYTES or digest != _digest(key, body):
        return None
    lifetime_ms = int.from_bytes(body[:_LIFETIME_BYTES])
    return StoredResult(body[_LIFETIME_BYTES:], remaining_ms, lifetime_ms - remaining_ms)


def _digest(key: str, body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGEST_BYTES, key=sha256(key.encode()).digest()).digest()
