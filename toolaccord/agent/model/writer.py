"""Texts of an agent's model, in bounded time and with bounded effort."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import orjson
from pydantic_ai import Agent, NativeOutput, ToolOutput, UsageLimits
from pydantic_ai.exceptions import ModelHTTPError, UsageLimitExceeded
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from toolaccord.agent.call import NO_BOUNDS, Arguments, Output, Written
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.model.tools import ModelRun, ModelTool
from toolaccord.errors import ModelError
from toolaccord.json_values import JsonObject
from toolaccord.telemetry import json_logs
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within, time_left

_LOG = logging.getLogger(__name__)
LIMITS: Final = UsageLimits(request_limit=6, tool_calls_limit=12, total_tokens_limit=100_000)
"""Requests to the model, calls of tools and tokens for one text."""
MAX_OUTPUT_TOKENS: Final = 4000
"""Tokens of one answer of the model."""
MIN_TIME_S: Final = 0.5
"""Seconds below which no request is worth its price."""


class ModelWriter:
    """A model that writes texts; several requests may use it at once."""

    def __init__(
        self, model: Model, instructions: str, tools: Sequence[ModelTool] | None, metrics: AgentMetrics, clock: Clock
    ) -> None:
        """With *tools*, the model answers by a call of one more.

        If *tools* is None, it cannot call any, and answers in the form of a schema.
        """
        self._name = model.model_name
        self._form = NativeOutput if tools is None else ToolOutput
        self._metrics = metrics
        self._clock = clock
        self._agent = Agent(
            model,
            instructions=instructions,
            deps_type=ModelRun,
            tools=tools or (),
            model_settings=ModelSettings(max_tokens=MAX_OUTPUT_TOKENS),
            retries=1,
            end_strategy="early",
        )

    async def write(
        self, task: str, data: JsonObject, output: type[Output], /, *, only: Arguments = NO_BOUNDS
    ) -> Written[Output]:
        """Return the model's answer to *task* about *data*; see `LanguageModel`. Raises ModelError."""
        seconds = time_left(self._clock) or 0
        if seconds < MIN_TIME_S:
            raise self._report(DeadlineExceeded())
        try:
            return await run_within(self._clock, seconds, self._run(task, data, output, ModelRun(only)))
        except Exception as error:  # whatever a model or its library does, the handler answers without it
            raise self._report(error) from error

    def _report(self, error: Exception) -> ModelError:
        """Count and log *error*; return it as the handler's."""
        self._metrics.record_error(ModelError.__name__)
        reason = _describe(error)
        _LOG.warning("the model %s wrote nothing: %s", self._name, reason)
        _LOG.debug("the model failed", exc_info=error)
        return ModelError(f"The model {self._name} wrote nothing: {reason}")

    async def _run(self, task: str, data: JsonObject, output: type[Output], deps: ModelRun) -> Written[Output]:
        started_at = self._clock.monotonic()
        prompt = f"{task}\n\nThe data, as JSON:\n{orjson.dumps(data).decode()}"
        run = await self._agent.run(prompt, output_type=self._form(output), deps=deps, usage_limits=LIMITS)
        fields = {
            "model": self._name,
            "duration_ms": round((self._clock.monotonic() - started_at) * 1000, 3),
            "requests": run.usage.requests,
            "tool_calls": len(deps.calls),
            "input_tokens": run.usage.input_tokens,
            "output_tokens": run.usage.output_tokens,
        }
        json_logs.log_event(_LOG, "model", fields)
        return Written(output=run.output, calls=tuple(deps.calls))


def _describe(error: Exception) -> str:
    """Return the reason of a failure.

    It is without texts of the API and of the model, which may hold a part of the key.
    """
    if isinstance(error, DeadlineExceeded):
        return "the time for calls is over"
    if isinstance(error, ModelHTTPError):
        return f"its API answered with status {error.status_code}"
    if isinstance(error, UsageLimitExceeded):
        return f"{error}"
    return f"its API or its answer is at fault ({type(error).__name__})"
