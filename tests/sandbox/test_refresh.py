"""A sandbox that goes on for days has data of the day, however many processes share it."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from sandbox.sample_database import EVERY_S
from sandbox.seeded_random import SEED
from sandbox.tradestream.database import DATABASE, SCHEMA
from sandbox.tradestream.load import load
from tests.sandbox.test_tradestream import content
from toolaccord.testing import capture_logs

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOWHERE = "postgresql://nobody@127.0.0.1:9/nothing"


class Nights:
    """A clock that each wait moves on by the next of the *steps*, and ends after the last."""

    def __init__(self, *steps: timedelta) -> None:
        self._time = NOW
        self._steps = iter(steps)

    def now(self) -> datetime:
        return self._time

    def wait(self, seconds: float) -> bool:
        assert seconds == EVERY_S
        step = next(self._steps, None)
        self._time += step or timedelta(0)
        return step is None


async def refresh(url: str, *steps: timedelta) -> None:
    """Keep the data fresh as a process does that looks after each of the *steps*."""
    clock = Nights(*steps)
    await asyncio.to_thread(DATABASE.keep_fresh, url, clock.now, clock.wait)


async def loaded_at(url: str) -> datetime:
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        found: datetime = await connection.fetchval("SELECT until FROM sandbox.loaded")
        return found
    finally:
        await connection.close()


@pytest.fixture
async def market(empty_postgres_url: str) -> str:
    """The URL of a database with the sample data of NOW."""
    await SCHEMA.migrate(empty_postgres_url)
    await load(empty_postgres_url, SEED, NOW)
    return empty_postgres_url


async def test_after_days_the_data_are_those_of_the_day(market: str, postgres_url: str) -> None:
    await refresh(market, HOUR / 12, 2 * HOUR, timedelta(days=3))
    assert await loaded_at(market) == NOW + HOUR / 12 + 2 * HOUR + timedelta(days=3)
    await load(postgres_url, SEED, await loaded_at(market))
    assert await content(market) == await content(postgres_url)


@pytest.mark.parametrize("looks, loaded", [(11, 0), (13, 12)])
async def test_data_are_loaded_again_once_they_are_an_hour_old(market: str, looks: int, loaded: int) -> None:
    await refresh(market, *[HOUR / 12] * looks)
    assert await loaded_at(market) == NOW + loaded * HOUR / 12


async def test_processes_that_share_a_database_refresh_it_together(market: str, postgres_url: str) -> None:
    await asyncio.gather(*(refresh(market, 25 * HOUR, HOUR / 2) for _ in range(3)))
    assert await loaded_at(market) == NOW + 25 * HOUR
    await load(postgres_url, SEED, NOW + 25 * HOUR)
    assert await content(market) == await content(postgres_url)


async def test_data_of_another_version_of_the_sample_are_left_alone(market: str) -> None:
    connection: asyncpg.Connection = await asyncpg.connect(market)
    await connection.execute("UPDATE sandbox.loaded SET version = 'another'")
    await connection.close()
    before = await content(market)
    await refresh(market, 25 * HOUR)
    assert (await loaded_at(market), await content(market)) == (NOW, before)


async def test_of_failures_in_a_row_the_first_is_logged() -> None:
    with capture_logs() as logs:
        await refresh(NOWHERE, HOUR, HOUR, HOUR)
    assert [record.getMessage() for record in logs] == [
        "the sandbox's TradeStream data could not be brought up to date"
    ]


async def test_a_refresh_that_succeeds_logs_nothing(market: str) -> None:
    with capture_logs() as logs:
        await refresh(market, HOUR, HOUR)
    assert logs == []
