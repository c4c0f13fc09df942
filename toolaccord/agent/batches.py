"""Batches of requests that differ in one argument; each has an outcome of its own."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord.agent.batch_results import BatchResults, success_rate
from toolaccord.agent.declarations import Agent
from toolaccord.agent.outcomes import Answered, Failed, Outcome
from toolaccord.agent.requests import Dependencies, RequestRunner
from toolaccord.agent.schedule import pause
from toolaccord.contract.agents import UNPUBLISHED, Batch

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """Outcome of a batch."""

    text: bytes
    """The result, as JSON that the contract admits."""
    success_rate: float
    """Share of its requests with a result, from 0 to 1."""
    is_error: bool
    """True if that is less than the contract wants."""


class BatchRunner:
    """Runs requests in batches."""

    def __init__(
        self, agent: Agent[Any, Any, Any], batch: Batch, requests: RequestRunner, dependencies: Dependencies
    ) -> None:
        self._batch = batch
        self._requests = requests
        self._dependencies = dependencies
        self._slots = asyncio.Semaphore(agent.limits.max_concurrent)
        self._results = BatchResults(batch, dependencies)

    async def run(self, values: Sequence[str], stop: asyncio.Event) -> AsyncIterator[BatchOutcome]:
        """Yield the outcome of each batch of *values*, with a pause between two.

        Once *stop* is set, begin no request; the last outcome is without those that never began.
        """
        for start in range(0, len(values), self._batch.size):
            if start:
                await pause(self._dependencies.clock, self._batch.delay_ms / 1000, stop)
            chunk = values[start : start + self._batch.size]
            outcomes = await asyncio.gather(*(self._run_one(value, stop) for value in chunk))
            finished = [(value, each) for value, each in zip(chunk, outcomes, strict=True) if each is not None]
            if finished:
                yield self._summarise(finished)

    async def _run_one(self, value: str, stop: asyncio.Event) -> Outcome | None:
        """Return the outcome of one request; None if *stop* is set before it begins. Raises nothing."""
        async with self._slots:
            if stop.is_set():
                return None
            outcome = await self._requests.run({self._batch.argument: value})
            if isinstance(outcome, Failed):
                await self._results.publish_failure(value, outcome)
            return outcome

    def _summarise(self, finished: Sequence[tuple[str, Outcome]]) -> BatchOutcome:
        """Return the outcome of a batch from those of its requests; record and log it."""
        outcomes = [outcome for _, outcome in finished]
        share, text = success_rate(outcomes), self._results.encode(finished)
        self._dependencies.metrics.record_batch(share)
        is_error = share < self._batch.min_success_rate
        partial = sum(isinstance(each, Answered) and bool(each.missing) for each in outcomes)
        failed = sum(isinstance(each, Failed) for each in outcomes)
        counts = {"successful": len(outcomes) - partial - failed, "partial": partial, "failed": failed}
        publications = Counter(each.publication for each in outcomes if isinstance(each, Answered))
        counts |= {name: publications[name] for name in UNPUBLISHED if publications[name]}
        level = logging.ERROR if is_error else logging.INFO
        _LOG.log(level, "batch", extra={"fields": counts | {"success_rate": share}})
        return BatchOutcome(text=text, success_rate=share, is_error=is_error)
