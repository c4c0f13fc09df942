"""Results cached for the time that a contract allows."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from hashlib import sha256
from typing import NamedTuple

import orjson

from toolaccord.declarations.operation import AnyOperation
from toolaccord.json_values import JsonObject
from toolaccord.timing.clock import Clock
from toolaccord.timing.shared_work import SharedWork

_MAX_KEY_BYTES = 256
"""Longer keys are replaced by a digest: callers may send arguments of any length."""
_DIGEST = b"sha256:"
"""Prefix of a digest; no JSON text starts like that."""
_ENTRY_BYTES = 512
"""Bytes of an entry beside its key and its value: those of the objects around them."""
_SWEEP_INTERVAL_S = 10
"""Seconds between two sweeps of expired entries."""


class CacheResult(NamedTuple):
    """A value, and the time for which the cache goes on returning it."""

    value: bytes
    """A result as JSON."""
    remaining_s: float | None = None
    """Seconds until it expires; None if it was loaded for this caller."""
    is_replayed: bool = False
    """True if it is that of an earlier call with the same idempotency key."""


class Loaded(NamedTuple):
    """A value that was loaded."""

    value: bytes
    """A result as JSON."""
    ttl_s: float
    """Seconds until it expires."""
    memory_ttl_s: float = math.inf
    """Seconds for which this process may keep it, if that is shorter."""
    is_cached: bool = False
    """True if it was loaded for an earlier call, maybe by another replica."""


class _Load(NamedTuple):
    """A load in progress."""

    is_fresh: bool
    work: SharedWork[CacheResult]


class _Entry(NamedTuple):
    value: bytes
    expires_at: float
    kept_until: float


def cache_key(operation: AnyOperation, arguments: JsonObject) -> bytes | None:
    """Return the key of a call's result; None if the contract of *operation* caches nothing.

    Equal arguments give equal keys. The parameter that bypasses the cache does not count.
    """
    if operation.cache is None:
        return None
    bypass = operation.cache.bypass
    if bypass in arguments:
        arguments = {name: value for name, value in arguments.items() if name != bypass}
    call = [operation.name, operation.version, arguments]
    try:
        key = orjson.dumps(call, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # integers beyond 64 bits
        key = json.dumps(call, sort_keys=True).encode()
    return key if len(key) <= _MAX_KEY_BYTES else _DIGEST + sha256(key).digest()


def bypasses_cache(operation: AnyOperation, arguments: JsonObject) -> bool:
    """Return whether a call asks for a fresh result."""
    bypass = operation.cache.bypass if operation.cache else None
    return bypass is not None and bool(arguments.get(bypass))


class Writes:
    """Counts the writes to each source of one server.

    The counts of the sources that a tool reads are part of the key of its cached results. So after a write, no result
    from before it is found, and none whose load began before it. The cache removes such a result when it expires.
    """

    def __init__(self, tools: Iterable[AnyOperation]) -> None:
        tools = tuple(tools)
        self._counts = dict.fromkeys((source for tool in tools for source in tool.writes), 0)
        cached = (tool for tool in tools if tool.cache)
        self._read = {tool.name: tuple(each for each in tool.reads if each in self._counts) for tool in cached}
        """The sources that a cached tool reads and any tool writes."""

    def count(self, tool: AnyOperation) -> None:
        """Count a run of *tool*, also a failed one: it may have written."""
        for source in tool.writes:
            self._counts[source] += 1

    def current_key(self, tool: AnyOperation, key: bytes) -> bytes:
        """Return the key of a result of *tool* since the last write to a source that it reads.

        *key* is the call's, as `cache_key` gives it.
        """
        read = self._read[tool.name]
        return b"%d%b" % (sum(self._counts[source] for source in read), key) if read else key


class Cache:
    """A cache of results, bounded in bytes; the least recently used is evicted first.

    It loads each key once for all concurrent callers, and never caches an error. A result that is larger than the
    whole bound is not cached.
    """

    def __init__(self, clock: Clock, *, max_bytes: int) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._loads: dict[bytes, _Load] = {}
        self._is_sweeping = False
        self.held_bytes = 0
        """Bytes of all entries: those of key and value, and 512 for each entry."""
        self.evictions = 0
        """Number of entries that were removed before they expired, to make room."""

    def lookup(self, key: bytes) -> CacheResult | None:
        """Return the cached value of *key*; None if there is none or it has expired."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        now = self._clock.monotonic()
        if entry.kept_until <= now:
            self._remove(key)
            return None
        self._entries.move_to_end(key)
        return CacheResult(entry.value, entry.expires_at - now)

    async def get_or_load(
        self,
        key: bytes,
        load: Callable[[], Awaitable[Loaded]],
        *,
        fresh: bool = False,
    ) -> CacheResult:
        """Return the cached value of *key*; without one, load it, cache it and return it.

        A *fresh* value is always loaded, and replaces the cached one. An exception of *load* is raised in every
        waiting caller.
        """
        cached = None if fresh else self.lookup(key)
        if cached:
            return cached
        loading = self._loads.get(key)
        if loading is None or (fresh and not loading.is_fresh):
            loading = self._start_load(key, load, fresh=fresh)
        return await loading.work.wait()

    def _start_load(self, key: bytes, load: Callable[[], Awaitable[Loaded]], *, fresh: bool) -> _Load:
        def forget() -> None:
            if self._loads.get(key) is loading:
                del self._loads[key]

        async def load_and_store() -> CacheResult:
            loaded = await load()
            if self._loads.get(key) is loading:  # otherwise a fresher load has started, and its value is stored
                self.store(key, loaded)
            return CacheResult(loaded.value, loaded.ttl_s if loaded.is_cached else None)

        loading = self._loads[key] = _Load(fresh, SharedWork(load_and_store(), forget))
        return loading

    def store(self, key: bytes, loaded: Loaded) -> None:
        """Cache a value that was loaded, instead of any other of *key*."""
        now = self._clock.monotonic()
        kept_s = min(loaded.ttl_s, loaded.memory_ttl_s)
        entry = _Entry(loaded.value, now + loaded.ttl_s, now + kept_s)
        self._remove(key)
        size = _size(key, entry)
        if size > self._max_bytes:
            return
        self._entries[key] = entry
        self.held_bytes += size
        while self.held_bytes > self._max_bytes:
            self._remove(next(iter(self._entries)))
            self.evictions += 1
        self._sweep_later()

    def _remove(self, key: bytes) -> None:
        """Remove the entry of *key*, if there is one."""
        if entry := self._entries.pop(key, None):
            self.held_bytes -= _size(key, entry)

    def _sweep_later(self) -> None:
        """Start the timer of the next sweep, unless it runs or there is nothing to sweep."""
        if self._entries and not self._is_sweeping:
            self._is_sweeping = True
            self._clock.call_later(_SWEEP_INTERVAL_S, self._sweep)

    def _sweep(self) -> None:
        """Remove the expired entries, which nobody may ever look up again."""
        self._is_sweeping = False
        now = self._clock.monotonic()
        for key in [key for key, entry in self._entries.items() if entry.kept_until <= now]:
            self._remove(key)
        self._sweep_later()


def _size(key: bytes, entry: _Entry) -> int:
    return len(key) + len(entry.value) + _ENTRY_BYTES
