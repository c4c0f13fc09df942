"""moex-iss-mcp on the stand-in of the exchange, over HTTP: everything it promises."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from runtime.testing import ManualClock
from sandbox.iss import serve
from tests.contracts.reading import tool
from tests.servers.manifest import answers, cached
from tests.servers.seen import Seen
from tests.servers.station import Station, station

ROOM = "moex.iss"
SNAPSHOT = "get_security_snapshot"


@pytest.fixture
def exchange(clock: ManualClock) -> Iterator[str]:
    """The exchange, whose clock is moved with the server's."""
    with serve(now=clock.now) as url:
        yield url


@pytest.fixture
async def moex(exchange: str, clock: ManualClock, seen: Seen) -> AsyncIterator[Station]:
    async with station(ROOM, {"iss_base_url": exchange}, seen, clock) as each:
        yield each


@answers(SNAPSHOT, "INVALID_TICKER")
async def test_a_ticker_that_is_unknown_malformed_or_missing_has_one_code(moex: Station) -> None:
    unknown = await moex.ask(SNAPSHOT, ticker="NOPE")
    assert (unknown.code, unknown.details) == ("INVALID_TICKER", {"ticker": "NOPE", "board": "TQBR"})
    assert unknown.body["metadata"] == {"source": "moex-iss", "ticker": "NOPE", "board": "TQBR"}
    for malformed in ({"ticker": ""}, {"ticker": "S" * 17}, {"ticker": 5}, {}, {"ticker": "../SBER"}):
        assert (await moex.ask(SNAPSHOT, **malformed)).code == "INVALID_TICKER"


@answers(SNAPSHOT, "VALIDATION_ERROR")
async def test_other_arguments_that_break_the_schema_are_named(moex: Station) -> None:
    said = await moex.ask(SNAPSHOT, ticker="SBER", board="", since="2026-01-01")
    assert said.code == "VALIDATION_ERROR"
    assert [violation["at"] for violation in said.details["violations"]] == ["/board", "/since"]
    assert moex.asked == 0


@answers(SNAPSHOT, "NO_DATA")
async def test_a_share_that_never_traded_has_no_data(moex: Station) -> None:
    said = await moex.ask(SNAPSHOT, ticker="NSVZ")
    assert (said.code, said.details) == ("NO_DATA", {"ticker": "NSVZ", "board": "TQBR"})


@answers(SNAPSHOT, "ISS_TIMEOUT")
async def test_an_exchange_that_does_not_answer_is_given_up_in_time(moex: Station, clock: ManualClock) -> None:
    asking = asyncio.create_task(moex.ask(SNAPSHOT, ticker="SLOW"))
    await moex.until_asked(1)
    clock.advance(tool(ROOM, SNAPSHOT)["deadline"]["timeout_ms"] / 1000)
    assert (await asking).code == "ISS_TIMEOUT"
    assert (await moex.ask(SNAPSHOT, ticker="SBER")).code is None


@answers(SNAPSHOT, "ISS_UNAVAILABLE")
async def test_an_exchange_that_fails_or_is_not_there_is_unavailable_until_it_is_back(seen: Seen) -> None:
    with serve() as url:
        port = int(url.rsplit(":", 1)[1].removesuffix("/iss"))
    async with station(ROOM, {"iss_base_url": url}, seen) as moex:
        assert (await moex.ask(SNAPSHOT, ticker="SBER")).code == "ISS_UNAVAILABLE"
        with serve(port=port):
            assert (await moex.ask(SNAPSHOT, ticker="SBER")).code is None
            assert (await moex.ask(SNAPSHOT, ticker="HTTP503")).code == "ISS_UNAVAILABLE"


@answers(SNAPSHOT, "ISS_BAD_RESPONSE")
@pytest.mark.parametrize("ticker", ["BROKENJSON", "NOTJSON", "ERRORBLOCK", "NOBLOCKS"])
async def test_an_answer_that_is_no_market_data_is_a_bad_response(moex: Station, ticker: str) -> None:
    said = await moex.ask(SNAPSHOT, ticker=ticker)
    assert said.code == "ISS_BAD_RESPONSE"
    assert said.body["data"] is None


@answers(SNAPSHOT, "INTERNAL")
async def test_figures_that_break_the_contract_are_never_sent(moex: Station) -> None:
    said = await moex.ask(SNAPSHOT, ticker="ABSURD")
    assert (said.code, said.message, said.details) == ("INTERNAL", "The server failed to answer.", {})
    assert said.body["data"] is None


@cached(SNAPSHOT)
async def test_a_snapshot_is_given_again_until_it_is_too_old(moex: Station, clock: ManualClock) -> None:
    ttl_s = tool(ROOM, SNAPSHOT)["cache"]["ttl_s"]
    first = await moex.ask(SNAPSHOT, ticker="SBER")
    clock.advance(ttl_s - 1)
    assert (await moex.ask(SNAPSHOT, ticker="SBER", board="TQBR")).body == first.body
    assert moex.asked == 1
    clock.advance(1)
    fresh = await moex.ask(SNAPSHOT, ticker="SBER")
    assert fresh.body["metadata"]["as_of"] > first.body["metadata"]["as_of"]


@answers(SNAPSHOT, "NO_DATA")
async def test_an_error_is_never_kept(moex: Station) -> None:
    for asked in (1, 2):
        assert (await moex.ask(SNAPSHOT, ticker="NSVZ")).code == "NO_DATA"
        assert moex.asked == asked
