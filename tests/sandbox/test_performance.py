"""The figures that rank strategies are those of backtests over the same days."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import pytest

from generated.tradestream.backtest import server as backtest_server
from generated.tradestream.backtest.client import BacktestClient
from generated.tradestream.backtest.models import GetHistoricalPerformanceRequest, RunBacktestRequest
from generated.tradestream.strategy import server as strategy_server
from generated.tradestream.strategy.client import StrategyClient
from generated.tradestream.strategy.models import GetTopStrategiesRequest
from handlers.tradestream import backtest, strategy
from sandbox import backtester, candles
from sandbox.candles import SimulatedCandles
from sandbox.market import PAIRS, Market
from sandbox.seeded_random import SEED
from sandbox.tradestream.database import SCHEMA
from sandbox.tradestream.load import load
from sandbox.tradestream.performance import DAYS, measure
from sandbox.tradestream.strategies import generate_implementations
from tests.handlers.candles.stores import closing, opened
from tests.handlers.tradestream.service import asking
from tests.services.candles import generate_candles
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.testing import ManualClock, connection
from toolaccord.timing.clock import SystemClock

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
TODAY = NOW.date()
POSTGRES = PostgresqlSource(
    name="postgres", url="url", min_connections=1, max_connections=5, idle_timeout_s=300, connection_timeout_s=5
)


class Clients(NamedTuple):
    strategy: StrategyClient
    backtest: BacktestClient


@pytest.fixture
async def clients(empty_postgres_url: str) -> AsyncIterator[Clients]:
    """The tools of both servers, at NOW."""
    await SCHEMA.migrate(empty_postgres_url)
    await load(empty_postgres_url, SEED, NOW)
    clock, postgres = ManualClock(NOW), POSTGRES.open({"url": empty_postgres_url}, SystemClock())
    ranked = connection(strategy_server.server(strategy), sources={"postgres": postgres}, clock=clock)
    with candles.serve(SimulatedCandles(lambda: NOW)) as url, backtester.serve() as target:
        async with closing(opened(url)) as influxdb, asking(target) as service:
            sources: dict[str, Any] = {"postgres": postgres, "influxdb": influxdb, "backtester": service}
            tested = connection(backtest_server.server(backtest), sources=sources, clock=clock)
            async with StrategyClient(ranked) as first, BacktestClient(tested) as second:
                yield Clients(first, second)
    await postgres.close()


@pytest.mark.parametrize("symbol", ["ETH/USD", "DOGE/USD"])
async def test_the_leaders_figures_are_those_of_a_backtest_over_the_same_days(clients: Clients, symbol: str) -> None:
    start = TODAY - timedelta(days=DAYS)
    top = await clients.strategy.get_top_strategies(GetTopStrategiesRequest(symbol=symbol, limit=2))
    for leader in top.items:
        strategy_id = leader.strategy_id
        request = RunBacktestRequest(strategy_id=strategy_id, symbol=symbol, start_date=start, end_date=TODAY)
        result = await clients.backtest.run_backtest(request)
        assert (result.sharpe_ratio, result.win_rate) == (leader.sharpe, leader.accuracy)
        assert (result.trades, leader.score) == (leader.signals_count, leader.sharpe)
        month = GetHistoricalPerformanceRequest(strategy_id=strategy_id, period="1m")
        measured = await clients.backtest.get_historical_performance(month)
        assert measured.avg_return == pytest.approx(result.total_return, abs=1e-9)
        assert (measured.accuracy, measured.sharpe) == pytest.approx((leader.accuracy, leader.sharpe))


@pytest.mark.parametrize("today", [TODAY, date(2028, 2, 29)])
def test_every_strategy_can_be_run_frama_too_and_some_earn_on_most_symbols(today: date) -> None:
    measured = measure(SEED, today)
    assert (measured.first, measured.last) == (today - timedelta(days=30), today - timedelta(days=1))
    strategies = [each for each in generate_implementations(SEED) if each.is_strategy]
    runnable = [each for each in strategies if each.impl_id in measured.figures]
    assert len(runnable) > 0.9 * len(strategies), "the others did not trade"
    assert "FRAMA" in {each.spec.name for each in runnable}
    earning = {each.symbol for each in runnable if measured.figures[each.impl_id].sharpe > 1}
    assert len(earning) > 0.8 * len(PAIRS)


def test_an_hours_volume_is_a_round_number_that_fits_the_pair() -> None:
    minute = int(NOW.timestamp()) // 60
    for symbol, pair in PAIRS.items():
        rows = generate_candles(Market(SEED), symbol, minute - 1440, minute)
        assert all(row[6] % pair.lot == 0 for row in rows), symbol
        assert sum(row[6] for row in rows) % pair.lot == 0
        traded = sum(row[5] * row[6] for row in rows) / len(rows)
        assert 0.3 < traded / pair.turnover < 3, symbol
