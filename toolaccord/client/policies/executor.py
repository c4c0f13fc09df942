"""Execution of calls under a client's policies."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any

from toolaccord.client.calls import CallResult, PendingCall
from toolaccord.client.declarations import Result
from toolaccord.client.policies.observer import ObservedTool
from toolaccord.client.policies.records import ClientPolicies, Retry
from toolaccord.client.policies.result_cache import Answer, CachedCall, ResultCache
from toolaccord.client.policies.retry import OutOfTime, build_retrying, is_retryable
from toolaccord.errors import CallFailed, TimedOut, ToolError
from toolaccord.timing.deadline import DeadlineExceeded, run_within, time_left

_ONCE = Retry(max_attempts=1)


class PolicyExecutor:
    """Executes calls: looks them up in the cache, limits, repeats and bounds them in time."""

    def __init__(self, policies: ClientPolicies) -> None:
        self._policies = policies
        self._cache = ResultCache(policies.cache, policies.clock) if policies.cache else None
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
            failure: CallFailed | ToolError = TimedOut(
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
        retry = self._retry_of(call) or _ONCE
        retrying = build_retrying(retry, self._policies.clock, self._policies.random, partial(observer.on_retry, tool))
        answer: Answer = await retrying(self._attempt, call, tool, itertools.count(1))
        return answer

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
