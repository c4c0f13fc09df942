"""Rate limits: a caller may call a tool so many times in any span of some seconds.

The times of a caller's accepted calls are a moving window, which is exact. A counter for each fixed span would accept
twice as many calls around the end of a span. A sliding counter estimates, and may accept too many as well.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict, deque
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolaccord.call.context import IncomingCall
from toolaccord.contract.policies import RateLimit
from toolaccord.declarations.tool import Server
from toolaccord.sources import Source
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:  # a server whose limits have no store loads nothing for one
    from toolaccord.sources.redis import Redis
    from toolaccord.sources.redis.shared_store import SharedStore

MAX_BYTES = 16 * 1024 * 1024
"""Bytes that callers may take: those without a token choose their names."""
_CALLER_BYTES = 1024
_CALL_BYTES = 32
"""Bytes of one caller's entry, and of each time in it."""


class RateLimitExceeded(Exception):
    """A caller made more calls than *limit* allows; it has to wait *wait_s* seconds."""

    def __init__(self, limit: RateLimit, wait_s: float) -> None:
        super().__init__(f"more than {limit.calls} calls in {limit.window_s} s")
        self.limit = limit
        self.wait_s = wait_s


class _Calls(NamedTuple):
    """The accepted calls of one caller."""

    times: deque[float]
    """Their times in order, in seconds of the clock's monotonic time."""
    window_s: int
    """Seconds for which a call counts."""


class CallTimes:
    """The times of accepted calls in the memory of this process, by caller.

    A caller whose calls no longer count is forgotten. Beyond *max_bytes* so is the one that called least recently.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = MAX_BYTES) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._callers: OrderedDict[str, _Calls] = OrderedDict()
        self.held_bytes = 0
        """Bytes of all entries."""

    def count(self, caller: str, limit: RateLimit) -> float:
        """Count a call and return 0; beyond the limit, return the seconds until one is allowed."""
        if wait_s := self.wait_s(caller, limit):
            return wait_s
        now = self._clock.monotonic()
        times, _ = self._callers.get(caller) or self._add(caller, limit)
        is_full = len(times) == limit.calls
        times.append(now)  # drops the first one if it is full
        self._callers.move_to_end(caller)
        if not is_full:
            self.held_bytes += _CALL_BYTES
            self._make_room(now)
        return 0.0

    def wait_s(self, caller: str, limit: RateLimit) -> float:
        """Return the seconds until a call is allowed; 0 if one is now."""
        calls = self._callers.get(caller)
        if calls is None or len(calls.times) < limit.calls:
            return 0.0
        self._callers.move_to_end(caller)
        return max(0.0, calls.times[0] + limit.window_s - self._clock.monotonic())

    def _add(self, caller: str, limit: RateLimit) -> _Calls:
        self._callers[caller] = calls = _Calls(deque(maxlen=limit.calls), limit.window_s)
        self.held_bytes += _CALLER_BYTES
        return calls

    def _make_room(self, now: float) -> None:
        """Forget the least recent callers while their calls do not count or there is no room."""
        while self._callers:
            caller, (times, window_s) = next(iter(self._callers.items()))
            if times[-1] + window_s > now and self.held_bytes <= self._max_bytes:
                return
            del self._callers[caller]
            self.held_bytes -= _CALLER_BYTES + _CALL_BYTES * len(times)


class RateLimiter:
    """Counts the calls of one server's tools, and rejects those beyond their limits."""

    def __init__(
        self, server: Server[Any], sources: Mapping[str, Source], stores: Mapping[str, SharedStore], clock: Clock
    ) -> None:
        self._server = server.name
        self._sources = sources
        self._stores = stores
        self._memory = CallTimes(clock)
        self._process = secrets.token_hex(16)
        """Identity of the only client of this process."""

    def count(self, call: IncomingCall, limit: RateLimit) -> None:
        """Count *call* in the memory of this process. Raises RateLimitExceeded."""
        if wait_s := self._memory.count(self._caller(call), limit):
            raise RateLimitExceeded(limit, wait_s)

    async def count_shared(self, call: IncomingCall, limit: RateLimit) -> None:
        """Count *call* in the store of *limit*, and in memory.

        Memory has the accepted calls for the time when the store is away. A call beyond the limit in memory needs no
        answer of the store. One that a slow store does not count in time is late, and not accepted.
        Raises RateLimitExceeded and DeadlineExceeded.
        """
        from toolaccord.sources.redis.rate_limit import count_call  # noqa: PLC0415 - few servers need it
        from toolaccord.sources.redis.shared_store import SharedStoreUnavailable  # noqa: PLC0415

        store = cast(str, limit.store)
        caller = self._caller(call)
        if wait_s := self._memory.wait_s(caller, limit):
            raise RateLimitExceeded(limit, wait_s)
        key = f"toolaccord:rate_limit:{self._server}:{caller}"
        counting = partial(count_call, cast("Redis", self._sources[store]), key, limit.calls, limit.window_s)
        try:
            wait_s = await self._stores[store].run(counting, writes=True, must_count=True)
        except SharedStoreUnavailable:
            wait_s = 0.0
        if wait_s := wait_s or self._memory.count(caller, limit):
            raise RateLimitExceeded(limit, wait_s)

    def _caller(self, call: IncomingCall) -> str:
        """Return the tool and a digest of the caller of *call*.

        A proven identity counts; without one the name, which the caller chooses.
        """
        identity = self._process if call.identity is None else call.identity or f"name {call.caller}"
        return f"{call.bound.operation.name}:{sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()}"
