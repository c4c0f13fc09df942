"""moex-iss-mcp on a real source: the generated server, its handlers and the pipeline."""

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from generated.moex.iss.server import server
from handlers.moex import iss
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.config.absent_stores import drop_absent_stores
from toolaccord.sources.http import HttpSource
from toolaccord.timing.clock import Clock, SystemClock

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
"""A Friday, 15:00 in Moscow."""
CALLS: dict[str, dict[str, Any]] = {
    "get_security_snapshot": {"ticker": "SBER"},
    "get_ohlcv_timeseries": {"ticker": "SBER", "from_date": "2026-10-01", "to_date": "2026-11-01"},
    "get_index_constituents_metrics": {"index_ticker": "IMOEX", "as_of_date": "2026-11-19"},
}
"""A call of each tool that succeeds."""


@dataclasses.dataclass(frozen=True, slots=True)
class Running:
    """The server."""

    pipeline: Pipeline

    async def ask(self, tool: str, **more: Any) -> Answer:
        """Call a tool, with the arguments of CALLS and *more*."""
        return await self.pipeline.call(tool, CALLS[tool] | more)

    async def refused(self, tool: str, **more: Any) -> tuple[str | None, int]:
        """Return the code and the HTTP status of an error, whose envelope is checked."""
        answer = await self.ask(tool, **more)
        assert answer.is_error
        assert answer.body["data"] in (None, [])
        assert answer.body["error"]["error_type"] == answer.code
        assert answer.body["metadata"]["source"] == "moex-iss"
        return answer.code, answer.http


@asynccontextmanager
async def running(
    url: str, *, deadline_ms: int = 10000, sectors: bool = False, clock: Clock | None = None, **limits: Any
) -> AsyncIterator[Running]:
    """Yield the server on the exchange at *url*; *limits* replace those of its source.

    The rate of requests is unlimited unless *limits* set it.
    """
    settings = {"iss_base_url": url, "sectors": sectors, "redis_url": ""}
    declared = drop_absent_stores(server(iss), settings)
    (source, redis) = declared.sources
    assert isinstance(source, HttpSource)
    clock = clock or SystemClock()
    sources = {"redis": redis.open(settings, clock)}
    http = dataclasses.replace(source, **{"requests_per_second": None} | limits).open(settings, clock)
    tools = tuple(dataclasses.replace(tool, timeout_ms=deadline_ms) for tool in declared.tools)
    try:
        yield Running(Pipeline(dataclasses.replace(declared, tools=tools), sources | {"iss": http}, settings, clock))
    finally:
        await http.close()
