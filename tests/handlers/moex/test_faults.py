"""Every fault of the stand-in, on every tool: the right error, before the deadline."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from sandbox.iss.faults import FAULTS
from sandbox.iss.shares import shares_on_board
from tests.handlers.moex.running import CALLS, NOON, Running, running
from tests.services import endless
from tests.services.exchange import Exchange
from toolaccord.sources import MAX_RESPONSE_BYTES
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.retrying import Retry

UNAVAILABLE, TIMEOUT, BAD = ("ISS_UNAVAILABLE", 502), ("ISS_TIMEOUT", 504), ("ISS_BAD_RESPONSE", 502)
LIMITED = ("RATE_LIMITED", 429)
HARMLESS = ("SHUFFLED", "LATE20", "STUCK", "TRUNCATED")
"""Those with which an answer of one page is the honest one."""
EXPECTED = {
    "SLOW": TIMEOUT,
    "RESET": UNAVAILABLE,
    "CUT": UNAVAILABLE,
    "DRIP": TIMEOUT,
    "RETRYDATE": LIMITED,
    "RETRYAFTER100": LIMITED,
    "HTTP429": LIMITED,
    "HTTP404": UNAVAILABLE,
    "HTTP500": UNAVAILABLE,
    "HTTP503": UNAVAILABLE,
    "BROKENJSON": BAD,
    "NOTJSON": BAD,
    "ERRORBLOCK": BAD,
    "NOBLOCKS": BAD,
    "NOCOLUMN": BAD,
    "RAGGED": BAD,
    "TEXTS": BAD,
    "ABSURD": BAD,
}
NAMED = {"NOROWS", "SHORTPAGES", "EARLIER", "LATER", "NEGATIVE", "NEWEST", "FIRSTDAY", "DOLLARS", "NO_CURRENCY"}
"""Those that mean another thing to each tool."""
NOTHING = {
    "get_security_snapshot": ("INVALID_TICKER", 422),
    "get_ohlcv_timeseries": ("INVALID_TICKER", 422),
    "get_index_constituents_metrics": ("NO_DATA", 404),
}
"""The error of each tool for NOROWS."""
DEADLINE_MS = 60000
PATIENCE_S = {"SLOW": 1.0, "DRIP": 1.0}
"""The deadline in seconds, for faults without an answer."""
YEAR = {"from_date": "2025-11-01", "to_date": "2026-10-31", "interval": "1h"}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let retries follow at once.

    Their delays have tests of their own, with a clock moved by hand.
    """
    monkeypatch.setattr("toolaccord.sources.http.retry._RETRY", Retry(initial_delay_s=0.001))


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    with Exchange(lambda: NOON).running() as each:
        yield each


def patient(exchange: Exchange, **limits: Any) -> AbstractAsyncContextManager[Running]:
    """The server with time for a slow machine."""
    return running(exchange.url, deadline_ms=DEADLINE_MS, **{"timeout_s": 60} | limits)


def test_every_fault_of_the_stand_in_is_expected() -> None:
    assert set(FAULTS) == {name for name in (*EXPECTED, *HARMLESS) if not name[-1].isdigit()} | NAMED


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("fault", [*EXPECTED, "NOROWS"])
async def test_a_fault_has_its_error_before_the_deadline(exchange: Exchange, tool: str, fault: str) -> None:
    exchange.fail(fault)
    async with patient(exchange, timeout_s=PATIENCE_S.get(fault, 60)) as moex:
        assert await moex.refused(tool) == (NOTHING[tool] if fault == "NOROWS" else EXPECTED[fault])


@pytest.mark.parametrize("tool", CALLS)
async def test_an_unusual_but_correct_answer_changes_no_result(exchange: Exchange, tool: str) -> None:
    async with patient(exchange) as moex:
        honest = (await moex.ask(tool)).body
    for fault in HARMLESS:
        exchange.recover()
        exchange.fail(fault)
        async with patient(exchange) as moex:
            assert (await moex.ask(tool)).body == honest


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("fault", ["HTTP503", "HTTP429", "RETRYAFTER0", "RESET"])
async def test_a_fault_that_ends_after_two_retries_is_no_error(exchange: Exchange, tool: str, fault: str) -> None:
    exchange.fail(fault, times=2)
    async with patient(exchange) as moex:
        assert not (await moex.ask(tool)).is_error
    path = exchange.requests[0].path
    assert [each.path for each in exchange.requests[:3]] == [path] * 3


async def test_an_exchange_that_is_away_is_unavailable_until_it_is_back(exchange: Exchange) -> None:
    async with patient(exchange) as moex:
        with exchange.unreachable():
            assert await moex.refused("get_security_snapshot") == UNAVAILABLE
        assert not (await moex.ask("get_security_snapshot")).is_error


@pytest.mark.parametrize("tool", CALLS)
async def test_a_call_past_its_deadline_is_a_timeout_too(exchange: Exchange, tool: str) -> None:
    exchange.fail("SLOW")
    async with running(exchange.url, deadline_ms=50) as moex:
        assert await moex.refused(tool) == TIMEOUT


@pytest.mark.parametrize("tool", CALLS)
async def test_without_a_slot_before_the_deadline_no_request_is_sent(exchange: Exchange, tool: str) -> None:
    async with patient(exchange, requests_per_second=0.001) as moex:
        first = "get_index_constituents_metrics" if tool != "get_index_constituents_metrics" else tool
        assert await moex.refused(first) == LIMITED  # its second request
        assert await moex.refused(tool) == LIMITED
    assert len(exchange.requests) == 1


async def test_pages_that_repeat_themselves_are_a_bad_response(exchange: Exchange) -> None:
    exchange.fail("STUCK")
    async with patient(exchange) as moex:
        assert await moex.refused("get_ohlcv_timeseries", **YEAR) == BAD


