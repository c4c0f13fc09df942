"""Results cached for the time that a contract allows."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from toolpact.declarations.tool import AnyTool
from toolpact.json_values import JsonObject
from toolpact.timing.clock import Clock

V = TypeVar("V")

_MAX_KEY_BYTES = 256
"""Longer keys are replaced by a digest: callers may send arguments of any length."""
_DIGEST = b"sha256:"
"""Prefix of a digest; no JSON text starts like that."""


class CacheResult(NamedTuple, Generic[V]):
    """A value, and the time for which the cache goes on returning it."""

    value: V
    """The value."""
    remaining_s: float | None = None
    """Seconds until it expires; None if it was loaded for this caller."""


class Loaded(NamedTuple, Generic[V]):
    """A value that was loaded."""

    value: V
    """The value."""
    ttl_s: float
    """Seconds for which the cache may return it."""


@dataclass(slots=True)
class _Load(Generic[V]):
    """A load in progress."""

    fresh: bool
    task: asyncio.Task[V] = field(init=False)
    waiters: int = 0


class _Entry(NamedTuple, Generic[V]):
    value: V
    expires_at: float


def cache_key(tool: AnyTool, arguments: JsonObject) -> bytes | None:
    """Return the key of a call's result; None if the contract of *tool* caches nothing.

    Equal arguments give equal keys. The parameter that bypasses the cache does not count.
    """
    if tool.cache is None:
        return None
    bypass = tool.cache.bypass
    if bypass in arguments:
        arguments = {name: value for name, value in arguments.items() if name != bypass}
    call = [tool.name, tool.version, arguments]
    try:
        key = orjson.dumps(call, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # integers beyond 64 bits
        key = json.dumps(call, sort_keys=True).encode()
    return key if len(key) <= _MAX_KEY_BYTES else _DIGEST + sha256(key).digest()


def bypasses_cache(tool: AnyTool, arguments: JsonObject) -> bool:
    """Return whether a call asks for a fresh result."""
    bypass = tool.cache.bypass if tool.cache else None
    return bypass is not None and bool(arguments.get(bypass))


class Cache(Generic[V]):
    """A bounded cache.

    It loads each key once for all concurrent callers, and never caches an error.
    """

    def __init__(self, clock: Clock, *, max_entries: int = 1024) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[bytes, _Entry[V]] = OrderedDict()
        self._loads: dict[bytes, _Load[V]] = {}

    def lookup(self, key: bytes) -> CacheResult[V] | None:
        """Return the cached value of *key*; None if there is none or it has expired."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        remaining_s = entry.expires_at - self._clock.monotonic()
        if remaining_s <= 0:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return CacheResult(entry.value, remaining_s)

    async def get_or_load(
        self,
        key: bytes,
        load: Callable[[], Awaitable[Loaded[V]]],
        *,
        fresh: bool = False,
    ) -> CacheResult[V]:
        """Return the cached value of *key*; without one, load it, cache it and return it.

        A *fresh* value is always loaded, and replaces the cached one. An exception of *load* is raised in every
        waiting caller.
        """
        cached = None if fresh else self.lookup(key)
        if cached:
            return cached
        loading = self._loads.get(key)
        if loading is None or (fresh and not loading.fresh):
            loading = self._start_load(key, load, fresh=fresh)
        return CacheResult(await self._wait_for(key, loading))

    def _start_load(self, key: bytes, load: Callable[[], Awaitable[Loaded[V]]], *, fresh: bool) -> _Load[V]:
        loading: _Load[V] = _Load(fresh)
        self._loads[key] = loading

        async def load_and_store() -> V:
            loaded = await load()
            if self._loads.get(key) is loading:  # otherwise a fresher load has started, and its value is stored
                self._store(key, _Entry(loaded.value, self._clock.monotonic() + loaded.ttl_s))
            return loaded.value

        loading.task = asyncio.create_task(load_and_store())
        loading.task.add_done_callback(lambda task: self._on_loaded(key, loading, task))
        return loading

    async def _wait_for(self, key: bytes, loading: _Load[V]) -> V:
        """Wait for *loading*, which is cancelled only when its last waiter is."""
        loading.waiters += 1
        try:
            return await asyncio.shield(loading.task)
        finally:
            loading.waiters -= 1
            if not loading.waiters and not loading.task.done():
                self._forget_load(key, loading)
                loading.task.cancel()

    def _store(self, key: bytes, entry: _Entry[V]) -> None:
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def _on_loaded(self, key: bytes, loading: _Load[V], task: asyncio.Task[Any]) -> None:
        self._forget_load(key, loading)
        if not task.cancelled():
            task.exception()  # every waiter has raised it; asyncio would log it again

    def _forget_load(self, key: bytes, loading: _Load[V]) -> None:
        if self._loads.get(key) is loading:
            del self._loads[key]
