"""Requests and results of backtest-mcp.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from toolaccord.contract_model import ContractModel


class RunBacktestRequest(ContractModel):
    """Arguments of run_backtest."""

    strategy_id: str
    """Strategy identifier"""
    symbol: str
    """
    Trading pair whose 1-minute candles are used, such as ETH/USD; need not be the strategy's
    own
    """
    start_date: date | None = None
    """First day in UTC, as YYYY-MM-DD; 30 days before the end if not given"""
    end_date: date | None = None
    """
    Exclusive end, at 00:00 UTC of this day, as YYYY-MM-DD; at most 366 days after start_date.
    Now if not given
    """
    by_month: bool = False
    """
    If true, the result has the equity at the end of each month. It takes several times as
    long, so ask for a task if the range is long
    """


class MonthOfEquity(ContractModel):
    """Equity at the end of a month."""

    month: str
    """The month, e.g. 2026-10; the last one may end with the range"""
    equity: float | int
    """
    Equity as a multiple of that at the start: 1.023 is a return of 2.3 %. An open position
    counts as sold, with its fee
    """
    max_drawdown: float | int | None = None
    """Deepest fall of the equity until then from an earlier high, as a fraction of that high"""
    ends_on: date | None = None
    """Last day of the month within the range, in UTC, as YYYY-MM-DD"""


class GetHistoricalPerformanceRequest(ContractModel):
    """Arguments of get_historical_performance."""

    strategy_id: str
    """Strategy identifier"""
    symbol: str | None = None
    """
    Trading pair, such as ETH/USD; the strategy's own pair if not given. A strategy has
    performance on its own pair only
    """
    period: Literal["1w", "1m", "3m", "6m", "1y"] = "3m"
    """Time before today: measurements that end in this week, month or year count; 3m if absent"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class MonthOfPerformance(ContractModel):
    """Performance of a strategy in the measurements that end in one month."""

    month: str
    """The month, e.g. 2026-10"""
    signals: Annotated[int, Field(ge=0)]
    """Number of signals"""
    accuracy: float | int | None = None
    """Share of right signals among all, from 0 to 1; absent without signals"""
    return_: Annotated[float | int, Field(alias="return")]
    """Return, compounded, as a fraction: 0.023 is 2.3 %"""


class RunBacktestResult(ContractModel):
    """Result of run_backtest."""

    total_return: float | int
    """Return over the whole time, fees of 0.1 % an order included, as a fraction: 0.023 is 2.3 %"""
    sharpe_ratio: float | int | None = None
    """Annual Sharpe ratio over a risk-free 2 % a year; absent without trades"""
    max_drawdown: float | int
    """Deepest fall of the equity from an earlier high, as a fraction of that high"""
    win_rate: float | int | None = None
    """Share of the trades that gained, from 0 to 1; absent without trades"""
    trades: Annotated[int, Field(ge=0)]
    """Number of trades, each a purchase and its sale"""
    equity_curve: Annotated[list[MonthOfEquity] | None, Field(max_length=13, min_length=1)] = None
    """
    Months of the range, the oldest first, without those at its beginning that the indicators
    need; absent unless requested
    """


class GetHistoricalPerformanceResult(ContractModel):
    """Result of get_historical_performance."""

    total_signals: Annotated[int, Field(ge=0)]
    """Number of signals"""
    accuracy: float | int | None = None
    """Share of right signals among all, from 0 to 1; absent without signals"""
    avg_return: float | int
    """Mean of the months' returns, as a fraction: 0.023 is 2.3 %"""
    sharpe: float | int
    """Mean of the measured annual Sharpe ratios, weighted by the days they were measured over"""
    performance_by_month: Annotated[list[MonthOfPerformance], Field(max_length=13, min_length=1)]
    """Months with measurements, the oldest first"""
