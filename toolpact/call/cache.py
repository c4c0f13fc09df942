"""Results that may be given again for a while."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from toolpact.json_values import JsonObject
from toolpact.timing.clock import Clock

V = TypeVar("V")

_LONGEST_KEY = 256
"""Bytes of a key that says itself what was asked; callers may ask at any length, and of more there is a digest."""
_DIGEST = b"sha256:"
"""Before a digest, so that none is taken for JSON."""


class Found(NamedTuple, Generic[V]):
    """A value, and where it came from."""

    value: V
    """The value."""
    remaining_s: float | None = None
    """Seconds that the cache will go on giving it; None when it was loaded for this caller."""


class Loaded(NamedTuple, Generic[V]):
    """A value that was loaded."""

    value: V
    """The value."""
    ttl_s: float
    """Seconds for which the cache may give it."""


@dataclass(slots=True)
class _Loading(Generic[V]):
    """A load that callers wait for."""

    fresh: bool
    task: asyncio.Task[V] = field(init=False)
    waiters: int = 0


class _Kept(NamedTuple, Generic[V]):
    value: V
    until: float


def key(tool: str, version: str, arguments: JsonObject, bypass: str | None) -> bytes:
    """Return what a result is kept under: equal for equal arguments, the bypass parameter aside."""
    if bypass in arguments:
        arguments = {name: value for name, value in arguments.items() if name != bypass}
    asked = [tool, version, arguments]
    try:
        said = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # integers beyond 64 bits
        said = json.dumps(asked, sort_keys=True).encode()
    return said if len(said) <= _LONGEST_KEY else _DIGEST + sha256(said).digest()


class Cache(Generic[V]):
    """A bounded cache that loads each key once, however many callers wait, and never keeps an error."""

    def __init__(self, clock: Clock, *, entries: int = 1024) -> None:
        self._clock = clock
        self._entries = entries
        self._kept: OrderedDict[bytes, _Kept[V]] = OrderedDict()
        self._loads: dict[bytes, _Loading[V]] = {}

    async def get(
        self,
        key: bytes,
        load: Callable[[], Awaitable[Loaded[V]]],
        *,
        fresh: bool = False,
    ) -> Found[V]:
        """Return the value of *key*: the kept one until its time is over, else what *load* returns, which also says for how long.

        A *fresh* value is always loaded, and replaces the kept one. What *load* raises, every waiting caller gets.
        """
        kept = None if fresh else self.kept(key)
        if kept:
            return kept
        loading = self._loads.get(key)
        if loading is None or (fresh and not loading.fresh):
            loading = self._begin(key, load, fresh=fresh)
        return Found(await self._share(key, loading))

    def kept(self, key: bytes) -> Found[V] | None:
        """Return the value of *key* while it is kept, without loading it."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        left = kept.until - self._clock.monotonic()
        if left <= 0:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return Found(kept.value, left)

    def _begin(self, key: bytes, load: Callable[[], Awaitable[Loaded[V]]], *, fresh: bool) -> _Loading[V]:
        loading: _Loading[V] = _Loading(fresh)
        self._loads[key] = loading

        async def work() -> V:
            loaded = await load()
            if self._loads.get(key) is loading:  # else a fresher load has begun, and its value counts
                self._keep(key, _Kept(loaded.value, self._clock.monotonic() + loaded.ttl_s))
            return loaded.value

        loading.task = asyncio.create_task(work())
        loading.task.add_done_callback(lambda task: self._done(key, loading, task))
        return loading

    async def _share(self, key: bytes, loading: _Loading[V]) -> V:
        """Wait for *loading*; a caller that leaves does not disturb the others, the last one to leave stops it."""
        loading.waiters += 1
        try:
            return await asyncio.shield(loading.task)
        finally:
            loading.waiters -= 1
            if not loading.waiters and not loading.task.done():
                self._forget(key, loading)
                loading.task.cancel()

    def _keep(self, key: bytes, kept: _Kept[V]) -> None:
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)

    def _done(self, key: bytes, loading: _Loading[V], task: asyncio.Task[Any]) -> None:
        self._forget(key, loading)
        if not task.cancelled():
            task.exception()  # those who waited have it; nobody else needs to hear of it

    def _forget(self, key: bytes, loading: _Loading[V]) -> None:
        if self._loads.get(key) is loading:
            del self._loads[key]
