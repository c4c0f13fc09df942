"""Prove every promise of moex-iss-mcp on the stand-in of the exchange, over HTTP."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from handlers.moex import formulas, securities
from sandbox.iss.shares import all_shares, shares_on_board
from tests.contracts import reading
from tests.servers.contracts import Observations, answers, cached, parametrize_tools
from tests.servers.harness import ServerUnderTest, open_server
from tests.services.exchange import Exchange
from toolaccord.testing import ManualClock

SERVER = "moex.iss"
SNAPSHOT, SERIES, INDEX = "get_security_snapshot", "get_ohlcv_timeseries", "get_index_constituents_metrics"
LIST = "list_securities"
ARGUMENTS: Mapping[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "SBER"},
    SERIES: {"ticker": "SBER", "from_date": "2026-10-01", "to_date": "2026-10-31"},
    INDEX: {"index_ticker": "IMOEX", "as_of_date": "2026-11-19"},
    LIST: {"board": "TQBR"},
}
"""Arguments with which each tool has a result."""


@pytest.fixture
def exchange(clock: ManualClock) -> Iterator[Exchange]:
    """The exchange, under the clock of the server."""
    with Exchange(clock.now).running() as each:
        yield each


@pytest.fixture
async def moex(exchange: Exchange, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, {"iss_base_url": exchange.url}, observations, clock) as each:
        yield each


@parametrize_tools([SNAPSHOT, SERIES], "INVALID_TICKER")
async def test_a_ticker_that_is_unknown_malformed_or_missing_has_one_code(moex: ServerUnderTest, tool: str) -> None:
    unknown = await moex.call(tool, **ARGUMENTS[tool] | {"ticker": "NOPE"})
    assert (unknown.code, unknown.details) == ("INVALID_TICKER", {"ticker": "NOPE", "board": "TQBR"})
    metadata = unknown.body["metadata"]
    assert (metadata["source"], metadata["ticker"], metadata["board"]) == ("moex-iss", "NOPE", "TQBR")
    for malformed in ("", "S" * 17, 5, "../SBER"):
        assert (await moex.call(tool, **ARGUMENTS[tool] | {"ticker": malformed})).code == "INVALID_TICKER"
    without = {key: value for key, value in ARGUMENTS[tool].items() if key != "ticker"}
    assert (await moex.call(tool, **without)).code == "INVALID_TICKER"


@answers(INDEX, "UNKNOWN_INDEX")
async def test_an_unknown_index_has_a_code_of_its_own(moex: ServerUnderTest) -> None:
    answer = await moex.call(INDEX, **ARGUMENTS[INDEX] | {"index_ticker": "DAX"})
    assert (answer.code, answer.body["data"]) == ("UNKNOWN_INDEX", [])
    assert moex.source_requests == 0


@answers(SERIES, "INVALID_DATE_RANGE")
async def test_the_last_day_is_not_before_the_first(moex: ServerUnderTest) -> None:
    answer = await moex.call(SERIES, ticker="SBER", from_date="2026-10-02", to_date="2026-10-01")
    assert answer.code == "INVALID_DATE_RANGE"
    assert (await moex.call(SERIES, ticker="SBER", from_date="2026-10-01", to_date="2026-10-01")).code is None


@answers(SERIES, "DATE_RANGE_TOO_LARGE")
async def test_a_range_is_of_two_years_at_most(moex: ServerUnderTest) -> None:
    answer = await moex.call(SERIES, ticker="SBER", from_date="2024-10-01", to_date="2026-10-02")
    assert answer.code == "DATE_RANGE_TOO_LARGE"
    assert (await moex.call(SERIES, ticker="SBER", from_date="2024-10-01", to_date="2026-10-01")).code is None


@parametrize_tools(ARGUMENTS, "VALIDATION_ERROR")
async def test_other_invalid_arguments_are_named(moex: ServerUnderTest, tool: str) -> None:
    answer = await moex.call(tool, **ARGUMENTS[tool] | {"since": "2026-01-01"})
    assert answer.code == "VALIDATION_ERROR"
    assert [violation["at"] for violation in answer.details["violations"]] == ["/since"]
    assert moex.source_requests == 0


@parametrize_tools([SERIES], "VALIDATION_ERROR")
@pytest.mark.parametrize("day", ["2026-02-30", "yesterday", "2026-10-01T00:00:00Z", ""])
async def test_an_invalid_date_breaks_the_schema(moex: ServerUnderTest, tool: str, day: str) -> None:
    answer = await moex.call(tool, ticker="SBER", from_date=day, to_date="2026-10-01")
    assert (answer.code, answer.details["violations"][0]["at"]) == ("VALIDATION_ERROR", "/from_date")


NOTHING: Mapping[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "NSVZ"},
    SERIES: {"ticker": "KROT"},
    INDEX: {"as_of_date": "2026-11-04"},
}
"""Arguments without data: a share never traded, a delisted share, a holiday."""


@parametrize_tools(NOTHING, "NO_DATA")
async def test_a_known_ticker_or_day_without_data_is_no_data_and_never_cached(
    moex: ServerUnderTest, clock: ManualClock, tool: str
) -> None:
    requests = 0
    for _ in range(2):
        answer = await moex.call(tool, **ARGUMENTS[tool] | NOTHING[tool])
        assert (answer.code, answer.details) == ("NO_DATA", {"ticker": NOTHING[tool].get("ticker", "IMOEX")})
        assert moex.source_requests > requests
        requests = moex.source_requests
        clock.advance(1)  # or the rate limit would hold the request back


@parametrize_tools(ARGUMENTS, "ISS_TIMEOUT")
async def test_an_exchange_that_does_not_answer_is_a_timeout_at_the_deadline(
    moex: ServerUnderTest, exchange: Exchange, clock: ManualClock, tool: str
) -> None:
    exchange.fail("SLOW")
    call = asyncio.create_task(moex.call(tool, **ARGUMENTS[tool]))
    await moex.wait_for_source_requests(1)
    clock.advance(reading.tool(SERVER, tool)["deadline"]["timeout_ms"] / 1000)
    assert (await call).code == "ISS_TIMEOUT"
    exchange.recover()
    assert (await moex.call(tool, **ARGUMENTS[tool])).code is None


@parametrize_tools(ARGUMENTS, "ISS_UNAVAILABLE")
async def test_an_exchange_that_fails_is_unavailable(moex: ServerUnderTest, exchange: Exchange, tool: str) -> None:
    exchange.fail("HTTP404")
    assert (await moex.call(tool, **ARGUMENTS[tool])).code == "ISS_UNAVAILABLE"


@parametrize_tools(ARGUMENTS, "RATE_LIMITED")
async def test_a_retry_after_beyond_the_deadline_is_rate_limited_at_once(
    moex: ServerUnderTest, exchange: Exchange, tool: str
) -> None:
    exchange.fail("RETRYDATE")
    assert (await moex.call(tool, **ARGUMENTS[tool])).code == "RATE_LIMITED"
    assert len(exchange.requests) == 1


@parametrize_tools(ARGUMENTS, "ISS_BAD_RESPONSE")
async def test_a_malformed_response_is_a_bad_response(moex: ServerUnderTest, exchange: Exchange, tool: str) -> None:
    for fault in ("BROKENJSON", "ERRORBLOCK", "NOBLOCKS"):
        exchange.fail(fault, times=1)
        answer = await moex.call(tool, **ARGUMENTS[tool])
        assert (answer.code, answer.body["data"] or None) == ("ISS_BAD_RESPONSE", None)


@parametrize_tools(ARGUMENTS, "INTERNAL")
async def test_figures_that_break_the_contract_are_never_sent(
    moex: ServerUnderTest, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for formula in ("intraday_volatility_estimate", "total_return_pct", "top_weight_pct"):
        monkeypatch.setattr(formulas, formula, lambda *_: math.inf)
    monkeypatch.setattr(securities, "SHARE_CLASSES", {"1": "golden"})
    answer = await moex.call(tool, **ARGUMENTS[tool])
    assert (answer.code, answer.message, answer.details) == ("INTERNAL", "The server failed to answer.", {})
    assert not answer.body["data"]


async def assert_cached_for(
    moex: ServerUnderTest, clock: ManualClock, tool: str, ttl_s: float, **arguments: Any
) -> None:
    """Assert that a result is cached for *ttl_s* seconds, and no longer."""
    first = await moex.call(tool, **arguments)
    requests = moex.source_requests
    clock.advance(ttl_s - 1)
    assert (await moex.call(tool, **arguments)).body == first.body
    assert moex.source_requests == requests
    clock.advance(1)
    await moex.call(tool, **arguments)
    assert moex.source_requests > requests


@cached(SNAPSHOT)
@cached(SERIES)
@cached(INDEX)
@cached(LIST)
async def test_a_result_is_cached_until_it_expires(moex: ServerUnderTest, clock: ManualClock) -> None:
    for tool, arguments in ARGUMENTS.items():
        await assert_cached_for(moex, clock, tool, reading.tool(SERVER, tool)["cache"]["ttl_s"], **arguments)


async def test_the_list_of_a_board_has_each_security_with_its_names(moex: ServerUnderTest) -> None:
    listed = {each["ticker"]: each for each in (await moex.call(LIST)).body["data"]}
    share = all_shares()["SIBN"]
    assert listed["SIBN"]["names"] == [share.short_name, share.name, share.latin_name]
    assert (listed["SBER"]["share_class"], listed["SBERP"]["share_class"]) == ("ordinary", "preferred")
    assert list(listed) == [share.ticker for share in shares_on_board("TQBR")]
    assert (await moex.call(LIST, board="NOPE")).body["data"] == []


@cached(SERIES)
async def test_a_bar_of_today_is_cached_for_a_shorter_time_than_a_complete_one(
    moex: ServerUnderTest, clock: ManualClock
) -> None:
    times = reading.tool(SERVER, SERIES)["cache"]
    assert times["provisional_ttl_s"] < times["ttl_s"]
    for last in ("2026-11-21", "2026-12-31"):
        await assert_cached_for(
            moex, clock, SERIES, times["provisional_ttl_s"], **ARGUMENTS[SERIES] | {"to_date": last}
        )
    await assert_cached_for(moex, clock, SERIES, times["ttl_s"], **ARGUMENTS[SERIES] | {"to_date": "2026-11-20"})


def test_the_codes_of_the_server_are_the_eleven_of_the_exchange() -> None:
    named = {error["code"] for tool in ARGUMENTS for error in reading.tool(SERVER, tool)["errors"]}
    dialect = reading.load(reading.CONTRACTS / "dialects.json")["moex"]["occasions"]
    assert named | {dialect["arguments"], dialect["internal"]} == {
        "INVALID_TICKER", "UNKNOWN_INDEX", "INVALID_DATE_RANGE", "DATE_RANGE_TOO_LARGE", "NO_DATA", "VALIDATION_ERROR",
        "ISS_TIMEOUT", "ISS_UNAVAILABLE", "ISS_BAD_RESPONSE", "RATE_LIMITED", "INTERNAL",
    }  # fmt: skip
