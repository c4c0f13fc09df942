"""A connection with prepared outcomes, and an observer that records."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from toolaccord.client.connection import ToolResponse
from toolaccord.client.policies import CallObserver, ObservedTool
from toolaccord.json_values import JsonObject


@dataclass(frozen=True)
class Sent:
    """A request that was sent."""

    tool: str
    arguments: JsonObject
    meta: JsonObject
    timeout_s: float


class ScriptedConnection:
    """Connection whose requests have the given outcomes in turn; the last one is repeated.

    An outcome is an exception, a result, or an error of the dialect: a dict with `code`.
    """

    def __init__(self, *outcomes: Exception | JsonObject) -> None:
        self.outcomes = list(outcomes)
        self.sent: list[Sent] = []
        self.gate = asyncio.Event()
        """Requests wait until it is set, which it is at first."""
        self.gate.set()
        self.in_flight = 0
        self.most_in_flight = 0

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        self.sent.append(Sent(tool, arguments, meta, timeout_s))
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        self.in_flight += 1
        self.most_in_flight = max(self.in_flight, self.most_in_flight)
        try:
            await self.gate.wait()
        finally:
            self.in_flight -= 1
        if isinstance(outcome, Exception):
            raise outcome
        is_error = "code" in outcome
        body = {"error": {"message": "", "details": {}} | outcome} if is_error else {"data": outcome}
        return ToolResponse(text=json.dumps(body), is_error=is_error, corr_id="abc")


class Recorder(CallObserver):
    """Observer that records every event: its name and what it is about."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.tools: set[ObservedTool] = set()

    def on_attempt(self, tool: ObservedTool, attempt: int) -> None:
        self._record(tool, "attempt", attempt)

    def on_retry(self, tool: ObservedTool, retry: int, delay_s: float, error: Exception) -> None:
        self._record(tool, "retry", retry, delay_s, type(error))

    def on_retries_exhausted(self, tool: ObservedTool, error: Exception) -> None:
        self._record(tool, "exhausted", type(error))

    def on_cache_hit(self, tool: ObservedTool, age_s: float) -> None:
        self._record(tool, "hit", age_s)

    def on_cache_miss(self, tool: ObservedTool) -> None:
        self._record(tool, "miss")

    def on_stale_result(self, tool: ObservedTool, age_s: float, error: Exception) -> None:
        self._record(tool, "stale", age_s, type(error))

    def names(self) -> list[str]:
        """Return the names of the events."""
        return [name for name, *_ in self.events]

    def _record(self, tool: ObservedTool, *event: Any) -> None:
        self.tools.add(tool)
        self.events.append(event)


async def settle() -> None:
    """Let every task run that can."""
    for _ in range(40):
        await asyncio.sleep(0)
