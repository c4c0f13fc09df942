"""Runner of a queue's tasks: each is a request, and its result a batch of one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from toolaccord.agent import outcomes
from toolaccord.agent.batch_results import BatchResults
from toolaccord.agent.declarations import Agent
from toolaccord.agent.outcomes import Answered, Outcome
from toolaccord.agent.queue.metrics import NewestOutcomes, QueueMetrics
from toolaccord.agent.queue.requests import QueuedRequest
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.agent.result_lines import ResultLines
from toolaccord.contract.agents import Batch
from toolaccord.handler import Progress as Report
from toolaccord.server.startup import StartError
from toolaccord.tasks.runner import Completed, Ended, Failed, Postponed, internal_fault
from toolaccord.tasks.task import Task
from toolaccord.tasks.worker import RunRules

_LOG = logging.getLogger(__name__)
MAX_ATTEMPTS = 5
"""Largest number of runs that fail for a passing reason, and of workers that die."""


class QueueRunner:
    """Runs requests, writes their results, and publishes their failures."""

    def __init__(
        self,
        agent: Agent[Any, Any, Any],
        batch: Batch,
        dependencies: Dependencies,
        metrics: QueueMetrics,
        on_fault: Callable[[StartError], None],
    ) -> None:
        """*on_fault* ends the process, as no result can be written any more."""
        assert batch.queue
        self._argument, self._max_age_s = batch.argument, batch.queue.max_age_s
        self._clock = dependencies.clock
        self._requests = RequestRunner(agent, dependencies)
        self._results = BatchResults(batch, dependencies)
        self._lines = ResultLines(dependencies.clock)
        self._metrics = metrics
        self._newest = NewestOutcomes(dependencies.metrics, batch.size)
        self._on_fault = on_fault
        # The last death is for a worker that dies while it reports the others.
        self.rules = RunRules(concurrency=agent.limits.max_concurrent, max_attempts=MAX_ATTEMPTS + 1, repeats=True)
        """Rules of the runs."""

    async def run(self, task: Task, _report: Report) -> Ended:
        """Run the request of *task*. Raises nothing but cancellation."""
        self._metrics.record_run(task)
        try:
            return await self._run(task, QueuedRequest.read(self._argument, task))
        except StartError as error:
            self._on_fault(error)
            return await asyncio.Future()  # the worker gives the task back
        except Exception:
            _LOG.exception("the worker is at fault; the request is run again")
            return Postponed(_pause_s(task), "The worker failed.")

    async def _run(self, task: Task, request: QueuedRequest) -> Ended:
        age_s = self._age_s(request)
        if age_s < -self._max_age_s:  # its clock is wrong, and no answer would be for the present
            self._metrics.given_up.inc()
            _LOG.error("gave up a request whose time lies %.0f s ahead", -age_s)
            return Failed(internal_fault("The time of the request lies ahead."))
        outcome = await self._find_outcome(task, request, age_s)
        pause_s = _pause_s(task)
        if isinstance(outcome, outcomes.Failed) and self._may_repeat(request, outcome, task, pause_s):
            _LOG.warning("%.100s is run again in %.0f s: %s", request.value, pause_s, outcome.error)
            return Postponed(pause_s, outcome.error)
        await self._report(request, outcome)
        if isinstance(outcome, outcomes.Failed):
            return Failed(internal_fault(outcome.error))
        if outcome.delivery:
            await _await_delivery(outcome.delivery)
        return Completed({})

    async def _find_outcome(self, task: Task, request: QueuedRequest, age_s: float) -> Outcome:
        """Return the outcome of a request that is not too old, and that workers survive."""
        if age_s > self._max_age_s:
            self._metrics.expired.inc()
            waited = f"It waited for {age_s:.0f} s, and is not run after {self._max_age_s} s."
            return outcomes.Failed(error=waited, error_type="EXPIRED")
        if task.crashes >= MAX_ATTEMPTS:
            abandoned = f"None of the {MAX_ATTEMPTS} processes that took this request answered it."
            return outcomes.Failed(error=abandoned, error_type="ABANDONED")
        return await self._requests.run({self._argument: request.value}, now=request.scheduled_at)

    def _may_repeat(self, request: QueuedRequest, outcome: outcomes.Failed, task: Task, pause_s: float) -> bool:
        """Return True if another attempt may succeed, and begins early enough."""
        is_early = self._age_s(request) + pause_s <= self._max_age_s
        return outcome.retryable and task.attempt < MAX_ATTEMPTS and is_early

    async def _report(self, request: QueuedRequest, outcome: Outcome) -> None:
        """Write the result of a batch of one, and publish a failure."""
        if not isinstance(outcome, Answered):
            self._metrics.given_up.inc()
            _LOG.warning("gave up %.100s: %s", request.value, outcome.error)
            await self._results.publish_failure(request.value, outcome, message_id=request.id)
        self._newest.add(outcome)
        await self._lines.write(self._results.encode([(request.value, outcome)]))

    def _age_s(self, request: QueuedRequest) -> float:
        return (self._clock.now() - request.scheduled_at).total_seconds()


def _pause_s(task: Task) -> float:
    return 2.0 ** (task.attempt - 1)


async def _await_delivery(delivery: asyncio.Task[bool]) -> None:
    """Wait for the end of *delivery*, while the task stays with this worker.

    If the worker dies, another one takes the task, and answers the request again.
    """
    try:
        await asyncio.wait({delivery})
    finally:
        delivery.cancel()
