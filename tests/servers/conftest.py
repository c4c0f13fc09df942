"""What the tests of whole servers share: marks that must be true, and silence about faults made on purpose."""

import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import pytest

from sandbox.tradestream.load import load
from tests.servers.market import A_STRATEGY, ROOM, SYMBOL, Ask, apart, asking, connection
from tests.servers.seen import MARKS, Seen
from tests.servers.station import NOW, Station, station
from toolpact.testing import ManualClock


def pytest_addoption(parser: pytest.Parser) -> None:
    """Understand --fuzz-examples."""
    said = "how many requests schemathesis makes up for each operation, other ones each time"
    parser.addoption("--fuzz-examples", type=int, help=said)


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.fixture
def seen() -> Seen:
    """What servers answer during the test."""
    return Seen()


@pytest.fixture(autouse=True)
def marks_are_true(request: pytest.FixtureRequest, seen: Seen) -> Iterator[None]:
    """Fail a test that did not see what its marks claim."""
    yield
    assert seen.missing(request.node.iter_markers()) == []


@pytest.fixture
def quiet() -> Iterator[None]:
    """Let nothing be logged."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def market(postgres_url: str) -> str:
    """The URL of a database with the sample market of NOW, for servers whose clock is moved by hand."""
    apart(load(postgres_url, 1, NOW))
    return postgres_url


@pytest.fixture(scope="module")
def market_of_today(postgres_url: str) -> str:
    """The URL of a database with the sample market of now, for servers that live by the clock of the machine."""
    apart(load(postgres_url, 1, datetime.now(UTC)))
    return postgres_url


@pytest.fixture(scope="module")
def strategy_id(market: str) -> str:
    """A strategy that has a current signal for SYMBOL."""

    async def find() -> str:
        async with connection(market) as asking:
            return str(await asking.fetchval(A_STRATEGY, SYMBOL))

    return str(apart(find()))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
async def strategy(market: str, clock: ManualClock, seen: Seen) -> AsyncIterator[Station]:
    async with station(ROOM, {"database_url": market}, seen, clock) as each:
        yield each


@pytest.fixture
def ask(strategy: Station, strategy_id: str) -> Ask:
    """Calls a tool; strategy and symbol are filled in."""
    return asking(strategy, strategy_id)
