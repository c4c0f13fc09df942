import asyncio
import logging
import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtest.models import RunBacktestRequest, RunBacktestResult
from generated.tradestream.backtest.server import BacktestCall, server
from generated.tradestream.backtester_pb2 import BacktestRequest
from generated.tradestream.errors import (
    BacktesterUnavailable,
    InsufficientData,
    InvalidDateRange,
    StrategyNotFound,
)
from handlers.tradestream import backtest as handlers
from handlers.tradestream.backtest import run_backtest
from sandbox import backtester
from sandbox.backtester.run import backtest
from tests.handlers.candles.stores import closing, opened
from tests.handlers.tradestream.service import (
    FIGURES,
    MINUTE,
    Row,
    Service,
    asking,
    refusal,
    result,
    rows,
    serving,
    silence,
)
from tests.services.candles import serve_candles
from tests.services.tasks import working
from toolaccord import ignore_progress
from toolaccord.call.response import Answer
from toolaccord.sources.grpc import Grpc
from toolaccord.sources.influxdb import Influxdb
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.timing.clock import SystemClock

NOW = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)
THIS_MINUTE = NOW.replace(second=0)
DAY = timedelta(days=1)
DAYS = 4
"""The days of minutes of ETH/USD; OLD/USD has candles of the first of May alone."""
FIRST = THIS_MINUTE - DAYS * DAY


def swinging_prices(first: datetime, count: int) -> Iterator[Row]:
    """Rows whose price goes down for 1000 minutes, and up again for 1000."""
    for minute in range(count):
        price = 3000 + 0.3 * abs(minute % 2000 - 1000)
        yield ("ETH/USD", int(first.timestamp()) * 1000 + 60_000 * minute, price, price + 1, price - 1, price, 10)


@pytest.fixture(scope="module")
def stored() -> list[Row]:
    """Also of the running minute, which is not over."""
    return rows("ETH/USD", FIRST, DAYS * 1440 + 1)


@pytest.fixture(scope="module")
def candles_url(stored: list[Row]) -> Iterator[str]:
    with serve_candles([*stored, *rows("OLD/USD", datetime(2026, 5, 1, tzinfo=UTC), 1440)]) as url:
        yield url


@pytest.fixture
async def influxdb(candles_url: str) -> AsyncIterator[Influxdb]:
    source = opened(candles_url)
    yield source
    await source.close()


@pytest.fixture(scope="module")
def reference() -> Iterator[str]:
    """The address of the reference backtester, in a process of its own."""
    with backtester.serve() as target:
        yield target


@pytest.fixture
async def strategy_id(postgres: Postgresql) -> str:
    """A strategy on ETH/USD whose implementation chose other parameters than its spec."""
    return await strategy(postgres, "DOUBLE_EMA_CROSSOVER", {"shortPeriod": 20, "longPeriod": 90})


async def strategy(postgres: Postgresql, spec: str, parameters: Mapping[str, float]) -> str:
    row = await postgres.fetch_one(
        "WITH spec AS (INSERT INTO strategy_specs (name, indicators, entry_conditions, exit_conditions, parameters, source)"
        " VALUES ($1, '[]', '[]', '[]', '[]', 'CANONICAL') ON CONFLICT (name) DO UPDATE SET description = '' RETURNING *),"
        " implementation AS (INSERT INTO strategy_implementations (spec_id, symbol, parameters)"
        " SELECT spec_id, 'ETH/USD', $2 FROM spec RETURNING *)"
        " INSERT INTO strategies (impl_id, symbol, name) SELECT impl_id, symbol, 'NAME' FROM implementation RETURNING *",
        spec,
        dict(parameters),
    )
    assert row is not None
    return str(row["strategy_id"])


@pytest.fixture
def sources(postgres: Postgresql, influxdb: Influxdb) -> dict[str, Any]:
    return {"postgres": postgres, "influxdb": influxdb}


async def run(sources: dict[str, Any], service: Grpc, strategy_id: str, **arguments: Any) -> RunBacktestResult:
    requested = RunBacktestRequest(**{"strategy_id": strategy_id, "symbol": "ETH/USD"} | arguments)
    return await run_backtest(
        requested, BacktestCall(**{"progress": ignore_progress} | sources, backtester=service, now=NOW)
    )


async def answered(sources: Mapping[str, Any], target: str, arguments: Any, clock: Any = None) -> Answer:
    async with asking(target, clock) as service:
        whole = pipeline(server(handlers), sources={**sources, "backtester": service}, clock=clock or ManualClock(NOW))
        return await whole.call("run_backtest", arguments)


