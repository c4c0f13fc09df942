"""The level of a cache that replicas share: one loads a result, and the others wait for it.

A replica takes a lease before it loads, and stores the result only while it holds the lease. A fresh load takes the
lease over, so an older one cannot replace its result. Lease and result expire by Redis's clock alone.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from toolaccord.call.cache import Loaded
from toolaccord.call.instrumentation import Instrumentation
from toolaccord.declarations.tool import AnyTool, Server
from toolaccord.sources.redis import Redis, Script, Value
from toolaccord.sources.redis.shared_store import SharedStore, SharedStoreUnavailable
from toolaccord.sources.redis.stored_results import MAX_VALUE_BYTES, READ, decode, encode
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left

FIND = Script(
    """
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'string' then return {value, redis.call('PTTL', KEYS[1])} end
local lease = redis.pcall('GET', KEYS[2])
if not lease then
    redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
    lease = ARGV[1]
end
return lease == ARGV[1] and 1 or 0
""",
    is_idempotent=True,
)
"""Returns a value and its remaining milliseconds.

Without a value, returns 1 if the lease KEYS[2] is ARGV[1], and else 0. A lease that nobody has is taken for ARGV[2] ms.
"""
STORE = Script(
    """
if redis.pcall('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local ttl = redis.call('PTTL', KEYS[2]) + ARGV[3]
local stored = ttl > 0 and redis.pcall('SET', KEYS[1], ARGV[2], 'PX', ttl) or 0
redis.call('DEL', KEYS[2])
return stored
""",
    is_idempotent=True,
)
"""Stores the value ARGV[2] if the lease is ARGV[1], and releases it.

The value lives ARGV[3] ms longer than the lease would have. A frozen Redis may run this late: then the lease has less
time left, or none, and the value lives shorter by as much.
"""
RELEASE = Script(
    "if redis.pcall('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end",
    is_idempotent=True,
)
"""Releases the lease ARGV[1]."""
_CLOCK_STEP_MS = 1
"""Steps of Redis's clock in milliseconds, by which a remaining time may be too long."""
_SHARE_OF_TIME = 0.5
"""Part of a call's remaining time for which it waits for another replica's load."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _GROWTH = 0.002, 0.1, 1.5
"""Seconds between two looks at another replica's load, and the growth of the pause."""


class _Lease(NamedTuple):
    """The right to load and store one result."""

    key: str
    """Key of the result."""
    token: str
    """Text that only this load knows."""
    taken_at: float
    """Time after Redis granted it, in seconds of the clock's monotonic time."""

    @property
    def name(self) -> str:
        """Key of the lease."""
        return _lease_name(self.key)


class SharedCache:
    """The shared results of one tool."""

    def __init__(
        self,
        server: str,
        tool: AnyTool,
        store: SharedStore,
        redis: Redis,
        clock: Clock,
        on_lookup: Callable[[bool], None],
    ) -> None:
        """*on_lookup* learns of each lookup if it found a result, while Redis is available."""
        self._prefix = f"toolaccord:cache:{server}:{tool.name}:{tool.version}:{_schema_digest(tool)}"
        self._store = store
        self._redis = redis
        self._clock = clock
        self._on_lookup = on_lookup
        self._lease_ms = tool.timeout_ms
        memory_ttl_s = tool.cache.memory_ttl_s if tool.cache else None
        self._memory_ttl_s = math.inf if memory_ttl_s is None else memory_ttl_s

    async def get_or_load(self, key: bytes, load: Callable[[], Awaitable[Loaded]], *, fresh: bool) -> Loaded:
        """Return the shared result of *key*; without one, load it and share it.

        A *fresh* result is always loaded, and replaces the shared one. The caller has a deadline of at most the tool's
        timeout. Raises what *load* raises.
        """
        found = await self._find_or_lease(f"{self._prefix}:{sha256(key).hexdigest()}", fresh=fresh)
        if found is None:
            return self._in_memory_only(await load(), self._clock.monotonic())
        self._on_lookup(isinstance(found, Loaded))
        if isinstance(found, Loaded):
            return found
        try:
            loaded = await load()
        except BaseException:
            await self._release(found)
            raise
        return await self._share(found, loaded)

    async def _find_or_lease(self, key: str, *, fresh: bool) -> Loaded | _Lease | None:
        """Return the shared result, or a lease for loading it, or None if Redis is unavailable."""
        try:
            return await (self._lease(key, take_over=True) if fresh else self._wait_for_turn(key))
        except SharedStoreUnavailable:
            return None

    async def _wait_for_turn(self, key: str) -> Loaded | _Lease:
        """Return the shared result once there is one, or a lease once nobody has it.

        A replica that takes too long loses its lease: half of the call's time must remain for a load of its own.
        Raises SharedStoreUnavailable.
        """
        now = self._clock.monotonic()
        give_up_at = now + (time_left(self._clock) or 0) * _SHARE_OF_TIME
        pause_s = _FIRST_PAUSE_S
        while (found := await self._find(key)) is None:
            now = self._clock.monotonic()
            if now >= give_up_at and (found := await self._lease_and_read(key, take_over=True)):
                return found
            await sleep(self._clock, min(pause_s, give_up_at - now))
            pause_s = min(pause_s * _GROWTH, _LONGEST_PAUSE_S)
        return found

    async def _find(self, key: str) -> Loaded | _Lease | None:
        """Return the shared result of *key*, or a lease; None if another replica has the lease.

        One round trip looks and takes, unless Redis only answers reads. Raises SharedStoreUnavailable.
        """
        if self._store.state == "read_only":
            return await self._read(key) or await self._lease_and_read(key)
        token, sent_at = secrets.token_hex(16), self._clock.monotonic()
        command = partial(self._redis.run_script, FIND, [key, _lease_name(key)], [token, self._lease_ms])
        answer = await self._store.run(command, writes=True)
        if not isinstance(answer, int):
            return self._loaded(key, answer, sent_at) or await self._lease_and_read(key)
        return _Lease(key, token, self._clock.monotonic()) if answer else None

    async def _lease_and_read(self, key: str, *, take_over: bool = False) -> Loaded | _Lease | None:
        """Return a lease on *key*, or a result that was stored just before it.

        Return None if another replica has the lease. Raises SharedStoreUnavailable.
        """
        lease = await self._lease(key, take_over=take_over)
        return lease and (await self._read_again(lease) or lease)

    async def _read_again(self, lease: _Lease) -> Loaded | None:
        """Return a result that was stored just before *lease* was taken, and release that."""
        found = await self._read(lease.key)
        if found is not None:
            await self._release(lease)
        return found

    async def _read(self, key: str) -> Loaded | None:
        """Return the shared result of *key*. Raises SharedStoreUnavailable."""
        sent_at = self._clock.monotonic()
        value, remaining_ms, _ = await self._store.run(partial(self._redis.run_script, READ, [key], []))
        return self._loaded(key, (value, remaining_ms), sent_at)

    def _loaded(self, key: str, answer: tuple[bytes | None, int], sent_at: float) -> Loaded | None:
        """Return the result in an *answer* of Redis.

        Return None if it is damaged, foreign or too old.
        """
        stored = decode(key, *answer)
        if stored is None:
            return None
        ttl_s = (stored.remaining_ms - _CLOCK_STEP_MS) / 1000 - (self._clock.monotonic() - sent_at)
        return Loaded(stored.value, ttl_s, memory_ttl_s=self._memory_ttl_s, is_cached=True) if ttl_s > 0 else None

    async def _lease(self, key: str, *, take_over: bool) -> _Lease | None:
        """Return a lease on *key*; None if another replica has it. Raises SharedStoreUnavailable."""
        token = secrets.token_hex(16)
        command = partial(self._redis.set, _lease_name(key), token, ttl_ms=self._lease_ms, only_if_absent=not take_over)
        is_taken = await self._store.run(command, writes=True)
        return _Lease(key, token, self._clock.monotonic()) if is_taken else None

    async def _share(self, lease: _Lease, loaded: Loaded) -> Loaded:
        """Return a loaded result, stored for all replicas unless *lease* was taken over."""
        loaded_at = self._clock.monotonic()
        if not 0 < len(loaded.value) <= MAX_VALUE_BYTES:
            await self._release(lease)
            return self._in_memory_only(loaded, loaded_at)
        value = encode(lease.key, loaded.value, math.floor(loaded.ttl_s * 1000))
        beyond_lease_ms = (
            math.floor((loaded.ttl_s + loaded_at - lease.taken_at) * 1000) - self._lease_ms - _CLOCK_STEP_MS
        )
        arguments: list[Value] = [lease.token, value, beyond_lease_ms]
        command = partial(self._redis.run_script, STORE, [lease.key, lease.name], arguments)
        try:
            is_shared = await self._store.run(command, writes=True)
        except SharedStoreUnavailable:
            is_shared = False
        if not is_shared:
            return self._in_memory_only(loaded, loaded_at)
        left_s = loaded.ttl_s - (self._clock.monotonic() - loaded_at)
        return Loaded(loaded.value, left_s, memory_ttl_s=self._memory_ttl_s)

    async def _release(self, lease: _Lease) -> None:
        """Release *lease* unless it was taken over; if Redis is unavailable, it expires."""
        with suppress(SharedStoreUnavailable):
            command = partial(self._redis.run_script, RELEASE, [lease.name], [lease.token])
            await self._store.run(command, writes=True)

    def _in_memory_only(self, loaded: Loaded, loaded_at: float) -> Loaded:
        """Return a result that is cached in memory alone, as long as a copy would be."""
        left_s = loaded.ttl_s - (self._clock.monotonic() - loaded_at)
        return Loaded(loaded.value, min(left_s, self._memory_ttl_s))


def open_shared_caches(
    server: Server[Any],
    sources: Mapping[str, Any],
    stores: Mapping[str, SharedStore],
    clock: Clock,
    instrumentation: Instrumentation,
) -> Mapping[str, SharedCache]:
    """Return the shared cache of each tool whose contract names a store, by the tool's name."""

    def open_cache(tool: AnyTool, store: str) -> SharedCache:
        def on_lookup(is_hit: bool) -> None:  # noqa: FBT001 - the only argument
            instrumentation.cache_looked_up(tool.name, "shared", is_hit=is_hit)

        return SharedCache(server.name, tool, stores[store], sources[store], clock, on_lookup)

    named = [(tool, tool.cache.store) for tool in server.tools if tool.cache and tool.cache.store]
    return {tool.name: open_cache(tool, store) for tool, store in named}


def _lease_name(key: str) -> str:
    return f"{key}:lease"


def _schema_digest(tool: AnyTool) -> str:
    """Return a digest of schema and content, because replicas share only results of one."""
    schema = [tool.returns, tool.content] if tool.content else tool.returns
    return sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:16]
