"""The figures of the sample's strategies, by the reference backtester.

It runs on the sandbox's candles. `run_backtest` of the sandbox computes the same figures for the same days.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from uuid import UUID

import numpy as np

from sandbox.backtester.bars import Bars
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError
from sandbox.backtester.metrics import MINUTES_A_YEAR, compute_return, compute_sharpe, compute_win_rate, list_returns
from sandbox.backtester.rules import find_signals
from sandbox.backtester.simulation import simulate
from sandbox.candles.minutes import DAY, compute_candles
from sandbox.market import PAIRS, Market
from sandbox.tradestream.strategies import Implementation, Row, generate_implementations, spec_id

DAYS = 30
"""The measured days before today, as many as `run_backtest` has by default."""
FIRST = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a backtest that the sample has."""

    trades: int
    win_rate: float
    sharpe: float
    total_return: float


@dataclass(frozen=True, slots=True)
class Measurements:
    """The figures of implementations over the same days."""

    first: date
    last: date
    figures: Mapping[UUID, Figures]
    """The figures by implementation; one without a trade has none."""


@lru_cache(maxsize=4)
def measure(seed: int, today: date) -> Measurements:
    """Measure every implementation that is more than a candidate, over the DAYS before *today*.

    A second of work, for each day once in a process.
    """
    end = (today - FIRST).days * DAY
    figures: dict[UUID, Figures] = {}
    bars = {symbol: read_bars(Market(seed), symbol, end - DAYS * DAY, end) for symbol in PAIRS}
    for each in generate_implementations(seed):
        if each.status != "CANDIDATE" and (found := _backtest(each, bars[each.symbol])) is not None:
            figures[each.impl_id] = found
    return Measurements(today - timedelta(days=DAYS), today - timedelta(days=1), figures)


def read_bars(market: Market, symbol: str, start: int, end: int) -> Bars:
    """Return the candles of the minutes since 1970 from *start*, before *end*."""
    _, opened, high, low, close, volume = np.ascontiguousarray(compute_candles(market, symbol, start, end))
    return Bars(open=opened, high=high, low=low, close=close, volume=volume, minutes=1)


def _backtest(implementation: Implementation, bars: Bars) -> Figures | None:
    """Return the figures of a backtest; None without a trade."""
    try:
        signals = find_signals(implementation.spec.name, implementation.parameters, bars)
    except (BadParametersError, TooFewCandlesError):
        return None
    outcome = simulate(bars, signals)
    if not outcome.trades:
        return None
    sharpe = compute_sharpe(list_returns(outcome), MINUTES_A_YEAR)
    return Figures(len(outcome.trades), compute_win_rate(outcome.trades), sharpe, compute_return(outcome))


def implementation_row(implementation: Implementation, measured: Measurements) -> Row:
    """Return the row of strategy_implementations; a candidate has no figures."""
    found = measured.figures.get(implementation.impl_id)
    figures = (None, None) if found is None else (found.sharpe, found.win_rate)
    spec, symbol, created_at = implementation.spec, implementation.symbol, implementation.created_at
    chosen = json.dumps(implementation.parameters)
    parent = spec_id(implementation.seed, spec)
    return (implementation.impl_id, parent, symbol, chosen, implementation.status, *figures, created_at)


def performance_rows(implementation: Implementation, measured: Measurements) -> Iterator[Row]:
    """Yield the row of strategy_performance; none without a trade.

    A trade counts as a signal, which was right if the trade gained.
    """
    if (found := measured.figures.get(implementation.impl_id)) is not None:
        days = (measured.first, measured.last)
        yield (implementation.strategy_id, *days, found.trades, found.win_rate, found.sharpe, found.total_return)