def times(request: BacktestRequest) -> list[datetime]:
    return [datetime.fromtimestamp(candle.timestamp.seconds, UTC) for candle in request.candles]


# --- the request --------------------------------------------------------------------------------------------------


async def test_the_answer_is_what_the_backtester_computes_over_the_stored_candles(
    sources: dict[str, Any], stored: Sequence[Row], reference: str, strategy_id: str
) -> None:
    async with asking(reference) as service:
        found = await run(sources, service, strategy_id, start_date=date(2026, 11, 18), end_date=date(2026, 11, 20))
    requested = BacktestRequest()
    requested.strategy.strategy_name = "DOUBLE_EMA_CROSSOVER"
    chosen = Struct()
    chosen.update({"shortPeriod": 20, "longPeriod": 90})
    requested.strategy.parameters.Pack(chosen)
    first, last = (int(datetime(2026, 11, day, tzinfo=UTC).timestamp()) * 1000 for day in (18, 20))
    for symbol, ms, *prices, volume in stored:
        if first <= ms < last:
            candle = requested.candles.add(currency_pair=symbol, volume=volume)
            candle.timestamp.seconds = ms // 1000
            candle.open, candle.high, candle.low, candle.close = prices
    expected = backtest(requested)
    assert len(requested.candles) == 2 * 1440
    assert expected.number_of_trades > 5
    assert found == RunBacktestResult(
        total_return=expected.cumulative_return,
        sharpe_ratio=expected.sharpe_ratio,
        max_drawdown=expected.max_drawdown,
        win_rate=expected.win_rate,
        trades=expected.number_of_trades,
    )


async def test_the_backtester_is_sent_the_specs_name_and_the_implementations_parameters(
    sources: dict[str, Any], strategy_id: str
) -> None:
    there = Service(result(**FIGURES))
    async with serving(there) as target, asking(target) as service:
        await run(sources, service, strategy_id, start_date=date(2026, 11, 18))
    chosen = Struct()
    assert there.requests[0].strategy.parameters.Unpack(chosen)
    assert there.requests[0].strategy.strategy_name == "DOUBLE_EMA_CROSSOVER"
    assert dict(chosen) == {"shortPeriod": 20, "longPeriod": 90}
    assert {candle.currency_pair for candle in there.requests[0].candles} == {"ETH/USD"}


@pytest.mark.parametrize(
    "dates, first, last",
    [
        (("2026-11-18", "2026-11-20"), "2026-11-18 00:00Z", "2026-11-19 23:59Z"),
        (("2026-11-18", None), "2026-11-18 00:00Z", "2026-11-21 11:59Z"),
        (("2026-11-20", "2027-03-01"), "2026-11-20 00:00Z", "2026-11-21 11:59Z"),
    ],
)
async def test_the_range_begins_with_its_first_day_and_ends_before_its_last_or_with_the_last_minute_that_is_over(
    sources: dict[str, Any], strategy_id: str, dates: tuple[str, str | None], first: str, last: str
) -> None:
    there = Service(result(**FIGURES))
    named = {
        name: date.fromisoformat(each) for name, each in zip(("start_date", "end_date"), dates, strict=True) if each
    }
    async with serving(there) as target, asking(target) as service:
        await run(sources, service, strategy_id, **named)
    found = times(there.requests[0])
    assert (found[0], found[-1]) == (datetime.fromisoformat(first), datetime.fromisoformat(last))
    assert len(found) == (found[-1] - found[0]) // MINUTE + 1


async def test_the_default_range_is_the_last_thirty_days(sources: dict[str, Any], strategy_id: str) -> None:
    there = Service(result(**FIGURES))
    with serve_candles(rows("ETH/USD", THIS_MINUTE - 31 * DAY, 31 * 1440 + 1)) as url:
        async with closing(opened(url)) as month, serving(there) as target, asking(target) as service:
            await run(sources | {"influxdb": month}, service, strategy_id)
            await run(sources | {"influxdb": month}, service, strategy_id, end_date=date(2026, 11, 21))
    lately, until_today = (times(request) for request in there.requests)
    assert (lately[0], lately[-1]) == (THIS_MINUTE - 30 * DAY, THIS_MINUTE - MINUTE)
    assert len(lately) == len(until_today) == 30 * 1440
    assert until_today[0] == datetime(2026, 10, 22, tzinfo=UTC)


