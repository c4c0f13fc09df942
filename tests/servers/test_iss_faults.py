"""moex-iss-mcp while the exchange misbehaves, and while many ask: each fault has its error, in time; the pace is kept."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from sandbox.iss import sessions
from sandbox.iss.shares import shares_on_board
from tests.contracts.reading import contracts, tool
from tests.servers.exchange import INDEX, ROOM, SNAPSHOT, TIMESERIES, TOOLS, Market, market
from tests.servers.seen import Seen
from tests.servers.station import Answer

FAILS = {
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
"""The error that each fault of the stand-in comes to, whichever tool asks."""
PASSING = ["HTTP500", "HTTP502", "HTTP503", "HTTP429", "RESET", "CUT"]
"""Faults that may be over a moment later."""

PAUSES_S = {"RETRYAFTER1": 1, "RETRYAFTER60": 60, "RETRYDATE": 60}
"""How long an answer of 429 keeps everybody from asking."""

LAG_S = 1.0
"""How far the clock may go on while an answer is on its way to the test."""


@pytest.fixture
async def moex(seen: Seen) -> AsyncIterator[Market]:
    async with market(seen) as each:
        yield each


def deadline_s(name: str) -> float:
    seconds: float = tool(ROOM, name)["deadline"]["timeout_ms"] / 1000
    return seconds


def source() -> dict[str, Any]:
    """The exchange as the contract declares it."""
    found: dict[str, Any] = contracts()[ROOM]["sources"]["iss"]
    return found


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("fault", FAILS)
async def test_each_fault_has_its_error_within_the_deadline_and_is_forgotten_after_it(
    moex: Market, fault: str, name: str
) -> None:
    moex.exchange.fail(fault)
    said = await moex.ask(name)
    assert said.code == FAILS[fault]
    assert moex.clock.monotonic() <= deadline_s(name) + LAG_S
    moex.exchange.recover()
    moex.clock.advance(PAUSES_S.get(fault, 0))
    assert (await moex.ask(name)).code is None


@pytest.mark.parametrize("name", TOOLS)
async def test_an_exchange_that_is_not_there_is_unavailable_until_it_is_back(moex: Market, name: str) -> None:
    with moex.exchange.unreachable():
        assert (await moex.ask(name)).code == "ISS_UNAVAILABLE"
    assert (await moex.ask(name)).code is None


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("fault", PASSING)
async def test_what_passes_is_not_noticed(moex: Market, fault: str, name: str) -> None:
    moex.exchange.fail(fault, times=source()["retries"])
    assert (await moex.ask(name)).code is None


@pytest.mark.parametrize("fault", FAILS)
async def test_only_what_may_pass_is_asked_again(moex: Market, fault: str) -> None:
    moex.exchange.fail(fault)
    await moex.ask(SNAPSHOT)
    tries = 1 + source()["retries"] if fault in {*PASSING, "RETRYAFTER1"} else 1
    assert len(moex.exchange.requests) == tries


async def test_the_exchange_is_asked_again_no_sooner_than_it_says(moex: Market) -> None:
    moex.exchange.fail("RETRYAFTER3", times=1)
    assert (await moex.ask(SNAPSHOT)).code is None
    first, second = moex.exchange.requests
    assert second.at - first.at >= timedelta(seconds=3)


@pytest.mark.parametrize("name", TOOLS)
async def test_the_order_of_columns_and_those_that_are_new_or_empty_change_nothing(seen: Seen, name: str) -> None:
    async with market(seen, standing=True) as honest, market(seen, standing=True) as shuffled:
        shuffled.exchange.fail("SHUFFLED")
        one, other = await honest.ask(name), await shuffled.ask(name)
    assert one.code is None
    assert (one.body["data"], one.body["metrics"]) == (other.body["data"], other.body["metrics"])


@pytest.mark.parametrize("fault", ["STUCK", "TRUNCATED"])
@pytest.mark.parametrize("name, arguments", [(INDEX, {}), (TIMESERIES, {"from_date": "2025-01-09", "interval": "1h"})])
async def test_pages_that_repeat_themselves_or_end_too_early_are_no_answer(
    seen: Seen, name: str, arguments: dict[str, Any], fault: str
) -> None:
    async with market(seen, members=120, cursor=True) as moex:
        moex.exchange.fail(fault)
        assert (await moex.ask(name, **arguments)).code == "ISS_BAD_RESPONSE"


async def test_an_index_that_is_cut_short_without_a_word_is_no_answer_and_the_log_says_what_is_missing(
    moex: Market, caplog: pytest.LogCaptureFixture
) -> None:
    moex.exchange.fail("SHORTPAGES")
    assert (await moex.ask(INDEX)).code == "ISS_BAD_RESPONSE"
    assert "The 20 weights of IMOEX sum to" in caplog.text
    moex.exchange.recover()
    assert (await moex.ask(INDEX)).code is None


async def test_thirty_callers_at_once_and_a_probe_never_exceed_the_pace_nor_the_connections(moex: Market) -> None:
    pace = source()["requests_per_second"]
    calls = {
        asyncio.create_task(moex.station.ask(SNAPSHOT, ticker=share.ticker)) for share in shares_on_board("TQBR")[:30]
    }
    for count in range(pace, len(calls) + 1, pace):
        await asyncio.to_thread(moex.exchange.wait_for_requests, count)
        await moex.station.check()
        await until_done(calls, count)
        moex.clock.advance(1)
    assert {(await call).code for call in calls} <= {None, "NO_DATA"}
    begun = [asked.at for asked in moex.exchange.requests]
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in zip(begun, begun[pace:], strict=False))
    assert len(begun) == len(calls)
    assert moex.exchange.peak_connections <= source()["max_connections"]


async def test_callers_who_hang_up_keep_nothing_from_the_next(moex: Market) -> None:
    calls = [
        asyncio.create_task(moex.station.ask(SNAPSHOT, ticker=share.ticker)) for share in shares_on_board("TQBR")[:30]
    ]
    await asyncio.to_thread(moex.exchange.wait_for_requests, source()["requests_per_second"])
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    assert (await moex.ask(INDEX)).code is None
    assert moex.clock.monotonic() <= 1 + LAG_S


async def until_done(calls: set[asyncio.Task[Answer]], count: int) -> None:
    """Wait until *count* of *calls* are answered."""
    while (left := [call for call in calls if not call.done()]) and len(calls) - len(left) < count:
        await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)


async def test_a_year_of_hours_comes_through_pages(moex: Market) -> None:
    year = {"from_date": "2025-01-01", "to_date": "2025-12-31", "interval": "1h"}
    said = await moex.ask(TIMESERIES, **year)
    days = list(sessions.trading_days(date(2025, 1, 1), date(2025, 12, 31)))
    bars = sum(len(sessions.trading_hours(day)) for day in days)
    times = [bar["ts"] for bar in said.body["data"]]
    assert 4000 < len(times) == bars
    assert all(earlier < later for earlier, later in pairwise(times))
    candles = [asked for asked in moex.exchange.requests if asked.path.endswith("/candles.json")]
    assert [int(asked.query.get("start", 0)) for asked in candles] == list(range(0, bars + 1, 500))
    assert len(moex.exchange.requests) == len(candles)


@pytest.mark.parametrize("members, pages", [(50, 1), (120, 2)])
async def test_an_index_comes_whole_with_two_kinds_of_requests(seen: Seen, members: int, pages: int) -> None:
    async with market(seen, members=members) as moex:
        said = await moex.ask(INDEX)
        assert len(said.body["data"]) == said.body["metrics"]["num_constituents"] == members
        analytics = [asked for asked in moex.exchange.requests if "/analytics/" in asked.path]
        assert [asked.query["limit"] for asked in analytics] == ["100"] * pages
        assert len(moex.exchange.requests) == pages + 1


async def test_the_exchange_is_told_who_asks(moex: Market) -> None:
    await moex.ask(SNAPSHOT)
    (asked,) = moex.exchange.requests
    assert asked.headers["user-agent"].startswith(contracts()[ROOM]["server"]["name"])
