"""The analyst with its client, and a real server on the exchange's stand-in."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import jsonschema

from generated.agents.moex_analyst.agent import MoexAnalystCall, agent
from generated.agents.moex_analyst.models import AnalystRequest
from generated.moex.iss.client import IssClient
from generated.moex.iss.server import server
from handlers.agents import moex_analyst
from handlers.agents.analysis.number_check import find_unsupported
from handlers.agents.analysis.securities import find_securities
from handlers.moex import iss
from toolpact.agent.call import LanguageModel
from toolpact.call.serialization import dump_records
from toolpact.client.connection import Connection, ToolResponse
from toolpact.json_values import JsonObject
from toolpact.sources.http import HttpSource
from toolpact.testing import ManualClock, connection
from toolpact.timing.clock import SystemClock

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
"""A Friday, 15:00 in Moscow."""
AGENT = agent(moex_analyst)
VALIDATOR = jsonschema.Draft202012Validator(AGENT.output)


@dataclass
class RecordingConnection:
    """A connection that keeps the successful responses of another."""

    inner: Connection
    results: list[JsonObject] = field(default_factory=list)

    async def open(self) -> None:
        """Open the other."""
        await self.inner.open()

    async def close(self) -> None:
        """Close the other."""
        await self.inner.close()

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the other's response."""
        response = await self.inner.call(tool, arguments, meta, timeout_s)
        if not response.is_error:
            self.results.append(json.loads(response.text))
        return response


@dataclass
class Analyst:
    """The agent, one client, and what it was told."""

    tools: RecordingConnection
    client: IssClient
    reports: list[tuple[float, float | None, str | None]] = field(default_factory=list)
    model: LanguageModel | None = None

    async def ask(self, *texts: str, **metadata: str) -> JsonObject:
        """Return the output for the user's *texts*, after checking it.

        It fits the schema, and every number of its text stands in a result.
        """
        messages = [{"role": "user", "content": text} for text in texts]
        request = AnalystRequest.model_validate({"input": {"messages": messages, "metadata": metadata}})
        self.tools.results.clear()
        call = MoexAnalystCall(
            iss=self.client, now=NOON, read_clock=lambda: NOON, corr_id="abc", model=self.model, progress=self._report
        )
        response = await moex_analyst.answer(request, call)
        document = dump_records(response, nullable=AGENT.nullable)
        VALIDATOR.validate(document)
        output: JsonObject = document["output"]
        language: Any = metadata.get("locale", "ru")[:2]
        assert (
            find_unsupported(output["text"], self.tools.results, language, names=find_securities(" ".join(texts))) == ()
        )
        return output

    async def _report(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        self.reports.append((done, total, message))


@asynccontextmanager
async def analyst_on(url: str) -> AsyncIterator[Analyst]:
    """Yield the analyst with the real server on the exchange at *url*."""
    declared = server(iss)
    (source,) = declared.sources
    assert isinstance(source, HttpSource)
    settings: JsonObject = {"iss_base_url": url, "sectors": False}
    http = dataclasses.replace(source, requests_per_second=None, retries=0).open(settings, SystemClock())
    clock = ManualClock(NOON)
    tools = RecordingConnection(connection(declared, sources={"iss": http}, settings=settings, clock=clock))
    try:
        async with IssClient(tools) as client:
            yield Analyst(tools, client)
    finally:
        await http.close()
