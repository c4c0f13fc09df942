"""Batches of requests that differ in one argument; each has an outcome of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolpact.agent.declarations import Agent, Batch
from toolpact.agent.outcomes import Answered, Failed, Outcome
from toolpact.agent.requests import Means, RequestRunner
from toolpact.agent.schedule import pause
from toolpact.call.events import EventPublisher
from toolpact.call.results import BrokenResultError, encode_checked
from toolpact.errors import SourceError
from toolpact.json_values import JsonObject
from toolpact.schema.validator import SchemaValidator
from toolpact.timing.deadline import DeadlineExceeded, run_within

_LOG = logging.getLogger(__name__)
_EVENT_TIMEOUT_S = 1.0
"""Seconds for publishing the event of a failed request; its source may be what failed."""


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

    def __init__(self, agent: Agent[Any, Any, Any], batch: Batch, requests: RequestRunner, means: Means) -> None:
        self._batch = batch
        self._requests = requests
        self._means = means
        self._slots = asyncio.Semaphore(agent.limits.max_concurrent)
        self._schema = SchemaValidator(batch.schema)
        self._shape = _Shape(batch)
        self._on_failure = [each for each in means.events.values() if each.event.payload == self._shape.failed]

    async def run(self, values: Sequence[str], stop: asyncio.Event) -> AsyncIterator[BatchOutcome]:
        """Yield the outcome of each batch of *values*, with a pause between two.

        Once *stop* is set, begin no request; the last outcome is without those that never began.
        """
        for start in range(0, len(values), self._batch.size):
            if start:
                await pause(self._means.clock, self._batch.delay_ms / 1000, stop)
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
                await self._publish_failure(self._shape.describe_failure(value, outcome))
            return outcome

    async def _publish_failure(self, failure: JsonObject) -> None:
        """Publish the events that have the shape of a failed request; log those that cannot be."""
        for bound in self._on_failure:
            publishing = EventPublisher(bound, None).publish(failure)
            try:
                await run_within(self._means.clock, _EVENT_TIMEOUT_S, publishing)
            except (SourceError, BrokenResultError, DeadlineExceeded) as error:
                _LOG.warning("the event %s was not published: %s", bound.event.name, error)

    def _summarise(self, finished: Sequence[tuple[str, Outcome]]) -> BatchOutcome:
        """Return the outcome of a batch from those of its requests; record and log it."""
        answered = [each for _, each in finished if isinstance(each, Answered)]
        success_rate = len(answered) / len(finished)
        result: JsonObject = {
            "successful": [each.result for each in answered if not each.missing],
            "partial": [self._shape.describe_partial(each) for each in answered if each.missing],
            "failed": [
                self._shape.describe_failure(value, each) for value, each in finished if isinstance(each, Failed)
            ],
            "success_rate": success_rate,
        }
        text = encode_checked(self._schema, result)
        self._means.metrics.record_batch(success_rate)
        is_error = success_rate < self._batch.min_success_rate
        counts = {name: len(result[name]) for name in ("successful", "partial", "failed")}
        _LOG.log(
            logging.ERROR if is_error else logging.INFO,
            "batch",
            extra={"fields": counts | {"success_rate": success_rate}},
        )
        return BatchOutcome(text=text, success_rate=success_rate, is_error=is_error)


class _Shape:
    """Shape of a batch's result.

    It has the lists `successful`, `partial` and `failed`, and the number `success_rate`.
    """

    def __init__(self, batch: Batch) -> None:
        members = batch.schema["properties"]
        self._argument = batch.argument
        self.failed: JsonObject = members["failed"]["items"]
        """Schema of a failed request."""
        others = members["partial"]["items"]["properties"].keys() - {"missing_data", "confidence_penalty"}
        (self._result,) = others

    def describe_partial(self, outcome: Answered) -> JsonObject:
        """Return a result from incomplete data."""
        return {
            self._result: outcome.result,
            "missing_data": list(outcome.missing),
            "confidence_penalty": outcome.confidence_penalty,
        }

    def describe_failure(self, value: str, outcome: Failed) -> JsonObject:
        """Return a failed request with the argument *value*.

        Texts are cut to the lengths that the schema admits.
        """
        failure = {self._argument: value, "error": outcome.error, "error_type": outcome.error_type}
        members = self.failed["properties"]
        texts = {
            name: text.encode("utf-8", "backslashreplace").decode()[: members[name].get("maxLength")]
            for name, text in failure.items()
        }
        return {**texts, "retries_attempted": outcome.retries}