async def test_pages_with_fewer_rows_than_the_cursors_total_are_a_bad_response() -> None:
    with Exchange(lambda: NOON, cursor=True).running() as exchange:
        exchange.fail("TRUNCATED")
        async with patient(exchange) as moex:
            assert await moex.refused("get_ohlcv_timeseries", **YEAR) == BAD


async def test_an_index_of_which_the_exchange_serves_a_part_is_a_bad_response(exchange: Exchange) -> None:
    exchange.fail("SHORTPAGES")
    async with patient(exchange) as moex:
        assert await moex.refused("get_index_constituents_metrics") == BAD


@pytest.mark.parametrize(
    "fault, tool",
    [
        ("EARLIER", "get_ohlcv_timeseries"),
        ("LATER", "get_ohlcv_timeseries"),
        ("NEGATIVE", "get_index_constituents_metrics"),
    ],
)
async def test_bars_of_other_days_and_negative_weights_are_a_bad_response(
    exchange: Exchange, fault: str, tool: str
) -> None:
    exchange.fail(fault)
    async with patient(exchange) as moex:
        assert await moex.refused(tool) == BAD


async def test_a_composition_of_another_day_says_so_in_its_metrics(exchange: Exchange) -> None:
    async with patient(exchange) as moex:
        honest = (await moex.ask("get_index_constituents_metrics", as_of_date="2026-11-18")).body["metrics"]
    exchange.fail("NEWEST")
    async with patient(exchange) as moex:
        found = (await moex.ask("get_index_constituents_metrics", as_of_date="2026-11-18")).body["metrics"]
    names = ("composition_date", "requested_as_of_date", "is_requested_date")
    assert [honest[name] for name in names] == ["2026-11-18", "2026-11-18", True]
    assert [found[name] for name in names] == ["2026-11-19", "2026-11-18", False]


@pytest.mark.parametrize(
    "fault, expected",
    [
        ("FIRSTDAY", {"change_field": "NONE", "price_change_pct": 0, "price_currency": "RUB"}),
        ("DOLLARS", {"change_field": "PREVPRICE", "price_currency": "USD", "value_currency": "RUB"}),
    ],
)
async def test_an_unusual_share_has_its_price_and_says_what_is_unusual(
    exchange: Exchange, fault: str, expected: dict[str, Any]
) -> None:
    async with patient(exchange) as moex:
        usual = (await moex.ask("get_security_snapshot")).body["data"]
    exchange.fail(fault)
    async with patient(exchange) as moex:
        data = (await moex.ask("get_security_snapshot")).body["data"]
    assert {name: data[name] for name in expected} == expected
    assert data["last_price"] == usual["last_price"]
    assert ("previous_price_date" in data) == (fault != "FIRSTDAY")


@pytest.mark.parametrize("tool", CALLS)
async def test_an_endless_answer_is_a_bad_response_and_the_log_names_limit_and_source(tool: str) -> None:
    async with endless.serving(b"HTTP/1.1 200 OK\r\n\r\n", b'{"candles":' * 8000) as there:
        async with running(there.url, deadline_ms=DEADLINE_MS, timeout_s=60) as moex:
            with capture_logs(logging.DEBUG) as records:
                assert await moex.refused(tool) == BAD
        await there.disconnected.wait()
        assert (there.requests, there.sent < MAX_RESPONSE_BYTES + endless.BUFFERED) == (1, True)
    causes = [str(record.exc_info[1]) for record in records if record.exc_info]
    assert any("exceeds max_response_bytes of the source iss, 16777216 bytes" in cause for cause in causes)


async def test_an_answer_never_repeats_text_of_the_exchange_or_the_source(exchange: Exchange) -> None:
    for fault in ("ERRORBLOCK", "HTTP503", "NOTJSON"):
        exchange.recover()
        exchange.fail(fault)
        async with patient(exchange, retries=0) as moex:
            text = (await moex.ask("get_security_snapshot")).text
        assert not any(word in text for word in ("acquiring", "503", "html", "127.0.0.1", "Maintenance"))


async def test_snapshots_at_once_share_a_request_and_no_faulty_ticker_spoils_another(exchange: Exchange) -> None:
    tickers = [share.ticker for share in shares_on_board("TQBR")[:20]]
    clock = ManualClock(NOON)
    async with running(exchange.url, clock=ManualClock(NOON)) as alone:
        expected = [await alone.ask("get_security_snapshot", ticker=each) for each in tickers]
    before = len(exchange.requests)
    async with running(exchange.url, clock=clock, requests_per_second=2, retries=0) as server:
        names = [*tickers[:2], "HTTP503", "NOPE", "ABSURD", *tickers[2:]]
        calls = [asyncio.create_task(server.ask("get_security_snapshot", ticker=each)) for each in names]
        async with asyncio.timeout(60):
            while not all(call.done() for call in calls):
                await asyncio.sleep(0.01)
                clock.advance(0.02)
        found = dict(zip(names, [call.result() for call in calls], strict=True))
    assert [found.pop(name).code for name in ("HTTP503", "NOPE", "ABSURD")] == [
        "ISS_UNAVAILABLE", "INVALID_TICKER", "ISS_BAD_RESPONSE",
    ]  # fmt: skip
    assert [answer.body for answer in found.values()] == [answer.body for answer in expected]
    paths = [request.path.rpartition("/")[2] for request in exchange.requests[before:]]
    assert sorted(paths) == sorted(
        [f"{tickers[0]}.json", f"{tickers[1]}.json", "securities.json", "HTTP503.json", "NOPE.json", "ABSURD.json"]
    )