async def test_a_year_of_minutes_is_loaded_sent_computed_and_answered(
    sources: dict[str, Any], reference: str, strategy_id: str
) -> None:
    first = THIS_MINUTE - 366 * DAY
    dates = {"start_date": first.date() + DAY, "end_date": THIS_MINUTE.date()}
    with serve_candles(swinging_prices(first, 366 * 1440)) as url:
        async with closing(opened(url)) as year, asking(reference) as service:
            found = await run(sources | {"influxdb": year}, service, strategy_id, **dates, by_month=True)
    assert found.equity_curve
    assert len(found.equity_curve) == 13
    assert found.trades == pytest.approx(365 * 1440 / 2000, abs=1)  # what goes up and down every 2000 minutes


class Counted:
    """InfluxDB that counts its queries."""

    def __init__(self, influxdb: Any) -> None:
        self._influxdb = influxdb
        self.queries = 0

    async def query(self, *arguments: Any) -> Any:
        self.queries += 1
        return await self._influxdb.query(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._influxdb, name)


# --- the equity curve ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quarter_url() -> Iterator[str]:
    """Candles from the middle of August, over two ends of months, to the middle of October."""
    with serve_candles(swinging_prices(datetime(2026, 8, 16, tzinfo=UTC), 60 * 1440)) as url:
        yield url


QUARTER = {"start_date": date(2026, 8, 16), "end_date": date(2026, 10, 15), "by_month": True}


async def test_each_month_of_the_curve_is_the_return_of_a_backtest_that_ends_with_it(
    sources: dict[str, Any], quarter_url: str, reference: str, strategy_id: str
) -> None:
    async with closing(opened(quarter_url)) as quarter, asking(reference) as service:
        found = await run(sources | {"influxdb": quarter}, service, strategy_id, **QUARTER)
        alone = [
            await run(sources | {"influxdb": quarter}, service, strategy_id, **QUARTER | {"end_date": end})
            for end in (date(2026, 9, 1), date(2026, 10, 1), date(2026, 10, 15))
        ]
    assert found.equity_curve
    assert [each.month for each in found.equity_curve] == ["2026-08", "2026-09", "2026-10"]
    assert [each.equity for each in found.equity_curve] == [1 + each.total_return for each in alone]
    assert [each.max_drawdown for each in found.equity_curve] == [each.max_drawdown for each in alone]
    assert [f"{each.ends_on}" for each in found.equity_curve] == ["2026-08-31", "2026-09-30", "2026-10-14"]
    assert found.model_copy(update={"equity_curve": None}) == alone[-1].model_copy(update={"equity_curve": None})
    assert len({each.equity for each in found.equity_curve}) == 3


async def test_candles_of_a_curve_are_loaded_once_and_its_months_are_steps(
    sources: dict[str, Any], quarter_url: str, strategy_id: str
) -> None:
    steps: list[tuple[float, float | None, str | None]] = []

    async def report(done: float, /, total: float | None = None, message: str | None = None) -> None:
        steps.append((done, total, message))

    there = Service(result(**FIGURES))
    async with closing(opened(quarter_url)) as quarter, serving(there) as target, asking(target) as service:
        loaded = Counted(quarter)
        await run(sources | {"influxdb": loaded, "progress": report}, service, strategy_id, **QUARTER)
        queries = loaded.queries
        await run(sources | {"influxdb": loaded}, service, strategy_id, **QUARTER | {"by_month": False})
    assert loaded.queries == 2 * queries
    ends = [times(request)[-1] + MINUTE for request in there.requests]
    assert [f"{end:%m-%d}" for end in ends] == ["10-15", "10-01", "09-01", "10-15"]
    assert {times(request)[0] for request in there.requests} == {datetime(2026, 8, 16, tzinfo=UTC)}
    assert [(done, total) for done, total, _ in steps] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert steps[2][2] == "Ran to the end of 2026-09."


async def test_months_that_are_too_short_for_the_indicators_have_no_point(
    sources: dict[str, Any], quarter_url: str, reference: str, postgres: Postgresql
) -> None:
    slow = await strategy(postgres, "DOUBLE_EMA_CROSSOVER", {"shortPeriod": 20, "longPeriod": 30_000})
    async with closing(opened(quarter_url)) as quarter, asking(reference) as service:
        found = await run(sources | {"influxdb": quarter}, service, slow, **QUARTER)
    assert found.equity_curve
    assert [each.month for each in found.equity_curve] == ["2026-09", "2026-10"]


