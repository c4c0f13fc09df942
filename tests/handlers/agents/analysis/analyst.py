"""The analyst with its client, and a real server on the exchange's stand-in."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import jsonschema

from generated.agents.moex_analyst.agent import MoexAnalystCall, agent
from generated.agents.moex_analyst.models import AnalystRequest
from generated.moex.iss.client import IssClient
from generated.moex.iss.server import server
from handlers.agents import moex_analyst
from handlers.agents.analysis.narration import find_mentions
from handlers.agents.analysis.wording import wording_of
from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts
from handlers.agents.claims.numbers import find_numbers
from handlers.agents.numerals import Language
from handlers.agents.questions.catalogue import build_catalogue
from handlers.moex import iss
from tests.handlers.agents.analysis.listings import LISTINGS
from toolaccord.agent.call import LanguageModel
from toolaccord.call.serialization import dump_records
from toolaccord.client.connection import Connection, ToolResponse
from toolaccord.json_values import JsonObject
from toolaccord.sources.http import HttpSource
from toolaccord.testing import ManualClock, connection
from toolaccord.timing.clock import SystemClock

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
"""A Friday, 15:00 in Moscow."""
AGENT = agent(moex_analyst)
MENTIONS = partial(find_mentions, build_catalogue(LISTINGS))
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
    is_market: bool = True
    """False if the results contradict each other, as no market's do."""

    async def ask(self, *texts: str, **metadata: str) -> JsonObject:
        """Return the output for the user's *texts*, after checking it.

        It fits the schema, and its claims are those of the results; if these contradict each other, its numbers are.
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
        limit, facts = wording_of(language).errors["DATE_RANGE_TOO_LARGE"].removeprefix("{subject}"), self._facts()
        # A notice quotes the question, and names securities of the list.
        words = re.sub("«.*?»|“.*?”", "", output["text"].replace(limit, ""))
        false = find_false_claims(words, facts, language, MENTIONS)
        invented = [each for each in false if self.is_market or not _stands_in(each, facts, language)]
        assert invented == [], output["text"]
        return output

    def _facts(self) -> Facts:
        facts = Facts(currency="RUB")
        for result in self.tools.results:
            if "data" in result and "board" in result["metadata"] and "ticker" not in result["metadata"]:
                continue  # the list of securities
            index, ticker = (result["metadata"].get(each) for each in ("index_ticker", "ticker"))
            facts.add_result(result, index or ticker, "index" if index else "security")
        return facts

    async def _report(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        self.reports.append((done, total, message))


def _stands_in(part: str, facts: Facts, language: Language) -> bool:
    """Return True if every number of *part* is one of the results."""
    numbers = list(find_numbers(part, language))
    known = [abs(fact.value) for fact in facts.numbers]
    return all(any(abs(each - number.value) <= number.tolerance for each in known) for number in numbers)


@asynccontextmanager
async def analyst_on(url: str) -> AsyncIterator[Analyst]:
    """Yield the analyst with the real server on the exchange at *url*."""
    declared = server(iss)
    source = declared.sources[0]
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
