"""The tools on the sandbox's sample data, against a computation in plain Python."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

import pytest

from generated.tradestream.errors import NoSignal
from generated.tradestream.strategy.models import (
    GetStrategyConsensusRequest,
    GetStrategySignalRequest,
    GetTopStrategiesRequest,
    Strategy,
)
from generated.tradestream.strategy.server import StrategyCall
from handlers.tradestream.strategy import get_strategy_consensus, get_strategy_signal, get_top_strategies
from sandbox.market import PAIRS
from sandbox.seeded_random import SEED
from sandbox.tradestream.load import load
from sandbox.tradestream.sample import Table, build_sample
from tests.handlers.tradestream.rows import to_records

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def tables() -> Mapping[str, Table]:
    return build_sample(SEED, NOW)


@pytest.fixture
async def loaded(postgres_url: str) -> None:
    await load(postgres_url, SEED, NOW)


def rows(tables: Mapping[str, Table], name: str) -> Rows:
    return [dict(zip(tables[name].columns, row, strict=True)) for row in tables[name].rows]


def active(tables: Mapping[str, Table], symbol: str) -> Rows:
    return [row for row in rows(tables, "strategies") if row["symbol"] == symbol and row["is_active"]]


def current(tables: Mapping[str, Table]) -> dict[Any, dict[str, Any]]:
    """By strategy, the last of the signals that are at most a day old."""
    fresh = [row for row in rows(tables, "signals") if row["triggered_at"] >= NOW - timedelta(days=1)]
    return {row["strategy_id"]: row for row in sorted(fresh, key=lambda row: row["triggered_at"])}


def rank(measured: Rows, column: str) -> list[tuple[str, float]]:
    """Return the strategies with their scores, ordered by their shrunk scores."""
    mean = sum(row[column] * row["signals_count"] for row in measured) / sum(row["signals_count"] for row in measured)

    def place(row: dict[str, Any]) -> tuple[bool, float, str]:
        count = row["signals_count"]
        return count < 10, -round((row[column] * count + 20 * mean) / (count + 20), 12), str(row["strategy_id"])

    return [(str(row["strategy_id"]), row[column]) for row in sorted(measured, key=place)]


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("metric, column", [("sharpe", "sharpe"), ("accuracy", "accuracy"), ("return", "total_return")])
async def test_every_symbol_is_ranked_as_its_measured_days_say(
    call: StrategyCall, tables: Mapping[str, Table], metric: Any, column: str
) -> None:
    performance = sorted(rows(tables, "strategy_performance"), key=lambda row: row["period_end"])
    newest = {row["strategy_id"]: row for row in performance}
    for symbol in PAIRS:
        wanted = rank(
            [newest[row["strategy_id"]] for row in active(tables, symbol) if row["strategy_id"] in newest], column
        )
        got: list[Strategy] = []
        while not got or len(got) < len(wanted):
            request = GetTopStrategiesRequest(symbol=symbol, metric=metric, limit=7, offset=len(got))
            page = to_records(Strategy, await get_top_strategies(request, call))
            assert page.total == len(wanted)
            assert page.items
            got += page.items
        assert [(item.strategy_id, item.score) for item in got] == wanted


@pytest.mark.usefixtures("loaded")
async def test_every_symbol_has_the_consensus_that_its_signals_make(
    call: StrategyCall, tables: Mapping[str, Table]
) -> None:
    signals = current(tables)
    for symbol in PAIRS:
        voting = [signals[row["strategy_id"]] for row in active(tables, symbol) if row["strategy_id"] in signals]
        sides = {
            side: [row["confidence"] for row in voting if row["signal"] == side] for side in ("BUY", "SELL", "HOLD")
        }
        got = await get_strategy_consensus(GetStrategyConsensusRequest(symbol=symbol), call)
        assert (got.bullish_count, got.bearish_count, got.neutral_count) == tuple(map(len, sides.values()))
        winner = next((side for side in ("BUY", "SELL") if len(sides[side]) / len(voting) > 0.5), None)
        strong = winner is not None and len(sides[winner]) / len(voting) >= 0.7
        wanted = "NEUTRAL" if winner is None else f"STRONG_{winner}" if strong else winner
        confidences = [row["confidence"] for row in voting] if winner is None else sides[winner]
        assert (got.consensus, round(got.confidence, 9)) == (wanted, round(fmean(confidences), 9)), symbol


@pytest.mark.usefixtures("loaded")
async def test_every_strategy_has_its_last_signal_of_a_day_or_none(
    call: StrategyCall, tables: Mapping[str, Table]
) -> None:
    signals = current(tables)
    for row in rows(tables, "strategies"):
        request = GetStrategySignalRequest(strategy_id=str(row["strategy_id"]), symbol=row["symbol"])
        wanted = signals.get(row["strategy_id"])
        if wanted is None:
            with pytest.raises(NoSignal):
                await get_strategy_signal(request, call)
            continue
        got = await get_strategy_signal(request, call)
        expected = (wanted["signal"], wanted["confidence"], wanted["triggered_at"])
        assert (got.signal, got.confidence, got.triggered_at) == expected
