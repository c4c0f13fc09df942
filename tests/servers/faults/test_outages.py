"""Test what the log, `/ready` and callers see of outages and of missing tables."""

import asyncio
import logging
import os
import re
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from generated.tradestream.decisions.models import SaveDecisionRequest, SaveDecisionResult
from generated.tradestream.decisions.server import DecisionsCall
from generated.tradestream.decisions.server import server as decisions_server
from generated.tradestream.errors import ReasoningTooLong
from handlers.tradestream import decisions
from sandbox.tradestream.database import SCHEMA
from tests.servers.backends import connect_database
from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources import Source
from toolaccord.sources.postgresql import PostgresqlError
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.testing.postgresql import running
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.readiness import Readiness
from toolaccord.transports.http.traffic import Traffic

REASONING = "because of s3cr3t figures"
DECISION = {"symbol": "ETH/USD", "action": "BUY", "confidence": 0.5, "reasoning": REASONING}
MISSING = 'a table is missing (relation "agent_decisions" does not exist): run `toolaccord migrate tradestream`'


class Decisions:
    """decisions-mcp on one database, with the probe of an orchestrator."""

    def __init__(self, source: Source, handlers: Any) -> None:
        self._source, self._clock = source, ManualClock()
        self._deadlines = ManualClock()
        declared = decisions_server(handlers)
        self._metrics = Metrics(declared, {"postgres": source})
        self._pipeline = pipeline(declared, sources={"postgres": source}, clock=self._deadlines)
        readiness = Readiness({"postgres": source}, Traffic(), self._clock)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(readiness), base_url="http://localhost")

    async def save(self) -> str | None:
        async with asyncio.timeout(PATIENCE_S):
            answer = await self._pipeline.call("save_decision", DECISION)
        assert b"relation" not in answer.json
        assert b"column" not in answer.json
        return answer.code

    async def save_until_deadline(self) -> str | None:
        """Return the code of a call that waits for the database until its deadline."""
        saving = asyncio.create_task(self.save())
        for _ in range(20):  # the attempt begins
            await asyncio.sleep(0)
        self._deadlines.advance(11)
        return await saving

    def is_up(self) -> float | None:
        """Return the state of the database for Prometheus."""
        return self._metrics.registry.get_sample_value("mcp_source_up", {"source": "postgres"})

    async def read(self) -> str | None:
        async with asyncio.timeout(PATIENCE_S):
            return (await self._pipeline.call("get_recent_decisions", {"symbol": "ETH/USD"})).code

    async def ready(self) -> dict[str, Any]:
        """Return what `/ready` answers to a new probe."""
        self._clock.advance(2)
        async with asyncio.timeout(PATIENCE_S):
            answer = await self._client.get("/ready")
        body: dict[str, Any] = answer.json()
        assert (answer.status_code == 200) == (body["status"] == "ready")
        return body


class Declaring:
    """Handlers that raise a declared error from a database error, as an author may."""

    get_recent_decisions = staticmethod(decisions.get_recent_decisions)

    async def save_decision(self, request: SaveDecisionRequest, call: DecisionsCall, /) -> SaveDecisionResult:
        try:
            return await decisions.save_decision(request, call)
        except PostgresqlError as error:
            raise ReasoningTooLong("The reasoning is dull.") from error


@asynccontextmanager
async def serving(url: str, handlers: Any = decisions) -> AsyncIterator[Decisions]:
    (declared,) = decisions_server(decisions).sources
    source = declared.open({"database_url": url}, SystemClock())
    try:
        yield Decisions(source, handlers)
    finally:
        await source.close()


def lines(records: list[logging.LogRecord]) -> list[tuple[str, str]]:
    """Return level and text of each record of the library, without the lines of calls."""
    assert all(record.exc_info is None for record in records)
    assert not any("s3cr3t" in record.getMessage() for record in records)
    found = [record for record in records if record.getMessage() != "call" and not record.name.startswith("httpx")]
    return [(record.levelname, record.getMessage()) for record in found]


def causes(records: list[logging.LogRecord]) -> list[str | None]:
    """Return the cause in the line of each call, without the address of the database."""
    found = [vars(record)["fields"].get("cause") for record in records if record.getMessage() == "call"]
    return [cause and re.sub(r"^postgres( at [^ ]+)?: ", "", cause) for cause in found]


