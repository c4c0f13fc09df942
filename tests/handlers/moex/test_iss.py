"""get_security_snapshot: the handler on recorded answers, and the whole server on the stand-in over HTTP."""

import dataclasses
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from generated.moex.errors import NoData
from generated.moex.iss import schemas
from generated.moex.iss.models import GetSecuritySnapshotRequest
from generated.moex.iss.server import IssCall, server
from handlers.moex import iss
from runtime.answers import Answer
from runtime.clock import SystemClock
from runtime.pipeline import Pipeline
from runtime.sources.http import HttpSource
from sandbox.iss import serve
from sandbox.iss.moment import Moment
from sandbox.iss.quotes import marketdata, security
from sandbox.iss.shares import shares
from tests.handlers.moex.exchange import UNTRADED, Recorded, answer

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


async def snapshot(document: Any) -> dict[str, Any]:
    """What the handler makes of *document*, as JSON."""
    call = IssCall(iss=Recorded(document), now=NOON)
    result = await iss.get_security_snapshot(GetSecuritySnapshotRequest(ticker="SBER"), call)
    said: dict[str, Any] = json.loads(result.model_dump_json(exclude_none=True))
    return said


async def test_a_snapshot_has_the_figures_of_the_day_as_the_exchange_wrote_them() -> None:
    said = await snapshot(answer())
    assert said["metadata"] == {
        "source": "moex-iss", "ticker": "SBER", "board": "TQBR", "as_of": "2023-10-18T16:25:43+03:00",
    }  # fmt: skip
    assert said["data"] == {
        "last_price": 266.79, "price_change_abs": -3.21, "price_change_pct": -1.19, "price_field": "LAST",
        "open_price": 270, "high_price": 271.19, "low_price": 266.11, "volume": 28693620, "value": 7717500748,
    }  # fmt: skip
    assert said["metrics"] == {"intraday_volatility_estimate": pytest.approx(1.8815, abs=1e-4)}


async def test_what_the_exchange_does_not_know_is_left_out() -> None:
    said = await snapshot(answer(market=UNTRADED | {"VOLTODAY": 0, "VALTODAY": None}))
    assert said["data"] == {
        "last_price": 270, "price_change_abs": 0, "price_change_pct": 0, "volume": 0, "price_field": "PREVPRICE",
    }  # fmt: skip
    assert said["metrics"] == {}


async def test_the_name_is_the_exchanges_and_not_the_callers() -> None:
    said = await snapshot(answer(security={"SECID": "SBERP"}))
    assert said["metadata"]["ticker"] == "SBERP"


async def test_neither_a_trade_nor_a_previous_price_is_no_data() -> None:
    with pytest.raises(NoData) as raised:
        await snapshot(answer(security={"PREVPRICE": None}, market=UNTRADED))
    assert raised.value.details == {"ticker": "SBER", "board": "TQBR"}


@pytest.fixture(scope="module")
def exchange() -> Iterator[str]:
    with serve(now=lambda: NOON) as url:
        yield url


@dataclasses.dataclass(frozen=True, slots=True)
class Running:
    """moex-iss-mcp on a source that is really there."""

    pipeline: Pipeline

    async def ask(self, ticker: str, **more: Any) -> Answer:
        return await self.pipeline.call("get_security_snapshot", {"ticker": ticker} | more)

    async def refused(self, ticker: str, **more: Any) -> tuple[str | None, int]:
        """The code and the HTTP status of an error, whose envelope is checked."""
        said = await self.ask(ticker, **more)
        assert said.is_error
        assert said.body["data"] is None
        assert said.body["error"]["error_type"] == said.code
        assert said.body["metadata"].get("ticker") == ticker
        return said.code, said.http


@asynccontextmanager
async def running(url: str, *, source_s: float = 8, deadline_ms: int = 10000) -> AsyncIterator[Running]:
    """The server on the exchange at *url*, with a patience of its own."""
    declared = server(iss)
    (source,), (tool,) = declared.sources, declared.tools
    assert isinstance(source, HttpSource)
    settings = {"iss_base_url": url}
    http = dataclasses.replace(source, timeout_s=source_s).open(settings, SystemClock())
    tools = (dataclasses.replace(tool, timeout_ms=deadline_ms),)
    try:
        yield Running(Pipeline(dataclasses.replace(declared, tools=tools), {"iss": http}, settings))
    finally:
        await http.close()


