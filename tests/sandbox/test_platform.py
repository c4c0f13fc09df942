"""The sample data of risk-mcp: deterministic, current, and beside what users write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from sandbox.market import PAIRS, Market
from sandbox.platform.database import SCHEMA, load
from sandbox.platform.sample import COLUMNS, DAYS, LIMITS, PORTFOLIOS, QUOTED, build_sample

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
async def database(empty_postgres_url: str) -> str:
    """The URL of a database with the sample data of NOW."""
    await SCHEMA.migrate(empty_postgres_url)
    assert await load(empty_postgres_url, NOW)
    return empty_postgres_url


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def content(url: str) -> dict[str, set[tuple[Any, ...]]]:
    """Return the rows of each table."""
    async with connected(url) as connection:
        return {
            table: {tuple(row) for row in await connection.fetch(f"SELECT {', '.join(columns)} FROM {table}")}
            for table, columns in COLUMNS.items()
        }


def test_past_prices_do_not_depend_on_the_time_and_other_seeds_have_others() -> None:
    before, after = build_sample(1, NOW), build_sample(1, NOW + DAY)
    past = {row for row in before["instrument_prices"] if row[1] < NOW.date()}
    later = set(after["instrument_prices"])
    assert {row for row in past if row[1] > NOW.date() - (DAYS - 1) * DAY} <= later
    assert not past & set(build_sample(2, NOW)["instrument_prices"])


def test_prices_are_those_of_the_sandboxs_market() -> None:
    today = {symbol: price for symbol, day, price in build_sample(1, NOW)["instrument_prices"] if day == NOW.date()}
    hour = NOW.timestamp() / 3600
    assert {symbol: float(today[symbol]) for symbol in PAIRS} == {s: Market(1).price(s, hour) for s in PAIRS}
    assert set(today) == {*PAIRS, *QUOTED}


async def test_the_database_holds_the_sample(database: str) -> None:
    assert await content(database) == {table: set(rows) for table, rows in build_sample(1, NOW).items()}
    assert len((await content(database))["portfolio_limits"]) == len(LIMITS) * len(PORTFOLIOS)


async def test_a_refresh_moves_the_newest_prices_and_keeps_what_users_wrote(database: str) -> None:
    async with connected(database) as user:
        await user.execute("INSERT INTO portfolio_limits VALUES ('mine', 'mine', 'max_position_value', NULL, 1)")
        await user.execute("UPDATE portfolio_positions SET quantity = 7 WHERE symbol = 'SPY'")
    assert await load(database, NOW + DAY, replace=False)
    found = await content(database)
    assert found["instrument_prices"] >= set(build_sample(1, NOW + DAY)["instrument_prices"])
    assert {row[0] for row in found["portfolio_limits"]} == {"mine", *PORTFOLIOS}
    assert {row[2] for row in found["portfolio_positions"] if row[1] == "SPY"} == {7}


async def test_data_of_another_version_are_replaced_only_by_a_start(database: str) -> None:
    async with connected(database) as user:
        await user.execute("UPDATE sandbox.risk_loaded SET version = 'another'")
        await user.execute("DELETE FROM portfolio_positions")
    assert not await load(database, NOW, replace=False)
    assert (await content(database))["portfolio_positions"] == set()
    assert await load(database, NOW)
    assert await content(database) == {table: set(rows) for table, rows in build_sample(1, NOW).items()}
