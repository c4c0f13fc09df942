"""Policies of a client, and the execution of calls under them."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolaccord.client.calls import CallResult, PendingCall
from toolaccord.client.declarations import Result
from toolaccord.client.policies.observer import CallObserver, ObservedTool
from toolaccord.client.policies.records import ClientCache, Deadline, require
from toolaccord.client.policies.result_cache import Answer, CachedCall, ResultCache
from toolaccord.errors import CallFailed, TimedOut, ToolError
from toolaccord.timing.clock import Clock, SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, run_within, time_left
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import OutOfTime, Repetition, Retry

_ONCE = Retry(max_attempts=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPolicies:
    """Policies of a client; it does without those that are None.

    One record may serve several clients: each has its own cache in memory, and its own concurrency limit.
    Raises ValueError for invalid values.
    """

    retry: Retry | None = None
    """Attempts of a call."""
    deadline: Deadline | None = None
    """Time budget of a call; by default the tool's deadline and 5 s."""
    cache: ClientCache | None = None
    """Cache of results."""
    max_concurrent: int | None = None
    """Largest number of requests at once; further ones wait, until their deadline."""
    observer: CallObserver = field(default_factory=CallObserver)
    """Learns of events."""
    clock: Clock = field(default_factory=SystemClock)
    """Clock of pauses, budgets and ages; tests may move it."""
    random: Callable[[], float] = field(default=random.random)
    """Returns random numbers from 0 to 1, for the jitter."""

    def __post_init__(self) -> None:
        require(
            self.max_concurrent is None or self.max_concurrent >= 1, "ClientPolicies.max_concurrent must be 1 or more"
        )

    def start(self) -> PolicyExecutor:
        """Return the executor of one client."""
        return PolicyExecutor(self)


class PolicyExecutor:
    """Executes calls: looks them up in the cache, limits, repeats and bounds them in time."""

    def __init__(self, policies: ClientPolicies) -> None:
        self._policies = policies
        self._cache = ResultCache(policies.cache, policies.clock) if policies.cache else None
        self._budget = RetryBudget(policies.clock)
        limit = policies.max_concurrent
        self._slots: AbstractAsyncContextManager[None] = asyncio.Semaphore(limit) if limit else nullcontext()

    async def execute(self, call: PendingCall[Result]) -> CallResult[Result]:
        """Return the result of *call*. Raises a declared error of the tool, or CallFailed."""
        observer, tool = self._policies.observer, ObservedTool(call.server, call.tool.name)
        cached = self._cache.find(call) if self._cache else None
        result = cached.find_fresh() if cached else None
        if result is None:
            try:
                result = await self._call(call, cached)
            except (CallFailed, ToolError) as error:
                return self._replace_failed(call, cached, error)
        if result.age_s is not None:
            observer.on_cache_hit(tool, result.age_s)
        elif cached:
            observer.on_cache_miss(tool)
        return result

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._cache:
            await self._cache.close()

    async def _call(self, call: PendingCall[Result], cached: CachedCall[Result] | None) -> CallResult[Result]:
        """Return the result from Redis or the server, within the call's time budget.

        Raises a declared error of the tool, or CallFailed.
        """
        budget_s = self._budget_s(call)
        work: Coroutine[Any, Any, CallResult[Result]] = (
            cached.load(partial(self._send, call)) if cached else self._send_uncached(call)
        )
        try:
            return await run_within(self._policies.clock, budget_s, work)
        except DeadlineExceeded:
            failure: Exception = TimedOut(
                f"{call.server} did not answer {call.tool.name} within {budget_s:.3g} s, all attempts included."
            )
        except OutOfTime as end:
            failure = end.error
        raise failure

    def _budget_s(self, call: PendingCall[Any]) -> float:
        """Return the seconds that *call* may take: no more than its caller has left."""
        deadline = self._policies.deadline
        budget_s = deadline.timeout_s if deadline else call.tool.default_timeout_s
        if call.timeout_s is not None:
            budget_s = call.timeout_s
        left_s = time_left(self._policies.clock)
        return budget_s if left_s is None else max(0, min(budget_s, left_s))

    async def _send_uncached(self, call: PendingCall[Result]) -> CallResult[Result]:
        return (await self._send(call)).result

    async def _send(self, call: PendingCall[Any]) -> Answer:
        """Return the server's answer after as many attempts as the policies allow.

        Raises a declared error of the tool, CallFailed or OutOfTime.
        """
        observer, tool = self._policies.observer, ObservedTool(call.server, call.tool.name)
        repetition = Repetition(
            retry=self._retry_of(call) or _ONCE,
            budget=self._budget,
            clock=self._policies.clock,
            random=self._policies.random,
            find_retry_after_s=_find_retry_after_s,
            on_retry=partial(observer.on_retry, tool),
        )
        return await repetition.run(partial(self._attempt, call, tool, itertools.count(1)))

    async def _attempt(self, call: PendingCall[Any], tool: ObservedTool, numbers: Iterator[int]) -> Answer:
        """Return the answer to one request. Raises a declared error of the tool, or CallFailed."""
        deadline = self._policies.deadline
        timeout_s = (deadline.attempt_timeout_s if deadline else None) or call.tool.default_timeout_s
        async with self._slots:
            self._policies.observer.on_attempt(tool, next(numbers))
            left_s = time_left(self._policies.clock)
            response = await call.send(timeout_s if left_s is None else min(timeout_s, left_s))
        return Answer(response.text, call.parse(response))

    def _retry_of(self, call: PendingCall[Any]) -> Retry | None:
        """Return the retry policy of *call*; None if it must not be repeated."""
        return None if call.tool.writes and not call.has_key else self._policies.retry

    def _replace_failed(
        self, call: PendingCall[Result], cached: CachedCall[Result] | None, error: CallFailed | ToolError
    ) -> CallResult[Result]:
        """Return a cached result in the place of one that failed. Raises *error* without one."""
        observer, tool = self._policies.observer, ObservedTool(call.server, call.tool.name)
        if cached:
            observer.on_cache_miss(tool)
        if not is_retryable(error):
            raise error
        if self._retry_of(call):
            observer.on_retries_exhausted(tool, error)
        result = cached.find_any() if cached else None
        if result is None or result.age_s is None:
            raise error
        observer.on_stale_result(tool, result.age_s, error)
        return result


def is_retryable(error: BaseException) -> bool:
    """Return whether the same call may succeed later: by the code of *error*, never by its text."""
    return isinstance(error, CallFailed | ToolError) and error.retryable


def _find_retry_after_s(error: Exception) -> float | None:
    """Return the seconds that a busy server wants its caller to wait, or 0.

    None for an error that is final.
    """
    if not is_retryable(error):
        return None
    seconds = getattr(error, "details", {}).get("retry_after_s")
    return 0 if isinstance(seconds, bool) or not isinstance(seconds, int | float) else seconds
