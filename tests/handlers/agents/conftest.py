"""Servers on sample data of today, for the tests of whole signal generators."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from sandbox import candles
from sandbox.seeded_random import SEED
from sandbox.tradestream.database import SCHEMA
from sandbox.tradestream.load import load
from tests.conftest import NewDatabase
from tests.handlers.agents.generator import Floor
from tests.services.mcp_server import McpServer
from tests.services.valkey import Valkey

WEEK_S = "604800"
"""Seconds of a week, in which most strategies of ETH/USD have a signal, on any day."""


async def _fill(url: str) -> None:
    await SCHEMA.migrate(url)
    await load(url, SEED, datetime.now(UTC))


@pytest.fixture(scope="session")
def shared_floor(new_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """The servers and the Redis that all tests share."""
    folder = tmp_path_factory.mktemp("floor")
    with ExitStack() as stack:
        database = stack.enter_context(new_database())
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _fill(database)).result()
        influxdb = {"INFLUXDB_URL": stack.enter_context(candles.serve()), "INFLUXDB_QUERY_LANGUAGE": "influxql"}
        strategy = McpServer("generated.tradestream.strategy", {"DATABASE_URL": database, "SIGNAL_MAX_AGE": WEEK_S})
        market_data = McpServer("generated.tradestream.market_data", influxdb)
        yield Floor(
            stack.enter_context(Valkey(folder).running()),
            stack.enter_context(strategy.running()),
            stack.enter_context(market_data.running()),
        )


@pytest.fixture
def floor(shared_floor: Floor) -> Floor:
    """The servers, and the Redis without what earlier tests left in it."""
    shared_floor.redis.command("FLUSHALL")
    return shared_floor