async def test_an_outage_is_one_line_when_it_begins_and_one_when_it_ends(tmp_path: Path) -> None:
    with running(tmp_path) as cluster:
        await SCHEMA.migrate(cluster.url())
        async with serving(cluster.url()) as server:
            assert await server.save() is None
            with capture_logs() as records:
                for process in processes_of(tmp_path):  # without them, a session would answer on for a moment
                    with suppress(ProcessLookupError):  # others end with the first
                        os.kill(process, signal.SIGKILL)
                assert {await server.save() for _ in range(5)} == {"DATABASE_ERROR"}
                assert (await server.ready())["sources"] == {"postgres": "unavailable"}
            ((level, warning),) = lines(records)
            assert level == "WARNING"
            assert warning.startswith("source postgres is unavailable: ")
            assert not any("state" in str(cause) for cause in causes(records)), "asyncpg's own words"
            assert all(causes(records))
            with running(tmp_path), capture_logs() as records:
                assert {await server.save() for _ in range(3)} == {None}
                assert (await server.ready()) == {"status": "ready", "sources": {"postgres": "ok"}}
            assert lines(records) == [("INFO", "source postgres is available again")]


def processes_of(cluster: Path) -> list[int]:
    """Return the processes of a cluster, the one that starts others first."""
    postmaster = int((cluster / "data/postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return [postmaster, *map(int, children)]


@contextmanager
def frozen(cluster: Path) -> Iterator[None]:
    """Let every process of a cluster stand still; its connections stay open."""
    processes = processes_of(cluster)
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


async def test_a_frozen_database_is_reported_like_one_that_is_gone(tmp_path: Path) -> None:
    with running(tmp_path) as cluster:
        await SCHEMA.migrate(cluster.url())
        async with serving(cluster.url()) as server:
            assert await server.save() is None
            with frozen(tmp_path), capture_logs() as records:
                assert [await server.save_until_deadline() for _ in range(3)] == ["TIMEOUT"] * 3
                assert server.is_up() == 0
            ((level, warning),) = lines(records)
            assert level == "WARNING"
            assert re.fullmatch(r"source postgres is unavailable: no answer .*; look whether it hangs.*", warning)
            assert {str(cause).partition(" ")[0] for cause in causes(records)} == {"no"}
            with capture_logs() as records:
                assert await server.save() is None
                assert server.is_up() == 1
            assert lines(records) == [("INFO", "source postgres is available again")]


async def test_a_missing_table_is_reported_before_a_call_and_until_it_is_there(empty_postgres_url: str) -> None:
    async with serving(empty_postgres_url) as server:
        with capture_logs() as records:
            expected = {"sources": {"postgres": "unavailable"}, "reasons": {"postgres": MISSING}}
            assert [await server.ready() for _ in range(2)] == [{"status": "not ready"} | expected] * 2
            assert await server.read() == "DATABASE_ERROR"
            assert causes(records) == [MISSING]
            await SCHEMA.migrate(empty_postgres_url)
            assert await server.ready() == {"status": "ready", "sources": {"postgres": "ok"}}
            assert await server.save() is None
        problem = ("WARNING", f"source postgres: {MISSING}")
        assert lines(records) == [problem, ("INFO", f"source postgres: no longer: {MISSING}")]


async def test_a_missing_column_is_reported_from_the_first_call_until_it_is_there(empty_postgres_url: str) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    async with serving(empty_postgres_url) as server, connect_database(empty_postgres_url) as owner:
        await owner.execute("ALTER TABLE agent_decisions RENAME reasoning TO thoughts")
        assert (await server.ready())["status"] == "ready"
        with capture_logs() as records:
            assert await server.save() == "DATABASE_ERROR"
        (cause,) = causes(records)
        assert cause == (
            'a column is missing (column "reasoning" of relation "agent_decisions" does not exist): '
            "run `toolaccord migrate tradestream`"
        )
        assert lines(records) == []
        assert (await server.ready())["reasons"] == {"postgres": cause}
        await owner.execute("ALTER TABLE agent_decisions RENAME thoughts TO reasoning")
        assert (await server.ready())["status"] == "ready"


async def test_an_error_of_a_statement_is_in_the_line_of_the_call_without_values_also_if_declared(
    empty_postgres_url: str,
) -> None:
    await SCHEMA.migrate(empty_postgres_url)
    async with connect_database(empty_postgres_url) as owner:
        await owner.execute("ALTER TABLE agent_decisions ADD CONSTRAINT dull CHECK (reasoning NOT LIKE '%s3cr3t%')")
    for handlers, code in ((decisions, "DATABASE_ERROR"), (Declaring(), "REASONING_TOO_LONG")):
        async with serving(empty_postgres_url, handlers) as server:
            with capture_logs() as records:
                assert await server.save() == code
        assert (lines(records), causes(records)) == (
            [],
            ["it answered with the code 23514 of dull: a value breaks a constraint; look at the constraint"],
        )
        assert not any("s3cr3t" in str(vars(record)) for record in records)
