"""Prove that moex-iss-mcp answers each fault of the exchange in time, within its rate limit."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from sandbox.iss import sessions
from sandbox.iss.shares import shares_on_board
from tests.contracts.reading import contracts, tool
from tests.servers.backends import (
    EXCHANGE_SERVER,
    EXCHANGE_TOOLS,
    INDEX,
    SERIES,
    SNAPSHOT,
    ExchangeServer,
    open_exchange_server,
)
from tests.servers.contracts import Observations
from tests.servers.harness import Answer

CODES = {
    "HTTP500": "ISS_UNAVAILABLE",
    "HTTP502": "ISS_UNAVAILABLE",
    "HTTP503": "ISS_UNAVAILABLE",
    "HTTP403": "ISS_UNAVAILABLE",
    "RESET": "ISS_UNAVAILABLE",
    "CUT": "ISS_UNAVAILABLE",
    "HTTP429": "RATE_LIMITED",
    "RETRYAFTER1": "RATE_LIMITED",
    "RETRYAFTER60": "RATE_LIMITED",
    "RETRYDATE": "RATE_LIMITED",
    "SLOW": "ISS_TIMEOUT",
    "DRIP": "ISS_TIMEOUT",
    "BROKENJSON": "ISS_BAD_RESPONSE",
    "NOTJSON": "ISS_BAD_RESPONSE",
    "ERRORBLOCK": "ISS_BAD_RESPONSE",
    "NOBLOCKS": "ISS_BAD_RESPONSE",
    "NOCOLUMN": "ISS_BAD_RESPONSE",
    "RAGGED": "ISS_BAD_RESPONSE",
    "TEXTS": "ISS_BAD_RESPONSE",
    "ABSURD": "ISS_BAD_RESPONSE",
}
"""The error code that each fault of the stand-in causes in every tool."""
TRANSIENT = ["HTTP500", "HTTP502", "HTTP503", "HTTP429", "RESET", "CUT"]
"""Faults after which a retry may succeed."""

PAUSES_S = {"RETRYAFTER1": 1, "RETRYAFTER60": 60, "RETRYDATE": 60}
"""Seconds without requests after a 429 with Retry-After."""

LAG_S = 1.0
"""Seconds by which the clock may advance while an answer travels to the test."""


@pytest.fixture
async def moex(observations: Observations) -> AsyncIterator[ExchangeServer]:
    async with open_exchange_server(observations) as each:
        yield each


def deadline_s(name: str) -> float:
    seconds: float = tool(EXCHANGE_SERVER, name)["deadline"]["timeout_ms"] / 1000
    return seconds


def source() -> dict[str, Any]:
    """Return the exchange's declaration in the contract."""
    found: dict[str, Any] = contracts()[EXCHANGE_SERVER]["sources"]["iss"]
    return found


@pytest.mark.parametrize("name", EXCHANGE_TOOLS)
@pytest.mark.parametrize("fault", CODES)
async def test_each_fault_has_its_error_within_the_deadline_and_the_next_call_works(
    moex: ExchangeServer, fault: str, name: str
) -> None:
    moex.exchange.fail(fault)
    answer = await moex.call(name)
    assert answer.code == CODES[fault]
    assert moex.clock.monotonic() <= deadline_s(name) + LAG_S
    moex.exchange.recover()
    moex.clock.advance(PAUSES_S.get(fault, 0))
    assert (await moex.call(name)).code is None


@pytest.mark.parametrize("name", EXCHANGE_TOOLS)
async def test_an_unreachable_exchange_is_unavailable_until_it_is_back(moex: ExchangeServer, name: str) -> None:
    with moex.exchange.unreachable():
        assert (await moex.call(name)).code == "ISS_UNAVAILABLE"
    assert (await moex.call(name)).code is None


@pytest.mark.parametrize("name", EXCHANGE_TOOLS)
@pytest.mark.parametrize("fault", TRANSIENT)
async def test_a_transient_fault_is_retried_and_not_reported(moex: ExchangeServer, fault: str, name: str) -> None:
    moex.exchange.fail(fault, times=source()["retries"])
    assert (await moex.call(name)).code is None


@pytest.mark.parametrize("fault", CODES)
async def test_only_transient_faults_are_retried(moex: ExchangeServer, fault: str) -> None:
    moex.exchange.fail(fault)
    await moex.call(SNAPSHOT)
    tries = 1 + source()["retries"] if fault in {*TRANSIENT, "RETRYAFTER1"} else 1
    assert len(moex.exchange.requests) == tries


async def test_a_retry_waits_for_retry_after(moex: ExchangeServer) -> None:
    moex.exchange.fail("RETRYAFTER3", times=1)
    assert (await moex.call(SNAPSHOT)).code is None
    first, second = moex.exchange.requests
    assert second.at - first.at >= timedelta(seconds=3)


