"""The sample data of risk-mcp: deterministic, current, and beside what users write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from handlers.platform.history import DAYS as VALUE_AT_RISK_DAYS
from sandbox.market import INSTRUMENTS, PAIRS, WEEKDAY_INSTRUMENTS, Market
from sandbox.platform.database import SCHEMA, load
from sandbox.platform.sample import COLUMNS, DAYS, LIMITS, PORTFOLIOS, build_sample

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
    friday = NOW - DAY
    rows = build_sample(1, friday)["instrument_prices"]
    today = {symbol: float(price) for symbol, day, price in rows if day == friday.date()}
    assert today == {symbol: Market(1).price(symbol, friday.timestamp() / 3600) for symbol in INSTRUMENTS}


def test_pairs_of_currencies_and_shares_that_rest_at_weekends_have_no_price_of_them() -> None:
    days: dict[str, list[date]] = {}
    for symbol, day, _ in build_sample(1, NOW)["instrument_prices"]:
        days.setdefault(symbol, []).append(day)
    assert {"EURUSD", "AAPL"} <= set(WEEKDAY_INSTRUMENTS)
    for symbol, of_symbol in days.items():
        weekdays = {day.weekday() for day in of_symbol}
        assert weekdays == set(range(7 if symbol in PAIRS else 5))
        assert len(of_symbol) > VALUE_AT_RISK_DAYS


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
