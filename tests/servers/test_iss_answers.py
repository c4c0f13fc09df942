"""moex-iss-mcp on the stand-in of the exchange, over HTTP: everything it promises."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from handlers.moex import formulas
from sandbox.iss import Exchange
from tests.contracts import reading
from tests.servers.manifest import answers, cached, each_tool
from tests.servers.seen import Seen
from tests.servers.station import Station, station
from toolpact.testing import ManualClock

ROOM = "moex.iss"
SNAPSHOT, SERIES, INDEX = "get_security_snapshot", "get_ohlcv_timeseries", "get_index_constituents_metrics"
ALL: Mapping[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "SBER"},
    SERIES: {"ticker": "SBER", "from_date": "2026-10-01", "to_date": "2026-10-31"},
    INDEX: {"index_ticker": "IMOEX", "as_of_date": "2026-11-19"},
}
"""A call of each tool that succeeds."""


@pytest.fixture
def exchange(clock: ManualClock) -> Iterator[Exchange]:
    """The exchange, whose clock is moved with the server's."""
    with Exchange(clock.now).running() as each:
        yield each


@pytest.fixture
async def moex(exchange: Exchange, clock: ManualClock, seen: Seen) -> AsyncIterator[Station]:
    async with station(ROOM, {"iss_base_url": exchange.url}, seen, clock) as each:
        yield each


@each_tool([SNAPSHOT, SERIES], "INVALID_TICKER")
async def test_a_ticker_that_is_unknown_malformed_or_missing_has_one_code(moex: Station, tool: str) -> None:
    unknown = await moex.ask(tool, **ALL[tool] | {"ticker": "NOPE"})
    assert (unknown.code, unknown.details) == ("INVALID_TICKER", {"ticker": "NOPE", "board": "TQBR"})
    metadata = unknown.body["metadata"]
    assert (metadata["source"], metadata["ticker"], metadata["board"]) == ("moex-iss", "NOPE", "TQBR")
    for malformed in ("", "S" * 17, 5, "../SBER"):
        assert (await moex.ask(tool, **ALL[tool] | {"ticker": malformed})).code == "INVALID_TICKER"
    without = {key: value for key, value in ALL[tool].items() if key != "ticker"}
    assert (await moex.ask(tool, **without)).code == "INVALID_TICKER"


@answers(INDEX, "UNKNOWN_INDEX")
async def test_an_index_that_is_not_served_has_a_code_of_its_own(moex: Station) -> None:
    said = await moex.ask(INDEX, **ALL[INDEX] | {"index_ticker": "DAX"})
    assert (said.code, said.body["data"]) == ("UNKNOWN_INDEX", [])
    assert moex.asked == 0


@answers(SERIES, "INVALID_DATE_RANGE")
async def test_the_last_day_is_not_before_the_first(moex: Station) -> None:
    said = await moex.ask(SERIES, ticker="SBER", from_date="2026-10-02", to_date="2026-10-01")
    assert said.code == "INVALID_DATE_RANGE"
    assert (await moex.ask(SERIES, ticker="SBER", from_date="2026-10-01", to_date="2026-10-01")).code is None


@answers(SERIES, "DATE_RANGE_TOO_LARGE")
async def test_a_range_is_of_two_years_at_most(moex: Station) -> None:
    said = await moex.ask(SERIES, ticker="SBER", from_date="2024-10-01", to_date="2026-10-02")
    assert said.code == "DATE_RANGE_TOO_LARGE"
    assert (await moex.ask(SERIES, ticker="SBER", from_date="2024-10-01", to_date="2026-10-01")).code is None


@each_tool(ALL, "VALIDATION_ERROR")
async def test_other_arguments_that_break_the_schema_are_named(moex: Station, tool: str) -> None:
    said = await moex.ask(tool, **ALL[tool] | {"since": "2026-01-01"})
    assert said.code == "VALIDATION_ERROR"
    assert [violation["at"] for violation in said.details["violations"]] == ["/since"]
    assert moex.asked == 0


@each_tool([SERIES], "VALIDATION_ERROR")
@pytest.mark.parametrize("day", ["2026-02-30", "yesterday", "2026-10-01T00:00:00Z", ""])
async def test_a_day_that_is_none_breaks_the_schema(moex: Station, tool: str, day: str) -> None:
    said = await moex.ask(tool, ticker="SBER", from_date=day, to_date="2026-10-01")
    assert (said.code, said.details["violations"][0]["at"]) == ("VALIDATION_ERROR", "/from_date")


NOTHING: Mapping[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "NSVZ"},
    SERIES: {"ticker": "KROT"},
    INDEX: {"as_of_date": "2026-11-04"},
}
"""What the exchange knows and has nothing of: a share never traded, one not traded any more, a holiday."""


