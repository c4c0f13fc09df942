"""The query plans of the tools over a large database: by index, never a whole table."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import orjson
import pytest

from tests.contracts.reading import ROOT
from tests.handlers.tradestream.large import IMPLEMENTATIONS, SIGNALS, fill, identifier
from toolaccord.semantics.sql_templates import Statement
from toolaccord_codegen.queries.files import read_sql_file

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
VALUES: Mapping[str, Any] = {
    "account_id": "account 3",
    "action": "BUY",
    "beginning": "S7",
    "closed_side": "SHORT",
    "enough_signals": 10,
    "first": NOW.date() - timedelta(days=365),
    "last": NOW.date(),
    "limit": 10,
    "name": "SPEC_7",
    "now": NOW,
    "offset": 0,
    "prior_signals": 20,
    "since": NOW - timedelta(days=1),
    "source": "LLM_GENERATED",
    "spec_id": identifier(7),
    "status": "VALIDATED",
    "strategy_id": identifier(7),
    "symbol": "S7/USD",
}
"""A value for each parameter of the queries that read."""
NOT_LOOKED_AT = {"near_copy", "specs", "names", "save", "submit"}
"""Queries that write, and those that read all specs, which are hundreds and not millions."""


def _list_reads() -> Iterator[tuple[str, Statement]]:
    """Yield each statement that reads, with a name."""
    for path in sorted((ROOT / "handlers/tradestream").glob("*.sql")):
        for query in read_sql_file(path, path.name, []):
            for variant in query.template.list_variants() if query.name not in NOT_LOOKED_AT else ():
                build = query.template.build_page if query.kind == "page" else query.template.build
                given = [*sorted(variant.given), *variant.chosen]
                yield f"{path.stem}.{query.name} {' '.join(given)}".strip(), build(variant)


READS = dict(_list_reads())


@pytest.fixture(scope="module")
def large_url(postgres_url: str) -> str:
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, fill(postgres_url)).result()
    return postgres_url


@pytest.fixture
async def database(large_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection: asyncpg.Connection = await asyncpg.connect(large_url)
    yield connection
    await connection.close()


async def test_the_database_is_as_large_as_promised(database: asyncpg.Connection) -> None:
    assert await database.fetchval("SELECT count(*) FROM strategy_implementations") == IMPLEMENTATIONS == 100_000
    assert await database.fetchval("SELECT count(*) FROM signals") == SIGNALS == 1_000_000


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("what", list(READS))
async def test_no_statement_reads_a_whole_table(database: asyncpg.Connection, what: str, mode: str) -> None:
    await database.execute(f"SET plan_cache_mode = {mode}")
    await database.execute(f"PREPARE tested AS {READS[what].sql}")
    given = ", ".join("'" + str(VALUES[name]).replace("'", "''") + "'" for name in READS[what].parameters)
    plan = orjson.loads(await database.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE tested ({given})"))
    scans = [node for node in nodes(plan[0]["Plan"]) if "Relation Name" in node]
    assert scans
    assert [node["Relation Name"] for node in scans if node["Node Type"] == "Seq Scan"] == []


@pytest.mark.parametrize("what", list(READS))
async def test_every_statement_finds_something(database: asyncpg.Connection, what: str) -> None:
    rows = await database.fetch(READS[what].sql, *(VALUES[name] for name in READS[what].parameters))
    assert rows
    assert any(value is not None for value in rows[-1].values())


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
