"""Cache of one client's results: in memory, and behind it in Redis."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias

from toolaccord.call.cache import Cache, CacheResult, Loaded
from toolaccord.client.calls import CallResult, PendingCall
from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import Result
from toolaccord.client.policies.records import ClientCache
from toolaccord.client.policies.shared_results import LookUp, SharedResults
from toolaccord.contract.policies import ToolCache
from toolaccord.errors import BrokenAnswer
from toolaccord.json_values import digest_json
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left
from toolaccord.timing.retrying import OutOfTime

_LOG = logging.getLogger(__name__)


class Answer(NamedTuple):
    """A server's answer that was parsed."""

    text: str
    """Text of the answer."""
    result: CallResult[Any]
    """The result in it."""


Send: TypeAlias = Callable[[], Awaitable[Answer]]
"""Calls the server, with all retries.

Raises a declared error of the tool, CallFailed or OutOfTime.
"""


class ResultCache:
    """Cached answers of one client.

    Memory is the first level. What Redis supplies is kept there, too, so it is at hand when server and Redis fail.
    """

    def __init__(self, cache: ClientCache, clock: Clock) -> None:
        self.prefix = cache.prefix
        """Beginning of every key."""
        self.clock = clock
        """Clock of ages in memory."""
        self.memory = Cache(clock, max_bytes=cache.max_bytes)
        """Texts of answers."""
        self.shared = SharedResults(cache.url, clock) if cache.url else None
        """The second level, if there is one."""
        self._tools = cache.tools

    def find(self, call: PendingCall[Result]) -> CachedCall[Result] | None:
        """Return *call* with its place in the cache; None if its tool is not cached."""
        policy = self._tools.get(call.tool)
        return None if policy is None else CachedCall(self, policy, call)

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self.shared:
            await self.shared.close()


class CachedCall(Generic[Result]):
    """A call of a cached tool. Each call receives models of its own."""

    def __init__(self, cache: ResultCache, policy: ToolCache, call: PendingCall[Result]) -> None:
        self._cache = cache
        self._policy = policy
        self._call = call
        bypass = call.tool.cache_bypass
        self._bypasses = bypass is not None and bool(call.arguments.get(bypass))
        self._name = build_key(cache.prefix, call)
        self._key = self._name.encode()
        self._is_loading = False
        self._answer: Answer | None = None

    def find_fresh(self) -> CallResult[Result] | None:
        """Return a result from memory that replaces the call; it is younger than `ttl_s`."""
        return self._find(self._policy.ttl_s)

    def find_any(self) -> CallResult[Result] | None:
        """Return a result from memory that replaces the call if it fails; it may be stale."""
        return self._find(self._policy.lifetime_s)

    def _find(self, max_age_s: float) -> CallResult[Result] | None:
        found = None if self._bypasses else self._cache.memory.lookup(self._key)
        return None if found is None or self._age_s(found) >= max_age_s else self._read(found)

    async def load(self, send: Send) -> CallResult[Result]:
        """Return a result from memory or Redis, or by *send*, once for all concurrent equal calls.

        Raises what *send* raises.
        """
        if self._bypasses:
            loaded = await self._send(send, await self._look_up())
            self._cache.memory.store(self._key, loaded)
            return self._read(CacheResult(loaded.value))
        while True:
            found = self.find_fresh() or await self._join_load(send)
            if found is not None:
                return found

    async def _join_load(self, send: Send) -> CallResult[Result] | None:
        """Return the result of a load, started here or by another call.

        Return None if the other call ran out of time, after the pause for which it had none. Raises what *send* raises.
        """
        try:
            loaded = await self._cache.memory.get_or_load(self._key, partial(self._load, send), fresh=True)
        except OutOfTime as end:
            left_s = time_left(self._cache.clock)
            if self._is_loading or (left_s is not None and left_s <= end.pause_s):
                raise
            pause_s = end.pause_s
        else:
            return self._read(loaded)
        await sleep(self._cache.clock, pause_s)
        return None

    async def _load(self, send: Send) -> Loaded:
        """Return an answer from Redis or by *send*."""
        self._is_loading = True
        found = await self._look_up()
        if found is not None and found.answer is not None:
            self._keep(found.answer, found.age_s)
        kept = self._cache.memory.lookup(self._key)
        if kept is not None and self._age_s(kept) < self._policy.ttl_s:
            return Loaded(kept.value, kept.remaining_s or 0, is_cached=True)
        return await self._send(send, found)

    async def _look_up(self) -> LookUp | None:
        """Return what Redis has; None without Redis."""
        return await self._cache.shared.look_up(self._name) if self._cache.shared else None

    def _keep(self, answer: bytes, age_s: float) -> None:
        """Keep an answer from Redis in memory if it is valid, and memory has no younger one."""
        left_s = self._policy.lifetime_s - age_s
        known = self._cache.memory.lookup(self._key)
        if left_s <= 0 or (known is not None and (known.remaining_s or 0) >= left_s):
            return
        try:
            self._read(CacheResult(answer, left_s))
        except (BrokenAnswer, UnicodeDecodeError) as error:
            _LOG.warning("the cached answer %s is ignored: %s", self._name, error)
        else:
            self._cache.memory.store(self._key, Loaded(answer, left_s))

    async def _send(self, send: Send, found: LookUp | None) -> Loaded:
        """Return the answer to *send*, stored in Redis if that answered *found* before."""
        self._answer = await send()
        received_at = self._cache.clock.monotonic()
        value, lifetime_s = self._answer.text.encode(), self._policy.lifetime_s
        if self._cache.shared and found:
            await self._cache.shared.store(self._name, found, value, lifetime_s)
        return Loaded(value, lifetime_s - (self._cache.clock.monotonic() - received_at))

    def _read(self, found: CacheResult) -> CallResult[Result]:
        """Return the result in a text, with its age if it is one of the cache.

        A text without a remaining time was received for this call or an equal one.
        Raises BrokenAnswer or UnicodeDecodeError.
        """
        if found.remaining_s is None and self._answer is not None:
            return self._answer.result
        answered = self._call.parse(ToolResponse(text=found.value.decode(), is_error=False, corr_id=None))
        if found.remaining_s is None:
            return answered
        age_s = self._age_s(found)
        return replace(
            answered,
            corr_id=None,
            latency_ms=None,
            cached=True,
            cache_ttl_remaining=max(0.0, self._policy.ttl_s - age_s),
            age_s=age_s,
            is_stale=age_s >= self._policy.ttl_s,
        )

    def _age_s(self, found: CacheResult) -> float:
        return self._policy.lifetime_s - (found.remaining_s or 0)


def build_key(prefix: str, call: PendingCall[Any]) -> str:
    """Return the key of the results of *call*, equal for equal calls alone.

    The argument that bypasses the cache does not count.
    """
    arguments = {name: value for name, value in call.arguments.items() if name != call.tool.cache_bypass}
    digest = digest_json([call.server, call.tool.name, call.tool.version, arguments])
    return f"{prefix}{call.server}:{call.tool.name}:{digest}"
