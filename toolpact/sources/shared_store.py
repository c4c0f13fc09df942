"""A store that replicas share and can do without, such as Redis for caches and rate limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeAlias, TypeVar

from toolpact.errors import SourceError
from toolpact.sources.redis.api import RedisError
from toolpact.timing.clock import Clock, Timer
from toolpact.timing.deadline import DeadlineExceeded, run_within, time_left

T = TypeVar("T")

StoreState: TypeAlias = Literal["available", "read_only", "unavailable"]
"""State of a store: it answers, answers and rejects writes, or does not answer in time."""

RETRY_S = 1.0
"""Seconds after a failure without operations, so that few calls wait for a timeout."""
_SHARE_OF_TIME = 0.25
"""Largest part of a call's remaining time that one operation may take."""
_MIN_OPERATION_S = 0.005
"""Shortest time for an operation; a failure in less would not be the store's fault."""
_REJECTIONS = ("full", "read_only", "rejected")
"""Failures that are answers of the store; one to a write says nothing about reads."""
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
    """A circuit breaker (Nygard, Release It!, 2007) for the operations on one store.

    After a failure no operation is tried for a second; then one is, while all others still go on without the store. A
    store that only rejects writes still answers reads. Each change of state is logged once.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        """Name of the source."""
        self.state: StoreState = "available"
        """State that the last operations found."""
        self.failures = 0
        """Number of operations that failed."""
        self._clock = clock
        self._patient = _PatientClock(clock)
        self._retry_at = float("-inf")

    async def run(self, operation: Callable[[], Coroutine[Any, Any, T]], *, writes: bool = False) -> T:
        """Return the result of *operation*, in at most a quarter of the time that the call has left.

        *operation* raises SourceError if it fails, and *writes* to the store or only reads it.
        Raises SharedStoreUnavailable if it failed, took too long, or was not tried.
        """
        left = time_left(self._clock)
        allowed_s = None if left is None else left * _SHARE_OF_TIME
        if allowed_s is not None and allowed_s < _MIN_OPERATION_S:
            raise SharedStoreUnavailable(f"the call has too little time left for {self.name}")
        if not self._may_try(writes=writes):
            raise SharedStoreUnavailable(f"{self.name} is {self.state}")
        try:
            result = await (operation() if allowed_s is None else run_within(self._patient, allowed_s, operation()))
        except (SourceError, DeadlineExceeded) as error:
            self._on_failure(error, writes=writes)
            raise SharedStoreUnavailable(f"{self.name}: {error}") from error
        self._on_success(writes=writes)
        return result

    def _may_try(self, *, writes: bool) -> bool:
        """Return whether an operation may be tried; after a failure, one a second may."""
        if self.state == "available" or (self.state == "read_only" and not writes):
            return True
        now = self._clock.monotonic()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_S
        return True

    def _on_failure(self, error: Exception, *, writes: bool) -> None:
        self.failures += 1
        self._retry_at = self._clock.monotonic() + RETRY_S
        rejected = isinstance(error, RedisError) and error.failure in _REJECTIONS
        state: StoreState = "read_only" if writes and rejected else "unavailable"
        if state != self.state:
            self.state = state
            _LOG.warning("the shared store %s is %s, and this process goes on without it: %s", self.name, state, error)

    def _on_success(self, *, writes: bool) -> None:
        if self.state == "unavailable" or (self.state == "read_only" and writes):
            self.state = "available"
            _LOG.info("the shared store %s is available again", self.name)