async def test_a_range_within_a_month_is_a_curve_of_one_point(
    sources: dict[str, Any], reference: str, strategy_id: str
) -> None:
    async with asking(reference) as service:
        found = await run(sources, service, strategy_id, start_date=date(2026, 11, 18), by_month=True)
    assert found.equity_curve
    assert [(each.month, each.equity) for each in found.equity_curve] == [("2026-11", 1 + found.total_return)]


async def test_a_backtest_is_a_task_of_its_months(
    sources: dict[str, Any], quarter_url: str, reference: str, strategy_id: str
) -> None:
    dates = {"start_date": "2026-08-16", "end_date": "2026-10-15", "by_month": True}
    async with closing(opened(quarter_url)) as quarter, asking(reference) as service:
        opened_sources = sources | {"influxdb": quarter, "backtester": service}
        async with working(pipeline(server(handlers), sources=opened_sources, clock=ManualClock(NOW))) as work:
            key = await work.create("run_backtest", {"strategy_id": strategy_id, "symbol": "ETH/USD"} | dates)
            seen = await work.follow(key)
            body = await work.finish(key)
    assert [each["month"] for each in body["data"]["equity_curve"]] == ["2026-08", "2026-09", "2026-10"]
    assert {each.progress.total for each in seen if each.progress} == {3}


# --- what comes back -----------------------------------------------------------------------------------------------


async def test_figures_of_trades_are_absent_where_there_were_none(sources: dict[str, Any], strategy_id: str) -> None:
    says = result(timeframe="1m", sharpe_ratio=0.0, win_rate=0.0, number_of_trades=0)
    async with serving(Service(says)) as target:
        answer = await answered(sources, target, _lately(strategy_id))
    assert answer.body["data"] == {"total_return": 0.0, "max_drawdown": 0.0, "trades": 0}
    assert answer.body["_metadata"]["source"] == "grpc"


async def test_a_ratio_that_is_no_number_is_absent(sources: dict[str, Any], strategy_id: str) -> None:
    says = result(**FIGURES | {"sharpe_ratio": math.nan})
    async with serving(Service(says)) as target:
        answer = await answered(sources, target, _lately(strategy_id))
    assert answer.body["data"] == {"total_return": 0.25, "max_drawdown": 0.125, "win_rate": 0.5, "trades": 8}


@pytest.mark.parametrize(
    "figures",
    [
        {},
        FIGURES | {"cumulative_return": math.nan},
        FIGURES | {"cumulative_return": -1.5},
        FIGURES | {"max_drawdown": 1.5},
        FIGURES | {"max_drawdown": math.nan},
        FIGURES | {"win_rate": 5.0},
        FIGURES | {"win_rate": -0.5},
        FIGURES | {"win_rate": math.nan},
        FIGURES | {"number_of_trades": -1},
    ],
)
async def test_an_empty_or_impossible_result_is_a_grpc_error_that_is_logged(
    sources: dict[str, Any], strategy_id: str, figures: dict[str, Any]
) -> None:
    async with serving(Service(result(**figures))) as target:
        with capture_logs(logging.DEBUG) as records:
            answer = await answered(sources, target, _lately(strategy_id))
    assert (answer.code, answer.http) == ("GRPC_ERROR", 502)
    assert any(record.exc_info and "the result is impossible" in str(record.exc_info[1]) for record in records)


@pytest.mark.parametrize("reply", [b"garbage", b"\xff" * 100, b"\x0a\x02\xff\xfe", b"\x50\x08\x42"])
async def test_a_reply_that_is_no_message_is_a_grpc_error(
    sources: dict[str, Any], strategy_id: str, reply: bytes
) -> None:
    async with serving(Service(result()), serializer=lambda _: reply) as target:
        answer = await answered(sources, target, _lately(strategy_id))
    assert (answer.code, answer.http) == ("GRPC_ERROR", 502)


@pytest.mark.parametrize("figure", ["cumulative_return", "max_drawdown"])
async def test_a_result_that_is_no_number_is_the_backtesters_fault(
    sources: dict[str, Any], strategy_id: str, figure: str
) -> None:
    async with serving(Service(result(**FIGURES | {figure: math.inf}))) as target, asking(target) as service:
        with pytest.raises(BacktesterUnavailable):
            await run(sources, service, strategy_id, start_date=date(2026, 11, 18))


