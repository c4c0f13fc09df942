"""The metrics of a backtest: 252 days of 1440 minutes a year, risk-free rate 2 %."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.backtester.bars import Bars, Numbers
from sandbox.backtester.simulation import CASH, Outcome, Trade

MINUTES_A_YEAR = 252 * 1440
RISK_FREE = 0.02
"""The risk-free return of a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The figures of a backtest, as backtester.proto defines them."""

    cumulative_return: float
    annualized_return: float
    sharpe_ratio: float
    sortino_ratio: float
    max_drawdown: float
    volatility: float
    win_rate: float
    profit_factor: float
    number_of_trades: int
    average_trade_duration: float
    alpha: float
    beta: float
    strategy_score: float


def compute_metrics(bars: Bars, outcome: Outcome) -> Metrics:
    """Compute the metrics of *outcome* on *bars*.

    - Sharpe: the mean excess return over its standard deviation (Sharpe 1994, of a sample).
    - Sortino: the same over the root of the mean square of negative excess returns (Sortino and Price 1994).
    - Alpha and beta: the regression of excess returns on those of the price (Jensen 1968).

    The ratios are multiplied by the square root of the candles in a year, alpha by their number.
    """
    year = MINUTES_A_YEAR / bars.minutes
    returns = list_returns(outcome)
    market = _returns(np.concatenate([bars.close[:1], bars.close]))
    free = RISK_FREE / year
    excess = returns - free
    deviation, downside = _deviation(returns), float(np.sqrt(np.mean(np.minimum(excess, 0) ** 2)))
    is_moving = deviation > 0
    total = compute_return(outcome)
    with np.errstate(over="ignore"):  # a good day compounded to a year may overflow
        annual = float(np.float64(1 + total) ** (year / len(bars)) - 1)
    variance = float(np.var(market))
    covariance = float(np.mean((returns - returns.mean()) * (market - market.mean())))
    beta = covariance / variance if variance else 0.0
    sharpe = compute_sharpe(returns, year)
    drawdown = _drawdown(outcome.equity)
    win_rate, factor = compute_win_rate(outcome.trades), _profit_factor(outcome.trades)
    return Metrics(
        cumulative_return=total,
        annualized_return=annual,
        sharpe_ratio=sharpe,
        sortino_ratio=float(excess.mean() / downside * np.sqrt(year)) if is_moving and downside else 0.0,
        max_drawdown=drawdown,
        volatility=float(deviation * np.sqrt(year)),
        win_rate=win_rate,
        profit_factor=factor,
        number_of_trades=len(outcome.trades),
        average_trade_duration=float(np.mean([trade.exit - trade.entry for trade in outcome.trades] or [0])),
        alpha=float((excess.mean() - beta * float(market.mean() - free)) * year),
        beta=beta,
        strategy_score=_score(sharpe, drawdown, win_rate, annual, factor),
    )


def _returns(values: Numbers) -> Numbers:
    return values[1:] / values[:-1] - 1


def _deviation(returns: Numbers) -> float:
    return float(np.std(returns, ddof=1)) if len(returns) > 1 else 0.0


def _drawdown(equity: Numbers) -> float:
    highest = np.maximum.accumulate(np.concatenate([[CASH], equity]))[1:]
    return float(np.max(1 - equity / highest))


def compute_return(outcome: Outcome) -> float:
    """Return the whole return of *outcome*, as a fraction."""
    return float(outcome.equity[-1] / CASH - 1)


def list_returns(outcome: Outcome) -> Numbers:
    """Return the return of each candle, as a fraction."""
    return _returns(np.concatenate([[CASH], outcome.equity]))


def compute_sharpe(returns: Numbers, year: float) -> float:
    """Return the annual Sharpe ratio of *returns*, *year* of which make a year; else 0."""
    deviation = _deviation(returns)
    return float(np.mean(returns - RISK_FREE / year)) / deviation * float(np.sqrt(year)) if deviation > 0 else 0.0


def compute_win_rate(trades: Sequence[Trade]) -> float:
    """Return the share of *trades* that gained; 0 without trades."""
    return sum(trade.profit > 0 for trade in trades) / len(trades) if trades else 0.0


def _profit_factor(trades: Sequence[Trade]) -> float:
    gained = sum(max(trade.profit, 0.0) for trade in trades)
    lost = sum(max(-trade.profit, 0.0) for trade in trades)
    return gained / lost if lost else float("inf") if gained else 0.0


def _score(sharpe: float, drawdown: float, win_rate: float, annual: float, factor: float) -> float:
    """Return the weighted sum of five shares; a figure from -1 to 2 becomes a share from 0 to 1."""
    shares = [min(max((figure + 1) / 3, 0.0), 1.0) for figure in (sharpe, annual, factor)]
    return 0.25 * shares[0] + 0.2 * (1 - drawdown) + 0.2 * win_rate + 0.2 * shares[1] + 0.15 * shares[2]