@each_tool(ALL, "NO_DATA")
async def test_what_the_exchange_knows_and_has_nothing_of_is_no_data_and_never_kept(
    moex: Station, clock: ManualClock, tool: str
) -> None:
    asked = 0
    for _ in range(2):
        said = await moex.ask(tool, **ALL[tool] | NOTHING[tool])
        assert (said.code, said.details) == ("NO_DATA", {"ticker": NOTHING[tool].get("ticker", "IMOEX")})
        assert moex.asked > asked
        asked = moex.asked
        clock.advance(1)  # or the source's pace would wait for it


@each_tool(ALL, "ISS_TIMEOUT")
async def test_an_exchange_that_does_not_answer_is_given_up_in_time(
    moex: Station, exchange: Exchange, clock: ManualClock, tool: str
) -> None:
    exchange.fail("SLOW")
    asking = asyncio.create_task(moex.ask(tool, **ALL[tool]))
    await moex.until_asked(1)
    clock.advance(reading.tool(ROOM, tool)["deadline"]["timeout_ms"] / 1000)
    assert (await asking).code == "ISS_TIMEOUT"
    exchange.recover()
    assert (await moex.ask(tool, **ALL[tool])).code is None


@each_tool(ALL, "ISS_UNAVAILABLE")
async def test_an_exchange_that_fails_is_unavailable(moex: Station, exchange: Exchange, tool: str) -> None:
    exchange.fail("HTTP404")
    assert (await moex.ask(tool, **ALL[tool])).code == "ISS_UNAVAILABLE"


@each_tool(ALL, "RATE_LIMITED")
async def test_an_exchange_that_wants_no_requests_for_longer_than_the_deadline_is_not_waited_for(
    moex: Station, exchange: Exchange, tool: str
) -> None:
    exchange.fail("RETRYDATE")
    assert (await moex.ask(tool, **ALL[tool])).code == "RATE_LIMITED"
    assert len(exchange.requests) == 1


@each_tool(ALL, "ISS_BAD_RESPONSE")
async def test_an_answer_that_is_no_market_data_is_a_bad_response(moex: Station, exchange: Exchange, tool: str) -> None:
    for fault in ("BROKENJSON", "ERRORBLOCK", "NOBLOCKS"):
        exchange.fail(fault, times=1)
        said = await moex.ask(tool, **ALL[tool])
        assert (said.code, said.body["data"] or None) == ("ISS_BAD_RESPONSE", None)


@each_tool(ALL, "INTERNAL")
async def test_figures_that_break_the_contract_are_never_sent(
    moex: Station, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for formula in ("intraday_volatility_estimate", "total_return_pct", "top_weight_pct"):
        monkeypatch.setattr(formulas, formula, lambda *_: math.inf)
    said = await moex.ask(tool, **ALL[tool])
    assert (said.code, said.message, said.details) == ("INTERNAL", "The server failed to answer.", {})
    assert not said.body["data"]


async def assert_kept_for(moex: Station, clock: ManualClock, tool: str, ttl_s: float, **arguments: Any) -> None:
    """Assert that a result is given again for *ttl_s* seconds, and no longer."""
    first = await moex.ask(tool, **arguments)
    asked = moex.asked
    clock.advance(ttl_s - 1)
    assert (await moex.ask(tool, **arguments)).body == first.body
    assert moex.asked == asked
    clock.advance(1)
    await moex.ask(tool, **arguments)
    assert moex.asked > asked


@cached(SNAPSHOT)
@cached(SERIES)
@cached(INDEX)
async def test_a_result_is_given_again_until_it_is_too_old(moex: Station, clock: ManualClock) -> None:
    for tool, arguments in ALL.items():
        await assert_kept_for(moex, clock, tool, reading.tool(ROOM, tool)["cache"]["ttl_s"], **arguments)


@cached(SERIES)
async def test_a_bar_of_today_is_never_kept_as_long_as_one_that_is_over(moex: Station, clock: ManualClock) -> None:
    times = reading.tool(ROOM, SERIES)["cache"]
    assert times["provisional_ttl_s"] < times["ttl_s"]
    for last in ("2026-11-21", "2026-12-31"):
        await assert_kept_for(moex, clock, SERIES, times["provisional_ttl_s"], **ALL[SERIES] | {"to_date": last})
    await assert_kept_for(moex, clock, SERIES, times["ttl_s"], **ALL[SERIES] | {"to_date": "2026-11-20"})


def test_the_codes_of_the_server_are_the_eleven_of_the_exchange() -> None:
    named = {error["code"] for tool in ALL for error in reading.tool(ROOM, tool)["errors"]}
    dialect = reading.load(reading.CONTRACTS / "dialects.json")["moex"]["occasions"]
    assert named | {dialect["arguments"], dialect["internal"]} == {
        "INVALID_TICKER", "UNKNOWN_INDEX", "INVALID_DATE_RANGE", "DATE_RANGE_TOO_LARGE", "NO_DATA", "VALIDATION_ERROR",
        "ISS_TIMEOUT", "ISS_UNAVAILABLE", "ISS_BAD_RESPONSE", "RATE_LIMITED", "INTERNAL",
    }  # fmt: skip