@pytest.mark.parametrize("name", EXCHANGE_TOOLS)
async def test_shuffled_new_or_empty_columns_change_nothing(observations: Observations, name: str) -> None:
    async with (
        open_exchange_server(observations, fixed_prices=True) as ordered,
        open_exchange_server(observations, fixed_prices=True) as shuffled,
    ):
        shuffled.exchange.fail("SHUFFLED")
        one, other = await ordered.call(name), await shuffled.call(name)
    assert one.code is None
    assert (one.body["data"], one.body["metrics"]) == (other.body["data"], other.body["metrics"])


@pytest.mark.parametrize("fault", ["STUCK", "TRUNCATED"])
@pytest.mark.parametrize("name, arguments", [(INDEX, {}), (SERIES, {"from_date": "2025-01-09", "interval": "1h"})])
async def test_repeated_or_missing_pages_are_a_bad_response(
    observations: Observations, name: str, arguments: dict[str, Any], fault: str
) -> None:
    async with open_exchange_server(observations, members=120, cursor=True) as moex:
        moex.exchange.fail(fault)
        assert (await moex.call(name, **arguments)).code == "ISS_BAD_RESPONSE"


async def test_a_silently_truncated_index_is_a_bad_response_and_logged_at_debug_with_the_sum_of_its_weights(
    moex: ExchangeServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    moex.exchange.fail("SHORTPAGES")
    assert (await moex.call(INDEX)).code == "ISS_BAD_RESPONSE"
    assert "The 20 weights of IMOEX sum to" in caplog.text
    moex.exchange.recover()
    assert (await moex.call(INDEX)).code is None


async def test_thirty_concurrent_calls_and_a_probe_exceed_neither_the_rate_limit_nor_the_connections(
    moex: ExchangeServer,
) -> None:
    limit = source()["requests_per_second"]
    month = {"from_date": "2025-10-01", "to_date": "2025-11-01"}
    calls = {
        asyncio.create_task(moex.server.call(SERIES, ticker=share.ticker, **month))
        for share in shares_on_board("TQBR")[-30:]
    }
    for count in range(limit, len(calls) + 1, limit):
        await asyncio.to_thread(moex.exchange.wait_for_requests, count)
        await moex.server.check()
        await wait_until_done(calls, count)
        moex.clock.advance(1)
    assert {(await call).code for call in calls} <= {None, "NO_DATA"}
    sent_at = [request.at for request in moex.exchange.requests]
    assert all(
        later - earlier >= timedelta(seconds=1) for earlier, later in zip(sent_at, sent_at[limit:], strict=False)
    )
    assert len(sent_at) == len(calls)
    assert moex.exchange.peak_connections <= source()["max_connections"]


async def test_cancelled_calls_do_not_delay_the_next(moex: ExchangeServer) -> None:
    calls = [
        asyncio.create_task(moex.server.call(SNAPSHOT, ticker=share.ticker)) for share in shares_on_board("TQBR")[:30]
    ]
    await asyncio.to_thread(moex.exchange.wait_for_requests, source()["requests_per_second"])
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    assert (await moex.call(INDEX)).code is None
    assert moex.clock.monotonic() <= 1 + LAG_S


async def wait_until_done(calls: set[asyncio.Task[Answer]], count: int) -> None:
    """Wait until *count* of *calls* are answered."""
    while (running := [call for call in calls if not call.done()]) and len(calls) - len(running) < count:
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)


async def test_a_year_of_hourly_bars_is_read_page_by_page(moex: ExchangeServer) -> None:
    year = {"from_date": "2025-01-01", "to_date": "2025-12-31", "interval": "1h"}
    answer = await moex.call(SERIES, **year)
    days = list(sessions.trading_days(date(2025, 1, 1), date(2025, 12, 31)))
    bars = sum(len(sessions.trading_hours(day)) for day in days)
    times = [bar["ts"] for bar in answer.body["data"]]
    assert 4000 < len(times) == bars
    assert all(earlier < later for earlier, later in pairwise(times))
    candles = [request for request in moex.exchange.requests if request.path.endswith("/candles.json")]
    assert [int(request.query.get("start", 0)) for request in candles] == list(range(0, bars + 1, 500))
    assert len(moex.exchange.requests) == len(candles)


@pytest.mark.parametrize("members, pages", [(50, 1), (120, 2)])
async def test_an_index_is_complete_after_two_kinds_of_requests(
    observations: Observations, members: int, pages: int
) -> None:
    async with open_exchange_server(observations, members=members) as moex:
        answer = await moex.call(INDEX)
        assert len(answer.body["data"]) == answer.body["metrics"]["num_constituents"] == members
        analytics = [request for request in moex.exchange.requests if "/analytics/" in request.path]
        assert [request.query["limit"] for request in analytics] == ["100"] * pages
        assert len(moex.exchange.requests) == pages + 1


async def test_requests_to_the_exchange_carry_a_user_agent(moex: ExchangeServer) -> None:
    await moex.call(SNAPSHOT)
    (request,) = moex.exchange.requests
    assert request.headers["user-agent"].startswith(contracts()[EXCHANGE_SERVER]["server"]["name"])