@pytest.fixture
async def moex(exchange: str) -> AsyncIterator[Running]:
    async with running(exchange) as each:
        yield each


@pytest.mark.parametrize("ticker", ["FEES", "KROT", "PHOR", "SBER", "SNGSP", "TATNP", "YDEX", "ZAAA"])
async def test_every_kind_of_share_has_a_snapshot_that_keeps_the_contract(moex: Running, ticker: str) -> None:
    said = await moex.ask(ticker)
    assert not said.is_error
    jsonschema.validate(said.body, schemas.GET_SECURITY_SNAPSHOT_OUTPUT)
    share, moment, data = shares()[ticker], Moment(NOON.replace(hour=15, tzinfo=None)), said.body["data"]
    row = security(share, moment) | marketdata(share, moment)
    field = {"KROT": "PREVPRICE", "TATNP": "MARKETPRICE"}.get(ticker, "LAST")
    assert (data["price_field"], data["last_price"]) == (field, row[field])
    assert data["price_change_abs"] == pytest.approx(data["last_price"] - row["PREVPRICE"], abs=1e-9)
    assert said.body["metadata"]["as_of"] == "2026-11-20T15:00:00+03:00"


async def test_an_unknown_ticker_and_an_unknown_board_are_invalid_tickers(moex: Running) -> None:
    assert await moex.refused("NOPE") == ("INVALID_TICKER", 400)
    assert await moex.refused("SBER", board="TQTF") == ("INVALID_TICKER", 400)


@pytest.mark.parametrize("ticker", ["", "S" * 17])
async def test_a_ticker_that_breaks_the_contract_has_the_same_code(moex: Running, ticker: str) -> None:
    said = await moex.ask(ticker)
    assert (said.code, said.http) == ("INVALID_TICKER", 400)
    assert said.body["metadata"] == {"source": "moex-iss", "board": "TQBR"}


async def test_a_share_that_never_traded_has_no_data(moex: Running) -> None:
    assert await moex.refused("NSVZ") == ("NO_DATA", 404)


@pytest.mark.parametrize("ticker", ["HTTP500", "HTTP503", "HTTP429", "HTTP404"])
async def test_an_exchange_that_fails_is_unavailable(moex: Running, ticker: str) -> None:
    assert await moex.refused(ticker) == ("ISS_UNAVAILABLE", 502)


@pytest.mark.parametrize("ticker", ["BROKENJSON", "NOTJSON", "ERRORBLOCK", "NOBLOCKS"])
async def test_an_answer_that_is_no_market_data_is_a_bad_response(moex: Running, ticker: str) -> None:
    assert await moex.refused(ticker) == ("ISS_BAD_RESPONSE", 502)


async def test_an_exchange_that_does_not_answer_is_a_timeout(exchange: str) -> None:
    async with running(exchange, source_s=0.05) as moex:
        assert await moex.refused("SLOW") == ("ISS_TIMEOUT", 504)


async def test_a_call_past_its_deadline_is_a_timeout_too(exchange: str) -> None:
    async with running(exchange, deadline_ms=50) as moex:
        assert await moex.refused("SLOW") == ("ISS_TIMEOUT", 504)


async def test_an_exchange_that_is_not_there_is_unavailable_until_it_is_back() -> None:
    with serve() as url:
        pass
    async with running(url) as moex:
        assert await moex.refused("SBER") == ("ISS_UNAVAILABLE", 502)
        with serve(port=int(url.rsplit(":", 1)[1].removesuffix("/iss"))):
            assert not (await moex.ask("SBER")).is_error


async def test_a_second_snapshot_comes_from_the_cache_and_an_error_never_does() -> None:
    times = iter(range(60))
    with serve(now=lambda: NOON.replace(minute=next(times))) as url:
        async with running(url) as moex:
            first, second = await moex.ask("SBER"), await moex.ask("SBER", board="TQBR")
            assert first.body == second.body
            await moex.refused("NSVZ")
            assert next(times) == 2
            await moex.refused("NSVZ")
            assert next(times) == 4
