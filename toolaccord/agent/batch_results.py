"""Results of batches, and the events of failed requests."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from toolaccord.agent.outcomes import Answered, Failed, Outcome
from toolaccord.agent.requests import Dependencies
from toolaccord.call.results import BrokenResultError, encode_checked
from toolaccord.contract.agents import UNPUBLISHED, Batch
from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator
from toolaccord.timing.deadline import DeadlineExceeded, run_within

_LOG = logging.getLogger(__name__)
_EVENT_TIMEOUT_S = 1.0
"""Seconds for publishing the event of a failed request; its source may be what failed."""


class BatchResults:
    """Reports the outcomes of requests, as the contract has them."""

    def __init__(self, batch: Batch, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._schema = SchemaValidator(batch.result)
        self._shape = _Shape(batch)
        self._on_failure = [each for each in dependencies.events.values() if each.event.payload == self._shape.failed]

    async def publish_failure(self, value: str, outcome: Failed, *, message_id: str | None = None) -> None:
        """Publish the events that have the shape of a failed request; log those that cannot be.

        The request has *value* as its argument. Events with equal *message_id* are published once.
        """
        failure = self._shape.describe_failure(value, outcome)
        for bound in self._on_failure:
            publishing = bound.publisher(None).publish(failure, message_id=message_id)
            try:
                await run_within(self._dependencies.clock, _EVENT_TIMEOUT_S, publishing)
            except (SourceError, BrokenResultError, DeadlineExceeded) as error:
                _LOG.warning("the event %s was not published: %s", bound.event.name, error)

    def encode(self, finished: Sequence[tuple[str, Outcome]]) -> bytes:
        """Return the result of a batch as JSON, from its requests' arguments and outcomes.

        Raises BrokenResultError if the contract does not admit it.
        """
        answered = [each for _, each in finished if isinstance(each, Answered)]
        unpublished = {
            name: [each.result for each in answered if each.publication == name] for name in self._shape.unpublished
        }
        sent = [each for each in answered if each.publication not in unpublished]
        result: JsonObject = {
            "successful": [each.result for each in sent if not each.missing],
            "partial": [self._shape.describe_partial(each) for each in sent if each.missing],
            **unpublished,
            "failed": [
                self._shape.describe_failure(value, each) for value, each in finished if isinstance(each, Failed)
            ],
            "success_rate": success_rate(outcome for _, outcome in finished),
        }
        return encode_checked(self._schema, result)


def success_rate(outcomes: Iterable[Outcome]) -> float:
    """Return the share of *outcomes* with a result, from 0 to 1; there is at least one."""
    answered = [isinstance(each, Answered) for each in outcomes]
    return sum(answered) / len(answered)


class _Shape:
    """Shape of a batch's result.

    It has the lists `successful`, `partial` and `failed`, and the number `success_rate`. It may have the lists
    `duplicate` and `deferred`.
    """

    def __init__(self, batch: Batch) -> None:
        members = batch.result["properties"]
        self._argument = batch.argument
        self.failed: JsonObject = members["failed"]["items"]
        """Schema of a failed request."""
        self.unpublished = tuple(name for name in UNPUBLISHED if name in members)
        """Lists of results that are not published, or not yet."""
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
