"""The query plans of the tools over a large database: by index, never a whole table."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import asyncpg
import orjson
import pytest

from handlers.tradestream import decisions, portfolio, strategy, strategy_db
from handlers.tradestream.decisions import RECENT_DECISIONS
from tests.handlers.tradestream.large import IMPLEMENTATIONS, SIGNALS, fill, identifier

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
A_DAY_AGO = NOW - timedelta(days=1)
ACCOUNT, SYMBOL = "account 3", "S7/USD"

READS: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "top strategies": (strategy.TOP_STRATEGIES, (SYMBOL, "sharpe", 5, 0, 10, 20)),
    "a strategy's signal": (strategy.STRATEGY_SIGNAL, (identifier(7), SYMBOL, A_DAY_AGO)),
    "current signals": (strategy.CURRENT_SIGNALS, (SYMBOL, A_DAY_AGO)),
    "symbols that begin with a text": (strategy.KNOWN_SYMBOLS, ("S7",)),
    "positions": (portfolio.POSITIONS, (ACCOUNT, 50, 0)),
    "positions in a symbol": (portfolio.POSITIONS_IN_SYMBOL, (ACCOUNT, 50, 0, SYMBOL)),
    "balance": (portfolio.BALANCE, (ACCOUNT,)),
    "what a trade is judged by": (portfolio.TRADE_CONTEXT, (ACCOUNT, SYMBOL, NOW, "SHORT")),
    "decisions": (RECENT_DECISIONS[()], (10, 0)),
    "decisions on a symbol": (RECENT_DECISIONS["symbol",], (10, 0, SYMBOL)),
    "decisions for an action": (RECENT_DECISIONS["action",], (10, 0, "BUY")),
    "decisions on a symbol for an action": (RECENT_DECISIONS["symbol", "action"], (10, 0, SYMBOL, "BUY")),
    "top specs": (strategy_db.TOP_SPECS, (10, 0)),
    "top specs of a source": (strategy_db.TOP_SPECS_OF_SOURCE, (10, 0, "LLM_GENERATED")),
    "implementations": (strategy_db.IMPLEMENTATIONS, (identifier(7), 10, 0)),
    "implementations in a status": (strategy_db.IMPLEMENTATIONS_IN_STATUS, (identifier(7), 10, 0, "VALIDATED")),
    "whether a name is taken": (strategy_db.IS_TAKEN, ("SPEC_7",)),
    "a spec": (strategy_db.SPEC, ("SPEC_7",)),
}
READS_OF_EVERY_SPEC = {strategy_db.NEAR_COPY, strategy_db.SPECS, strategy_db.NAMES}
"""Statements that compare or list all specs, which are hundreds and not millions."""
NOT_READS = {decisions.PAGE, decisions.SAVE, strategy_db.SUBMIT}
"""A text that statements are made of, and the statements that write."""


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
    sql, values = READS[what]
    await database.execute(f"SET plan_cache_mode = {mode}")
    await database.execute(f"PREPARE tested AS {sql}")
    given = ", ".join("'" + str(value).replace("'", "''") + "'" for value in values)
    plan = orjson.loads(await database.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE tested ({given})"))
    scans = [node for node in nodes(plan[0]["Plan"]) if "Relation Name" in node]
    assert scans
    assert [node["Relation Name"] for node in scans if node["Node Type"] == "Seq Scan"] == []


@pytest.mark.parametrize("what", list(READS))
async def test_every_statement_finds_something(database: asyncpg.Connection, what: str) -> None:
    sql, values = READS[what]
    rows = await database.fetch(sql, *values)
    assert rows
    assert any(value is not None for value in rows[-1].values())


def test_every_statement_of_the_tools_is_looked_at() -> None:
    modules = (strategy, portfolio, decisions, strategy_db)
    written = {text for module in modules for text in statements(module)}
    assert written - NOT_READS - READS_OF_EVERY_SPEC == {sql for sql, _ in READS.values()}


def statements(module: ModuleType) -> Iterator[str]:
    """Yield the texts of SQL in a module."""
    for name, value in vars(module).items():
        for text in value.values() if isinstance(value, Mapping) else [value]:
            if name.isupper() and isinstance(text, str) and ("SELECT " in text or "INSERT " in text):
                yield text


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