@pytest.mark.parametrize(
    "strategy_id", ["no-such-strategy", "8b9fe606-3356-43c8-bd4d-0760a1b03757", "8b9fe606-3356-43c8-bd4d-0760a1b037570"]
)
async def test_a_strategy_that_is_not_there_is_not_found(sources: dict[str, Any], strategy_id: str) -> None:
    async with asking("127.0.0.1:9") as service:
        with pytest.raises(StrategyNotFound) as caught:
            await run(sources, service, strategy_id)
    assert caught.value.details == {"strategy_id": strategy_id}


@pytest.mark.parametrize("spec, parameters", [("HAND_MADE", {}), ("SMA_RSI", {"rsiPeriod": 1})])
async def test_a_strategy_that_the_backtester_cannot_run_is_not_found(
    sources: dict[str, Any], postgres: Postgresql, reference: str, spec: str, parameters: dict[str, float]
) -> None:
    strategy_id = await strategy(postgres, spec, parameters)
    async with asking(reference) as service:
        with pytest.raises(StrategyNotFound, match=spec) as caught:
            await run(sources, service, strategy_id, start_date=date(2026, 11, 18))
    assert caught.value.details == {"strategy_id": strategy_id}


@pytest.mark.parametrize(
    "arguments, available",
    [
        ({"symbol": "NEW/USD"}, 0),
        ({}, DAYS * 1440),
        ({"symbol": "OLD/USD", "start_date": date(2026, 4, 28), "end_date": date(2026, 5, 2)}, 1440),
        ({"start_date": date(2027, 1, 1), "end_date": date(2027, 2, 1)}, 0),
        ({"start_date": date(1969, 1, 1), "end_date": date(1969, 2, 1)}, 0),
        ({"start_date": date(1969, 12, 1), "end_date": date(1970, 2, 1)}, 0),
        ({"end_date": date(1, 1, 5)}, 0),
    ],
)
async def test_a_range_with_fewer_than_half_of_its_candles_is_insufficient_data(
    sources: dict[str, Any], reference: str, strategy_id: str, arguments: dict[str, Any], available: int
) -> None:
    async with asking(reference) as service:
        with pytest.raises(InsufficientData) as caught:
            await run(sources, service, strategy_id, **arguments)
    assert caught.value.details == {"symbol": arguments.get("symbol", "ETH/USD"), "available": available}


async def test_half_of_a_range_is_enough(sources: dict[str, Any], reference: str, strategy_id: str) -> None:
    async with asking(reference) as service:
        two_days = {"start_date": date(2026, 4, 30), "end_date": date(2026, 5, 2)}
        found = await run(sources, service, strategy_id, symbol="OLD/USD", **two_days)
    assert found.trades > 0


async def test_too_few_candles_for_the_indicators_are_insufficient_data(
    sources: dict[str, Any], postgres: Postgresql, reference: str
) -> None:
    strategy_id = await strategy(postgres, "DOUBLE_EMA_CROSSOVER", {"longPeriod": 5000})
    async with asking(reference) as service:
        with pytest.raises(InsufficientData):
            await run(sources, service, strategy_id, start_date=date(2026, 11, 20))


# --- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dates",
    [
        {"start_date": "2026-11-02", "end_date": "2026-11-02"},
        {"start_date": "2026-11-03", "end_date": "2026-11-02"},
        {"start_date": "2025-11-01", "end_date": "2026-11-03"},
        {"start_date": "2026-11-22"},
        {"start_date": "2025-11-20"},
    ],
)
async def test_a_range_that_is_none_is_an_invalid_range(
    sources: dict[str, Any], strategy_id: str, dates: dict[str, str]
) -> None:
    there = Service(result(**FIGURES))
    async with serving(there) as target:
        answer = await answered(sources, target, {"strategy_id": strategy_id, "symbol": "ETH/USD"} | dates)
    assert (answer.code, answer.http) == ("INVALID_DATE_RANGE", 422)
    assert not there.requests


@pytest.mark.parametrize("dates", [{"start_date": "2026-02-30"}, {"end_date": "yesterday"}])
async def test_a_day_that_is_none_is_an_invalid_parameter(
    sources: dict[str, Any], strategy_id: str, dates: dict[str, str]
) -> None:
    there = Service(result(**FIGURES))
    async with serving(there) as target:
        answer = await answered(sources, target, {"strategy_id": strategy_id, "symbol": "ETH/USD"} | dates)
    assert (answer.code, answer.http) == ("INVALID_PARAMETER", 400)
    assert not there.requests


