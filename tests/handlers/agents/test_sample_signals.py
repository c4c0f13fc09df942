"""Signals from the real servers on the sample data, against an independent computation."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from statistics import pstdev
from typing import Any

import pytest

from generated.tradestream.errors import SymbolNotFound
from generated.tradestream.market_data import server as market_data_server
from generated.tradestream.market_data.client import MarketDataClient
from generated.tradestream.strategy import server as strategy_server
from generated.tradestream.strategy.client import StrategyClient
from handlers.tradestream import market_data, strategy
from sandbox import candles
from sandbox.candles import SimulatedCandles
from sandbox.market import PAIRS, Market
from sandbox.seeded_random import SEED
from sandbox.tradestream.load import load
from sandbox.tradestream.sample import build_sample
from tests.handlers.agents.scripted_tools import ScriptedTools
from tests.handlers.agents.specification import partial_confidence, specified_action
from tests.handlers.candles.stores import closing, opened
from tests.handlers.tradestream.test_strategy_sample import rank
from tests.services.candles import generate_candles
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.testing import ManualClock, connection
from toolaccord.timing.clock import SystemClock

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = 60
POSTGRES = PostgresqlSource(
    name="postgres", url="url", min_connections=1, max_connections=5, idle_timeout_s=300, connection_timeout_s=5
)
Rows = list[dict[str, Any]]


@pytest.fixture
async def tools(postgres_url: str) -> AsyncIterator[ScriptedTools]:
    """The tools of both servers, at NOW."""
    await load(postgres_url, SEED, NOW)
    clock, postgres = ManualClock(NOW), POSTGRES.open({"url": postgres_url}, SystemClock())
    ranked = connection(strategy_server.server(strategy), sources={"postgres": postgres}, clock=clock)
    with candles.serve(SimulatedCandles(lambda: NOW)) as url:
        async with closing(opened(url)) as influxdb:
            traded = connection(market_data_server.server(market_data), sources={"influxdb": influxdb}, clock=clock)
            real = ScriptedTools()
            async with StrategyClient(ranked) as real.strategy, MarketDataClient(traded) as real.market_data:
                yield real
    await postgres.close()


def expected_votes(tables: Mapping[str, Rows], symbol: str) -> list[tuple[str, str, float]]:
    """Return name, signal and accuracy of the best five strategies, of those with a signal."""
    newest = {
        row["strategy_id"]: row for row in sorted(tables["strategy_performance"], key=lambda row: row["period_end"])
    }
    fresh = [row for row in tables["signals"] if row["triggered_at"] >= NOW - timedelta(days=1)]
    signals = {row["strategy_id"]: row["signal"] for row in sorted(fresh, key=lambda row: row["triggered_at"])}
    active = [row for row in tables["strategies"] if row["symbol"] == symbol and row["is_active"]]
    measured = [row for row in active if row["strategy_id"] in newest]
    order = [key for key, _ in rank([newest[row["strategy_id"]] for row in measured], "accuracy")]
    best = sorted(measured, key=lambda row: order.index(str(row["strategy_id"])))[:5]
    return [
        (row["name"], signals[row["strategy_id"]], newest[row["strategy_id"]]["accuracy"])
        for row in best
        if row["strategy_id"] in signals
    ]


def expected_context(symbol: str) -> dict[str, float]:
    """Return the market context, from the minutes before NOW."""
    now = int(NOW.timestamp()) // 60
    minutes = generate_candles(Market(candles.SEED), symbol, now - 101 * HOUR, now + 1)
    closes, volumes = [each[5] for each in minutes], [each[6] for each in minutes]
    hourly = [sum(volumes[start : start + HOUR]) for start in range(0, 101 * HOUR, HOUR)]
    ends = closes[HOUR - 1 : 101 * HOUR : HOUR][-100:]
    return {
        "current_price": closes[-1],
        "price_change_1h": closes[-1] / closes[-1 - HOUR] - 1,
        "volume_ratio": hourly[-1] / (sum(hourly[-25:-1]) / 24),
        "volatility_1h": pstdev(after / before - 1 for before, after in itertools.pairwise(ends)),
    }


async def test_every_symbol_has_the_signal_that_its_sample_data_make(tools: ScriptedTools) -> None:
    tables = {
        name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        for name, table in build_sample(SEED, NOW).items()
    }
    actions = set()
    for symbol in PAIRS:
        signal, votes = await tools.answer(symbol, NOW), expected_votes(tables, symbol)
        assert [(each.name, each.signal, each.score) for each in signal.strategy_breakdown] == votes
        missing = () if 2 * len(votes) > 5 else ("strategies",)
        expected = partial_confidence([vote[1] for vote in votes], [vote[2] for vote in votes], 5, missing)
        assert signal.confidence == pytest.approx(float(expected), rel=1e-9)
        assert signal.market_context is not None
        assert signal.market_context.model_dump() == pytest.approx(expected_context(symbol), rel=1e-9)
        assert tools.missing.labels == missing
        assert signal.action == specified_action([vote[1] for vote in votes], 5)
        actions.add(signal.action)
    assert {"HOLD"} < actions, "the sample has more than one action"


async def test_an_unknown_symbol_has_no_signal(tools: ScriptedTools) -> None:
    with pytest.raises(SymbolNotFound):
        await tools.answer("ABC/XYZ", NOW)
    assert tools.channel.published == []
