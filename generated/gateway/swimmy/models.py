"""Requests and results of swimmy-mcp.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from toolaccord.contract_model import ContractModel


class HealthPingRequest(ContractModel):
    """Arguments of health.ping."""


class HealthPingResult(ContractModel):
    """Result of health.ping."""

    status: Literal["ok"]
    """Always ok"""


class SystemStatusRequest(ContractModel):
    """Arguments of system.status."""


class SystemStatusResult(ContractModel):
    """Result of system.status."""

    swimmy: dict[str, str]
    """
    Lines of Swimmy's status file: time (as Swimmy writes it, in Japan's time), ticks, equity
    and pnl (in the account's currency), mt5 (ONLINE or OFFLINE)
    """
    backtest: dict[str, str]
    """
    Lines of the backtests' status file: timestamp (ISO 8601, UTC), count, pending, and
    last_name, last_sharpe, last_trades, last_request_id of the backtest that ended last
    """


class SystemMetricsRequest(ContractModel):
    """Arguments of system.metrics."""


class SystemMetricsResult(ContractModel):
    """Result of system.metrics."""

    model_config = ConfigDict(extra="allow")
    schema_version: Any | None = None
    """Version of the file's own schema; the members below are those of version 1"""
    timestamp: Any | None = None
    """Time at which Swimmy wrote the file, ISO 8601 in UTC"""
    heap_used_bytes: Any | None = None
    """Used heap of Swimmy's Lisp process, in bytes"""
    heap_used_mb: Any | None = None
    """The same in MiB"""
    strategy_count: Any | None = None
    """Number of strategies that Swimmy knows"""
    uptime_seconds: Any | None = None
    """Seconds since Swimmy started"""


class Strategy(ContractModel):
    """Strategy to test."""

    name: str
    """
    Name of the strategy, which the result repeats, e.g. SMA 20-50: at most 64 letters,
    digits, spaces or any of . _ : + -
    """
    sma_short: Annotated[int, Field(ge=1, le=10000)]
    """Bars of the short average, or of the indicator, 1 to 10000"""
    sma_long: Annotated[int, Field(ge=1, le=10000)]
    """Bars of the long average, or of the indicator's second period, 1 to 10000"""
    sl: float | int
    """Stop loss: distance from the entry price, in price units"""
    tp: float | int
    """Take profit: distance from the entry price, in price units"""
    volume: float | int
    """Size of a trade in lots, above 0 and at most 1000"""
    indicator_type: (
        Literal["sma", "ema", "rsi", "macd", "bb", "stoch", "vwap", "volsma", "vpoc", "vwapvr", "keltner"] | None
    ) = None
    """Indicator that gives the signals; sma if absent"""
    filter_enabled: bool | None = None
    """
    If true, trades need the condition filter_logic on candles of filter_tf; give all of
    filter_tf, filter_period, filter_logic, and aux_candles of filter_tf
    """
    filter_tf: Literal["m5", "m15", "m30", "h1", "h4", "d1", "w1"] | None = None
    """Timeframe of the filter's candles: minutes, hours, day or week"""
    filter_period: Annotated[int | None, Field(ge=1, le=10000)] = None
    """Bars of the filter's average, 1 to 10000"""
    filter_logic: Literal["PRICE_ABOVE_SMA", "PRICE_BELOW_SMA"] | None = None
    """Side of the average on which the price must be"""
    band_mult: float | int | None = None
    """Width of bb in standard deviations, of keltner in ATRs, 0 to 1000; 2 if absent"""
    atr_period: Annotated[int | None, Field(ge=1, le=10000)] = None
    """Bars of the average true range (ATR), 1 to 10000; 14 if absent"""
    atr_barrier_sl: float | int | None = None
    """Stop loss in ATRs, instead of sl, at most 1000; 0 or absent: sl counts"""
    atr_barrier_tp: float | int | None = None
    """Take profit in ATRs, instead of tp, at most 1000; 0 or absent: tp counts"""


class Candle(ContractModel):
    """Prices of a span of time."""

    t: Annotated[int, Field(ge=0, le=4102444800)]
    """Start of the candle, in Unix seconds"""
    o: float | int
    """Opening price"""
    h: float | int
    """Highest price"""
    l: float | int
    """Lowest price"""
    c: float | int
    """Closing price"""
    v: float | int | None = None
    """Traded volume in ticks or lots"""


class AuxCandles(ContractModel):
    """Candles of longer timeframes for the strategy's filter, with candles only."""

    m5: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of 5 minutes"""
    m15: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of 15 minutes"""
    m30: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of 30 minutes"""
    h1: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of an hour"""
    h4: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of 4 hours"""
    d1: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of a day"""
    w1: Annotated[list[Candle] | None, Field(max_length=1000, min_length=1)] = None
    """Candles of a week"""


class Swap(ContractModel):
    """Swap of a day."""

    t: Annotated[int, Field(ge=0, le=4102444800)]
    """Time of the swap, in Unix seconds"""
    sl: float | int
    """Swap of a long position, in price units"""
    ss: float | int
    """Swap of a short position, in price units"""


class Result(ContractModel):
    """Figures of the backtest, as the Guardian sent them.

    Null for a figure that is no number or was not sent.
    """

    model_config = ConfigDict(extra="allow")
    strategy_name: Any | None = None
    """Name of the strategy"""
    request_id: Any | None = None
    """Id of the backtest"""
    sharpe: float | int | None
    """Sharpe ratio, annualised"""
    trades: float | int | None
    """Number of trades"""
    profit_factor: float | int | None
    """Ratio of gross profit to gross loss"""
    win_rate: float | int | None
    """Share of trades that won, from 0 to 1"""
    max_dd: float | int | None
    """Largest drawdown, as a fraction"""
    trade_list: Any | None = None
    """Trades, if include_trades was true"""


class BacktestStatusRequest(ContractModel):
    """Arguments of backtest.status."""

    request_id: str | None = None
    """Id that backtest.submit returned: at most 64 letters, digits, _ or -"""


class BacktestStatusResult(ContractModel):
    """Result of backtest.status."""

    model_config = ConfigDict(extra="allow")
    mode: Literal["latest", "request"]
    """request: about the backtest of request_id. latest: lines of the backtests' status file"""
    request_id: str | None = None
    """Id of the backtest; with mode request only"""
    state: Literal["done", "failed", "pending", "unknown"] | None = None
    """
    done: it has a result. failed: it has a reason. pending: this process of the gateway
    submitted it, and no result came; a result above 64 KiB never does. unknown: this process
    did not submit it, or 1,000 others ago, and heard no result; it may have been submitted
    before a restart, or never. With mode request only
    """
    result: Result | None = None
    reason: str | None = None
    """Reason of the Guardian for a failed backtest"""


class TradeSubmitRequest(ContractModel):
    """Arguments of trade.submit."""

    model_config = ConfigDict(extra="allow")


class TradeSubmitResult(ContractModel):
    """Result of trade.submit."""


class BacktestRequest(ContractModel):
    """A backtest for the Guardian to run."""

    action: Literal["BACKTEST"]
    """Command of the Guardian; no caller can choose it"""
    strategy: Strategy
    symbol: str | None = None
    """Currency pair, e.g. USDJPY"""
    timeframe: Annotated[list[int] | None, Field(max_length=1)] = None
    """Minutes of a bar; empty: those of the candles"""
    start_time: Annotated[list[int] | None, Field(max_length=1)] = None
    """Time of the first candle; empty: no bound"""
    end_time: Annotated[list[int] | None, Field(max_length=1)] = None
    """Time of the last candle; empty: no bound"""
    data_id: Annotated[list[str] | None, Field(max_length=1)] = None
    """Key of the Guardian's cache of candles"""
    candles_file: Annotated[list[str] | None, Field(max_length=1)] = None
    """File that the Guardian reads candles from"""
    candles: Annotated[list[Candle] | None, Field(max_length=5000, min_length=1)] = None
    """Candles to test on, oldest first"""
    aux_candles: AuxCandles | None = None
    swap_history: Annotated[list[Swap] | None, Field(max_length=1000)] = None
    """Swaps of the tested days, oldest first"""
    include_trades: bool | None = None
    """If true, the result lists its trades"""
    request_id: str
    """Id of a backtest"""


class BacktestSubmitRequest(ContractModel):
    """Arguments of backtest.submit."""

    strategy: Strategy
    symbol: str | None = None
    """Currency pair, e.g. USDJPY"""
    timeframe: Annotated[int | None, Field(ge=1, le=43200)] = None
    """
    Minutes of a bar, 1 to 43200; the Guardian combines candles to bars of this length, above
    1
    """
    candles: Annotated[list[Candle] | None, Field(max_length=5000, min_length=1)] = None
    """Candles to test on, oldest first"""
    candles_file: Annotated[str | None, Field(max_length=196)] = None
    """
    CSV file of candles, relative to the Guardian's folder, e.g.
    data/historical/USDJPY_M1.csv, at most 196 characters; it is read once and then kept in
    memory
    """
    data_id: str | None = None
    """Name of candles that the Guardian already holds, e.g. USDJPY_M1"""
    aux_candles: AuxCandles | None = None
    start_time: Annotated[int | None, Field(ge=0, le=4102444800)] = None
    """Time of the first candle to use, in Unix seconds"""
    end_time: Annotated[int | None, Field(ge=0, le=4102444800)] = None
    """Time of the last candle to use, in Unix seconds"""
    swap_history: Annotated[list[Swap] | None, Field(max_length=1000)] = None
    """Swaps of the tested days, oldest first"""
    include_trades: bool | None = None
    """
    If true, the result lists its trades; a result above 64 KiB, of about 1,000 trades, never
    reaches backtest.status
    """
    request_id: str | None = None
    """
    Id under which backtest.status finds the result: at most 64 letters, digits, _ or -;
    without it, the gateway makes one
    """
    wait: bool = False
    """
    If true, the answer comes with the result, or pending at the deadline: after an hour in a
    task, else after a minute. Needs a gateway that receives results
    """


class BacktestSubmitResult(ContractModel):
    """Result of backtest.submit."""

    status: Literal[202]
    """202, accepted: the request was sent; the backtest runs later"""
    request_id: str
    """Id of a backtest"""
    state: Literal["done", "failed", "pending"] | None = None
    """
    done: it has a result. failed: it has a reason. pending: no result came in time, so ask
    backtest.status later. Absent without wait, or if the gateway receives no results
    """
    result: Result | None = None
    reason: str | None = None
    """Reason of the Guardian for a failed backtest"""