async def test_a_start_after_now_is_refused_in_words(sources: dict[str, Any], strategy_id: str) -> None:
    async with asking("127.0.0.1:9") as service:
        with pytest.raises(InvalidDateRange, match="before now"):
            await run(sources, service, strategy_id, start_date=date(2027, 1, 1))


async def test_a_symbol_of_another_form_is_an_invalid_symbol(sources: dict[str, Any], strategy_id: str) -> None:
    answer = await answered(sources, "127.0.0.1:9", {"strategy_id": strategy_id, "symbol": "eth-usd"})
    assert answer.code == "INVALID_SYMBOL"


# --- faults --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, code, http",
    [
        (grpc.StatusCode.NOT_FOUND, "STRATEGY_NOT_FOUND", 404),
        (grpc.StatusCode.INVALID_ARGUMENT, "STRATEGY_NOT_FOUND", 404),
        (grpc.StatusCode.FAILED_PRECONDITION, "INSUFFICIENT_DATA", 422),
        (grpc.StatusCode.OUT_OF_RANGE, "INSUFFICIENT_DATA", 422),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "BACKTEST_TIMEOUT", 504),
        (grpc.StatusCode.UNAVAILABLE, "GRPC_ERROR", 502),
        (grpc.StatusCode.CANCELLED, "GRPC_ERROR", 502),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "GRPC_ERROR", 502),
        (grpc.StatusCode.INTERNAL, "GRPC_ERROR", 502),
        (grpc.StatusCode.UNIMPLEMENTED, "GRPC_ERROR", 502),
    ],
)
async def test_every_refusal_of_the_backtester_has_its_code_and_its_text_stays_in_the_log(
    sources: dict[str, Any], strategy_id: str, status: grpc.StatusCode, code: str, http: int
) -> None:
    async with serving(Service(refusal(status))) as target:
        answer = await answered(sources, target, _lately(strategy_id))
    assert (answer.code, answer.http) == (code, http)
    assert "secret" not in answer.text


async def test_a_backtest_that_takes_longer_than_its_deadline_is_a_timeout(
    sources: dict[str, Any], strategy_id: str
) -> None:
    there, clock = Service(silence), ManualClock(NOW)
    async with serving(there) as target:
        asking = asyncio.create_task(answered(sources, target, _lately(strategy_id), clock))
        await there.arrived.wait()
        clock.advance(60)
        answer = await asking
    assert (answer.code, answer.http) == ("BACKTEST_TIMEOUT", 504)


async def test_a_backtester_that_is_away_is_a_grpc_error_and_the_next_call_works_when_it_is_back(
    sources: dict[str, Any], strategy_id: str
) -> None:
    async with serving(Service(result(**FIGURES))) as target:
        pass
    async with asking(target) as service:
        whole = pipeline(server(handlers), sources={**sources, "backtester": service}, clock=ManualClock(NOW))
        with capture_logs(logging.DEBUG) as records:
            away = await whole.call("run_backtest", _lately(strategy_id))
        async with serving(Service(result(**FIGURES)), int(target.rpartition(":")[2])):
            back = await whole.call("run_backtest", _lately(strategy_id))
    assert (away.code, away.http) == ("GRPC_ERROR", 502)
    assert any(record.exc_info and "UNAVAILABLE" in str(record.exc_info[1]) for record in records)
    assert back.code is None
    assert back.body["data"]["trades"] == 8


async def test_a_database_that_is_away_is_a_database_error(sources: dict[str, Any]) -> None:
    nowhere = PostgresqlSource(
        name="postgres", url="url", min_connections=0, max_connections=1, idle_timeout_s=300, connection_timeout_s=5
    ).open({"url": "postgresql://nobody@127.0.0.1:9/nothing"}, SystemClock())
    answer = await answered(sources | {"postgres": nowhere}, "127.0.0.1:9", _lately(str(uuid4())))
    assert (answer.code, answer.http) == ("DATABASE_ERROR", 500)


async def test_candles_that_cannot_be_read_are_a_database_error(sources: dict[str, Any], strategy_id: str) -> None:
    missing = opened("http://127.0.0.1:9")
    answer = await answered(sources | {"influxdb": missing}, "127.0.0.1:9", _lately(strategy_id))
    assert (answer.code, answer.http) == ("DATABASE_ERROR", 500)


def _lately(strategy_id: str) -> dict[str, str]:
    return {"strategy_id": strategy_id, "symbol": "ETH/USD", "start_date": "2026-11-18"}
