"""Idempotent calls: Redis holds a marker of each running call, and then its result.

A key's value is `running <fingerprint> <token>`, or `result <fingerprint> <digest> <JSON>`. The token is the running
call's own. The digest is that of the name and the JSON, so a damaged or foreign result is never an answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import blake2b, sha256
from typing import NamedTuple

from toolaccord.errors import IdempotencyConflict
from toolaccord.handler import IdempotencyKey
from toolaccord.sources.redis.api import Redis, RedisError, Script
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.timing.clock import Clock, sleep

_LOG = logging.getLogger(__name__)
_PUT = Script(
    """
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return found end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return false
""",
    is_idempotent=True,
)
"""Stores ARGV[2] for ARGV[3] ms where there is nothing or the marker ARGV[1].

Any other value stays and is returned: that of another call, or ARGV[2] if the script is repeated. A result is stored
even if its marker has expired: without it, the next call would act again.
"""
_RELEASE = Script(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end",
    is_idempotent=True,
)
"""Deletes the marker ARGV[1]."""
_RENEW = Script(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end",
    is_idempotent=True,
)
"""Lets the marker ARGV[1] live for ARGV[2] ms from now on."""
_VALUE = re.compile(rb"(?s)(?:running ([0-9a-f]{64}) [0-9a-f]{32}|result ([0-9a-f]{64}) ([0-9a-f]{32}) (.+))")
"""Form of a value: the fingerprint of a running call, or of a result, its digest and JSON."""
_RENEWALS = 3
"""Renewals of a marker in its life."""
_MARGIN_MS = 1000
"""Milliseconds for which a marker outlives the deadline of its call.

The cancelled handler may still clean up meanwhile.
"""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.1
"""Seconds between two looks at the marker of another call; each pause is twice as long."""


class OnceResult(NamedTuple):
    """The result of a call that is executed once."""

    value: bytes
    """The result as JSON."""
    is_replayed: bool
    """True if an earlier call stored it."""


class _Found(NamedTuple):
    """The value of a key."""

    fingerprint: str
    result: bytes | None
    """The result as JSON; None while its call runs."""


class KeyStore:
    """Stores the idempotency keys of one tool."""

    def __init__(
        self,
        redis: Redis,
        clock: Clock,
        *,
        server: str,
        marker_ms: int,
        renews: bool,
        guard: SharedStore | None = None,
    ) -> None:
        """A running call has its key for *marker_ms*, and longer if it *renews* that.

        So does a call that asks a person, or is a task: nobody knows how long it runs.

        With a *guard* of *redis*, calls go on without their keys while Redis is away: JetStream drops what they repeat.
        """
        self._redis = redis
        self._guard = guard
        self._clock = clock
        self._server = server
        self._marker_ms = marker_ms + _MARGIN_MS
        self._renews = renews

    async def once(self, key: IdempotencyKey, run: Callable[[], Awaitable[bytes]]) -> OnceResult:
        """Return the result stored under *key*; without one, await *run* and store its result.

        While another call runs under the key, wait for it; the caller has a deadline. If *run* raises, the key is
        released. If the caller is cancelled, the key releases itself after the tool's deadline.

        Raises IdempotencyConflict for a key that came with other arguments, and what *run* raises. Raises RedisError
        for a damaged value of the key, and if Redis fails and has no guard; then *run* was not called, or its result
        may not be stored.
        """
        name, marker = self._name(key), f"running {key.fingerprint} {secrets.token_hex(16)}".encode()
        try:
            stored = await self._claim(key, name, marker)
        except SharedStoreUnavailable:
            return OnceResult(await run(), is_replayed=False)
        if stored is not None:
            return OnceResult(stored, is_replayed=True)
        renewing = asyncio.create_task(self._renew(name, marker)) if self._renews else None
        try:
            result = await run()
        except Exception:
            await self._release(name, marker)
            raise
        finally:
            if renewing:
                renewing.cancel()
        try:
            return await self._store(key, name, marker, result)
        except SharedStoreUnavailable:
            return OnceResult(result, is_replayed=False)

    async def _claim(self, key: IdempotencyKey, name: str, marker: bytes) -> bytes | None:
        """Return the stored result of *key*; None once *marker* holds it. Raises as `once` does."""
        pause_s = _FIRST_PAUSE_S
        while (value := await self._put(name, marker, marker, self._marker_ms)) is not None:
            found = _read(name, value)
            if found.fingerprint != key.fingerprint:
                raise IdempotencyConflict(key.key)
            if found.result is not None:
                return found.result
            await sleep(self._clock, pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return None

    async def _store(self, key: IdempotencyKey, name: str, marker: bytes, result: bytes) -> OnceResult:
        """Store *result* and return it; if another call has stored its own, return that.

        Raises RedisError if Redis fails, or if another call runs under the key.
        """
        value = b"result %s %s %s" % (key.fingerprint.encode(), _digest(name, result), result)
        other = await self._put(name, marker, value, key.window_s * 1000)
        if other is None:
            return OnceResult(result, is_replayed=False)
        found = _read(name, other)
        if found.fingerprint != key.fingerprint or found.result is None:
            raise _rejected(f"another call has taken over {name}; look whether calls of {key.tool} exceed deadlines")
        return OnceResult(found.result, is_replayed=True)

    async def _put(self, name: str, marker: bytes, value: bytes, ttl_ms: int) -> bytes | None:
        """Store *value*, or return the value of another call.

        Raises RedisError, or SharedStoreUnavailable with a guard.
        """
        put = partial(self._redis.run_script, _PUT, [name], [marker, value, ttl_ms])
        found: bytes | None = await (self._guard.run(put, writes=True) if self._guard else put())
        return found

    async def _renew(self, name: str, marker: bytes) -> None:
        """Renew *marker* again and again: nobody knows how long a person takes to answer."""
        while True:
            await sleep(self._clock, self._marker_ms / 1000 / _RENEWALS)
            try:
                await self._redis.run_script(_RENEW, [name], [marker, self._marker_ms])
            except RedisError as error:
                _LOG.warning("a running call could not renew its idempotency key: %s", error)

    async def _release(self, name: str, marker: bytes) -> None:
        try:
            await self._redis.run_script(_RELEASE, [name], [marker])
        except RedisError as error:
            _LOG.warning("a failed call could not release its idempotency key, which will expire: %s", error)

    def _name(self, key: IdempotencyKey) -> str:
        """Return the name of *key* in Redis, which holds no text of the caller."""
        digest = sha256(json.dumps([key.caller, key.key]).encode()).hexdigest()
        return f"toolaccord:idempotency:{self._server}:{key.tool}:{digest}"


def _read(name: str, value: bytes) -> _Found:
    """Return the *value* of the key *name*.

    Raises RedisError for a damaged one, because its call may have acted.
    """
    parts = _VALUE.fullmatch(value)
    if parts is None or (parts[4] and parts[3] != _digest(name, parts[4])):
        raise _rejected(f"{name} has a damaged value; its call may have acted, so delete it once you know")
    return _Found((parts[1] or parts[2]).decode(), parts[4])


def _digest(name: str, result: bytes) -> bytes:
    return blake2b(result, digest_size=16, key=sha256(name.encode()).digest()).hexdigest().encode()


def _rejected(reason: str) -> RedisError:
    return RedisError(reason, failure="rejected", reason=reason)
