"""Provide servers and databases to the tests, and check the claims of their marks."""

import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import pytest

from sandbox.platform.database import SCHEMA
from sandbox.platform.database import load as load_limits
from sandbox.tradestream.load import load
from tests.conftest import NewDatabase
from tests.servers.backends import (
    STRATEGY_SERVER,
    STRATEGY_WITH_SIGNAL,
    SYMBOL,
    CallTool,
    bind_strategy,
    connect_database,
    run_in_thread,
)
from tests.servers.contracts import Observations
from tests.servers.harness import NOW, ServerUnderTest, open_server
from toolaccord.testing import ManualClock


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --fuzz-examples."""
    parser.addoption("--fuzz-examples", type=int, help="random requests that schemathesis generates for each operation")


@pytest.fixture
def observations() -> Observations:
    """The answers of servers during the test."""
    return Observations()


@pytest.fixture(autouse=True)
def claims_are_proven(request: pytest.FixtureRequest, observations: Observations) -> Iterator[None]:
    """Fail a test whose marks claim more than it observed."""
    yield
    assert observations.unproven(request.node.iter_markers()) == []


@pytest.fixture
def without_logs() -> Iterator[None]:
    """Disable logging: the test causes thousands of errors on purpose."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def market(postgres_url: str) -> str:
    """The URL of a database with the sample market at NOW, for servers under a manual clock."""
    run_in_thread(load(postgres_url, 1, NOW))
    return postgres_url


@pytest.fixture(scope="module")
def market_today(postgres_url: str) -> str:
    """The URL of a database with today's sample market, for servers on the machine's clock."""
    run_in_thread(load(postgres_url, 1, datetime.now(UTC)))
    return postgres_url


@pytest.fixture(scope="module")
def limits_url(new_database: NewDatabase) -> Iterator[str]:
    """The URL of a database with the sample data at NOW."""
    with new_database() as url:
        run_in_thread(SCHEMA.migrate(url))
        run_in_thread(load_limits(url, NOW))
        yield url


@pytest.fixture(scope="module")
def strategy_id(market: str) -> str:
    """A strategy that has a current signal for SYMBOL."""

    async def find() -> str:
        async with connect_database(market) as connection:
            return str(await connection.fetchval(STRATEGY_WITH_SIGNAL, SYMBOL))

    return str(run_in_thread(find()))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
async def strategy_server(
    market: str, clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(STRATEGY_SERVER, {"database_url": market}, observations, clock) as server:
        yield server


@pytest.fixture
def call_tool(strategy_server: ServerUnderTest, strategy_id: str) -> CallTool:
    """Calls a tool; strategy and symbol are filled in."""
    return bind_strategy(strategy_server, strategy_id)
