"""A store that replicas share and can do without, such as Redis for caches and rate limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, Literal, TypeAlias, TypeVar

from toolaccord.errors import SourceError
from toolaccord.sources.breaker import Breaker
from toolaccord.sources.redis.api import Redis, RedisError, Script
from toolaccord.timing.clock import Clock, Timer
from toolaccord.timing.deadline import DeadlineExceeded, run_within, time_left

T = TypeVar("T")

StoreState: TypeAlias = Literal["available", "slow", "read_only", "unavailable"]
"""State of a store: it answers, is late for a cache, rejects writes, or does not answer."""

_SHARE_OF_TIME = 0.25
"""Largest part of a call's remaining time that an operation may take which only saves time."""
_SHARE_OF_COUNTING = 0.9
"""Largest part for an operation that must count; the rest is for going on without it."""
_SILENCE_S = 1.0
"""Seconds without any answer after which a store is away, and not only slow."""
_MIN_OPERATION_S = 0.005
"""Shortest time for an operation; a failure in less would not be the store's fault."""
_REJECTIONS = ("full", "read_only", "rejected")
"""Failures that are answers of the store; one to a write says nothing about reads."""
_COUNTING: tuple[StoreState, ...] = ("available", "slow")
"""States in which the store counts for all replicas."""
_PING = Script("return 1", is_idempotent=True)
_LOG = logging.getLogger(__name__)


class SharedStoreUnavailable(Exception):
    """An operation on a shared store failed, or was not tried; the caller goes on without it."""


class _PatientClock:
    """A clock that calls back one turn of the event loop late.

    In that turn the answer is read that waits in the socket because the loop was busy: the store was not slow.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.now = clock.now
        self.monotonic = clock.monotonic

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the turn after *seconds* have passed."""

        def call_next_turn() -> None:
            asyncio.get_running_loop().call_soon(callback)

        return self._clock.call_later(seconds, call_next_turn)


class SharedStore:
    """A circuit breaker for the operations on one store, which opens at the first failure.

    Then one operation a second is tried, while all others go on without the store. A store that only rejects writes
    still answers reads, and a slow one still counts: a cache can be skipped, and a count cannot. Each change of state
    is logged once.
    """

    def __init__(self, name: str, redis: Redis, clock: Clock) -> None:
        self.name = name
        """Name of the source."""
        self.state: StoreState = "available"
        """State that the last operations found."""
        self.failures = 0
        """Number of operations that failed."""
        self._redis = redis
        self._clock = clock
        self._patient = _PatientClock(clock)
        self._breaker = Breaker(clock, least_outcomes=1)
        self._answers = 0
        """Number of answers, error responses among them."""
        self._ping: asyncio.Task[None] | None = None

    async def run(
        self, operation: Callable[[], Coroutine[Any, Any, T]], *, writes: bool = False, must_count: bool = False
    ) -> T:
        """Return the result of *operation*, in at most a quarter of the time that the call has left.

        *operation* raises SourceError if it fails, and *writes* to the store or only reads it. One that *must_count*
        has nine tenths of the time. Raises SharedStoreUnavailable if it failed, took too long, or was not tried;
        DeadlineExceeded if it must count, and the store has not been silent for a second. A ping that outlives the call
        then tells whether the store is only slow.
        """
        left = time_left(self._clock)
        share = _SHARE_OF_COUNTING if must_count and self.state != "unavailable" else _SHARE_OF_TIME
        allowed_s = None if left is None else left * share
        if allowed_s is not None and allowed_s < _MIN_OPERATION_S:
            if must_count and self.state in _COUNTING:
                raise DeadlineExceeded(f"no time left to count in {self.name}")
            raise SharedStoreUnavailable(f"the call has too little time left for {self.name}")
        if not self._may_try(writes=writes, must_count=must_count):
            raise SharedStoreUnavailable(f"{self.name} is {self.state}")
        started_at, answers = self._clock.monotonic(), self._answers
        try:
            result = await (operation() if allowed_s is None else run_within(self._patient, allowed_s, operation()))
        except DeadlineExceeded as error:
            is_silent = self._answers == answers and self._clock.monotonic() - started_at >= _SILENCE_S
            if must_count and not is_silent and self.state != "unavailable":
                self._start_ping()
                raise
            self._on_failure(error, "unavailable" if must_count else "slow")
            raise SharedStoreUnavailable(f"{self.name}: {error}") from error
        except SourceError as error:
            self._on_failure(error, _state_after(error, writes=writes))
            raise SharedStoreUnavailable(f"{self.name}: {error}") from error
        self._on_success(writes=writes, is_quick=not must_count)
        return result

    def _start_ping(self) -> None:
        """Ask the store for an answer that no deadline of a call ends, unless it is asked already."""
        if self._ping is None or self._ping.done():
            self._ping = asyncio.create_task(self._listen(), context=Context())

    async def _listen(self) -> None:
        """Find out whether the store answers anything within a second."""
        answers = self._answers
        try:
            await run_within(self._patient, _SILENCE_S, self._redis.run_script(_PING, [], [], is_patient=True))
            self._answers += 1
        except (DeadlineExceeded, SourceError) as error:
            if isinstance(error, SourceError) and not error.is_outage:
                self._answers += 1
            elif self._answers == answers:
                self._on_failure(error, "unavailable")

    def _may_try(self, *, writes: bool, must_count: bool) -> bool:
        """Return whether an operation may be tried."""
        if self.state == "available" or (self.state == "read_only" and not writes):
            return True
        return (self.state == "slow" and must_count) or self._breaker.admits()

    def _on_failure(self, error: Exception, state: StoreState) -> None:
        self.failures += 1
        if isinstance(error, SourceError) and not error.is_outage:
            self._answers += 1
        self._breaker.failed(self._breaker.period)
        if state == self.state or (state, self.state) == ("slow", "unavailable"):
            return
        self.state = state
        _LOG.warning("the shared store %s is %s, and this process goes on without it: %s", self.name, state, error)

    def _on_success(self, *, writes: bool, is_quick: bool) -> None:
        self._answers += 1
        is_better = self.state == "unavailable" or (self.state == "read_only" and writes)
        if is_better or (self.state == "slow" and is_quick):
            self.state = "available"
            self._breaker.close()
            _LOG.info("the shared store %s is available again", self.name)


def _state_after(error: SourceError, *, writes: bool) -> StoreState:
    """Return the state of a store of which an operation failed with *error*."""
    failure = error.failure if isinstance(error, RedisError) else "unreachable"
    if failure == "timeout":
        return "slow"
    return "read_only" if writes and failure in _REJECTIONS else "unavailable"
