"""Execution of one request to an agent, within its deadline."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from toolaccord.agent import observer
from toolaccord.agent.call import LanguageModel
from toolaccord.agent.clients import TOOLS_SHARE
from toolaccord.agent.declarations import Agent
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.missing import MissingLabels
from toolaccord.agent.outbox import Outbox, Publications, RequestPublisher
from toolaccord.agent.outcomes import Answered, Failed, Outcome
from toolaccord.call.events import BoundEvent
from toolaccord.call.execution import constant_fields
from toolaccord.call.results import encode_checked
from toolaccord.call.serialization import dump_records
from toolaccord.client.base import ServerClient
from toolaccord.errors import CallFailed, SourceError, ToolError, find_type
from toolaccord.handler import Progress, ignore_progress
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator, load_record
from toolaccord.schema.violations import Violation, describe
from toolaccord.sources import Source
from toolaccord.telemetry import json_logs
from toolaccord.telemetry.correlation import CorrelationScope, current_corr_id, resolve_corr_id
from toolaccord.telemetry.redaction import Redactor
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, deadline_in, run_within

_LOG = logging.getLogger(__name__)
_MAX_LOGGED_CHARACTERS = 2000
"""Characters of a request in the log, which callers over HTTP must not fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Clients, sources and the rest that the runs of requests need."""

    clients: Mapping[str, ServerClient]
    """Open clients by the names of their uses."""
    sources: Mapping[str, Source]
    """Sources by name."""
    events: Mapping[str, BoundEvent]
    """Events by name."""
    settings: Mapping[str, Any]
    """Value of each setting, by name."""
    metrics: AgentMetrics
    """Counts requests."""
    redactor: Redactor
    """Removes secrets from texts for callers."""
    clock: Clock
    """Clock of deadlines and of `now`."""
    model: LanguageModel | None = None
    """The language model; None if the contract or the settings name none."""


class RequestRunner:
    """Runs the handler of an agent."""

    def __init__(self, agent: Agent[Any, Any, Any], dependencies: Dependencies) -> None:
        self._agent = agent
        self._dependencies = dependencies
        self._timeout_s = agent.limits.timeout_ms / 1000
        self._input, self._output = SchemaValidator(agent.input), SchemaValidator(agent.output)
        self._constant = {
            **constant_fields(agent.handler_settings, dependencies.sources, dependencies.settings),
            **dependencies.clients,
            "model": dependencies.model,
        }
        self._members = {each.name for each in fields(agent.call)}
        self._max_age = agent.batch.delivery_time if agent.batch else None
        self.outbox = Outbox(dependencies.metrics, dependencies.clock)
        """Sends events whose source was away."""

    async def run(
        self,
        arguments: Any,
        *,
        corr_id: str | None = None,
        progress: Progress = ignore_progress,
        now: datetime | None = None,
    ) -> Outcome:
        """Return the outcome of a request within the agent's deadline.

        The *arguments* need not be valid. Log the request with *corr_id*, by default a new one, which also its calls
        carry. *now* is the time for which the handler answers, by default the present.
        """
        clock, metrics = self._dependencies.clock, self._dependencies.metrics
        started_at = clock.monotonic()
        with CorrelationScope(resolve_corr_id({"corr_id": corr_id})), metrics.count_running():
            retries = observer.count_retries()
            outcome = await self._answer(arguments, progress, now or clock.now(), retries)
            duration_ms = (clock.monotonic() - started_at) * 1000
            metrics.record_duration(duration_ms)
            if isinstance(outcome, Answered):
                metrics.record_result(outcome.result)
            else:
                metrics.record_error(outcome.error_type)
            json_logs.log_event(_LOG, "request", _log_fields(arguments, outcome, duration_ms))
        return outcome

    async def _answer(self, arguments: Any, progress: Progress, now: datetime, retries: list[str]) -> Outcome:
        """Return the outcome of a request; its calls add to *retries*. Raises nothing."""
        request = self._load(arguments)
        if isinstance(request, list):
            return Failed(error=self._redact(describe(request)), error_type="INVALID_PARAMETERS")
        missing = MissingLabels(self._agent.uses)
        publications = Publications(self._dependencies.metrics, may_defer=self._max_age is not None)
        try:
            handling = self._handle(request, self._call_record(missing, publications, progress, now))
            result = await run_within(self._dependencies.clock, self._timeout_s, handling)
            text = encode_checked(self._output, dump_records(result, nullable=self._agent.nullable))
        except Exception as error:
            return Failed(
                error=self._describe(error),
                error_type=_type_of(error),
                retries=len(retries),
                retryable=_is_retryable(error),
            )
        return Answered(
            result=json.loads(text),
            missing=missing.labels,
            confidence_penalty=missing.confidence_penalty,
            publication=publications.outcome,
            delivery=self.outbox.add(publications, now + self._max_age)
            if self._max_age and publications.deferred
            else None,
        )

    def _load(self, arguments: Any) -> Any:
        """Return *arguments* as a record, or their violations."""
        found: list[Violation] = self._input.violations(arguments)
        return found or load_record(self._agent.request, self._input.normalise(arguments))

    async def _handle(self, request: Any, record: Any) -> Any:
        """Return the handler's result; the calls in it end early enough for an answer without them."""
        with deadline_in(self._dependencies.clock, self._timeout_s * TOOLS_SHARE):
            return await self._agent.handler(request, record)

    def _call_record(
        self, missing: MissingLabels, publications: Publications, progress: Progress, now: datetime
    ) -> Any:
        members: JsonObject = {
            **self._constant,
            **{name: RequestPublisher(bound, publications) for name, bound in self._dependencies.events.items()},
            "now": now,
            "read_clock": self._dependencies.clock.now,
            "corr_id": current_corr_id(),
            "missing": missing,
            "progress": progress,
        }
        return self._agent.call(**{name: members[name] for name in self._members})

    def _describe(self, error: Exception) -> str:
        """Return the reason of a failure for the caller, and log it."""
        if isinstance(error, DeadlineExceeded):
            _LOG.warning("the request took longer than %s ms", self._agent.limits.timeout_ms)
            return f"There was no result within {self._agent.limits.timeout_ms} ms."
        if isinstance(error, ToolError | CallFailed):
            return self._redact(str(error))
        if isinstance(error, SourceError):
            _LOG.warning("a source failed: %s", error)
            return f"The source{f' {error.service}' if error.service else ''} did not answer; the log has the reason."
        _LOG.error("the agent is at fault", exc_info=error)
        return "The agent failed to answer; its log has the reason."

    def _redact(self, text: str) -> str:
        redacted: str = self._dependencies.redactor.redact(text)
        return redacted


def _type_of(error: Exception) -> str:
    return "TIMEOUT" if isinstance(error, DeadlineExceeded) else find_type(error)


def _is_retryable(error: Exception) -> bool:
    """Return True if the same request may succeed later, unlike one that the handler crashed on."""
    if isinstance(error, ToolError | CallFailed):
        return error.retryable
    return isinstance(error, SourceError | DeadlineExceeded)


def _log_fields(arguments: Any, outcome: Outcome, duration_ms: float) -> JsonObject:
    """Return the fields of the request's log line."""
    shown = repr(arguments)
    request = arguments if len(shown) <= _MAX_LOGGED_CHARACTERS else f"{shown[:_MAX_LOGGED_CHARACTERS]}..."
    log_fields: JsonObject = {"request": request, "duration_ms": round(duration_ms, 3)}
    if isinstance(outcome, Failed):
        return {**log_fields, "status": "error", "error_code": outcome.error_type, "error": outcome.error}
    status = "partial" if outcome.missing else "success"
    optional = {"missing": outcome.missing, "publication": outcome.publication}
    return {**log_fields, "status": status, **{name: value for name, value in optional.items() if value}}
