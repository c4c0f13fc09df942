"""Backtests of the Guardian's strategies by the reference backtester, and their messages."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from sandbox.backtester.bars import Bars
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError, UnknownStrategyError
from sandbox.backtester.metrics import compute_metrics
from sandbox.backtester.rules import find_spec_signals
from sandbox.backtester.simulation import simulate
from sandbox.backtester.specs import Spec, parse_spec
from sandbox.guardian.candles import NoCandlesError, load_candles
from sandbox.guardian.requests import BacktestRequest, Strategy
from sandbox.guardian.s_expressions import Value, format_value

RULES: Mapping[str, tuple[str, str]] = {
    "sma": (
        "short=SMA(close, period={short}) long=SMA(close, period={long})",
        "short CROSSED_UP long -> short CROSSED_DOWN long",
    ),
    "ema": (
        "short=EMA(close, period={short}) long=EMA(close, period={long})",
        "short CROSSED_UP long -> short CROSSED_DOWN long",
    ),
    "rsi": ("rsi=RSI(close, period={short})", "rsi CROSSED_UP_CONSTANT 30 -> rsi CROSSED_DOWN_CONSTANT 70"),
    "macd": (
        "macd=MACD(close, shortPeriod={short}, longPeriod={long})",
        "macd CROSSED_UP_CONSTANT 0 -> macd CROSSED_DOWN_CONSTANT 0",
    ),
    "bb": (
        "lower=BOLLINGER_LOWER(close, period={short}) upper=BOLLINGER_UPPER(close, period={short})",
        "close CROSSED_UP lower -> close CROSSED_UP upper",
    ),
    "stoch": ("k=STOCHASTIC_K(period={short})", "k CROSSED_UP_CONSTANT 20 -> k CROSSED_DOWN_CONSTANT 80"),
    "vwap": ("vwap=VWAP(period={short})", "close CROSSED_UP vwap -> close CROSSED_DOWN vwap"),
    "keltner": (
        "lower=KELTNER_LOWER(close, period={short}) upper=KELTNER_UPPER(close, period={short})",
        "close CROSSED_UP lower -> close CROSSED_UP upper",
    ),
}
"""The indicators, entry and exit of each type, in the notation of specs.txt.

Positions are long only.
"""


class BacktestError(Exception):
    """The backtester rejects the strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The figures of a backtest; win_rate and max_dd are fractions."""

    strategy_name: str
    request_id: str
    sharpe: float = 0.0
    trades: int = 0
    profit_factor: float = 0.0
    """Gains over losses; 0 without a loss, as the Guardian computes it."""
    win_rate: float = 0.0
    max_dd: float = 0.0
    trade_list: Sequence[Mapping[str, Value]] | None = None
    """Profit in dollars and time of sale of each trade; None unless requested."""


def run_backtest(request: BacktestRequest) -> Result:
    """Run *request*; a backtest without candles has no trades. Raises BacktestError."""
    try:
        candles = load_candles(request)
    except NoCandlesError as error:
        raise BacktestError(f"The backtest cannot be run: {error}.") from error
    empty = Result(strategy_name=request.strategy.name, request_id=request.request_id)
    if len(candles.bars) < 2:
        return empty
    try:
        outcome = simulate(
            candles.bars, find_spec_signals(_make_spec(request.strategy, candles.bars), {}, candles.bars)
        )
    except (BadParametersError, TooFewCandlesError, UnknownStrategyError) as error:
        raise BacktestError(f"The backtest cannot be run: {error}.") from error
    metrics = compute_metrics(candles.bars, outcome)
    trades = [{"timestamp": candles.times[trade.exit], "pnl": trade.profit} for trade in outcome.trades]
    return replace(
        empty,
        sharpe=metrics.sharpe_ratio,
        trades=metrics.number_of_trades,
        profit_factor=metrics.profit_factor if np.isfinite(metrics.profit_factor) else 0.0,
        win_rate=metrics.win_rate,
        max_dd=metrics.max_drawdown,
        trade_list=trades if request.include_trades else None,
    )


def _make_spec(strategy: Strategy, bars: Bars) -> Spec:
    """Return the strategy as a spec.

    `sl` becomes a stop of so many percent. The backtester has no stop for `tp`.
    """
    if strategy.indicator_type not in RULES:
        raise BacktestError(f"The sandbox has no rules for the indicator_type {strategy.indicator_type}.")
    indicators, rules = RULES[strategy.indicator_type]
    chosen = indicators.format(short=strategy.sma_short, long=strategy.sma_long)
    spec = parse_spec(f"GUARDIAN 1\nA strategy of the Guardian.\n{chosen}\n{rules}")
    if strategy.sl <= 0:
        return spec
    percent = 100 * strategy.sl / float(bars.close[0])
    stop = {"type": "STOP_LOSS", "indicator": "close", "params": {"value": percent}}
    return replace(spec, exit_conditions=(*spec.exit_conditions, stop))


def format_result(result: Result) -> str:
    """Return the message of a result."""
    members: dict[str, Value] = {name: value for name, value in asdict(result).items() if value is not None}
    return _format_message(members)


def format_error(request_id: str, strategy_name: str, sentence: str) -> str:
    """Return the message of a request that has no result."""
    members: dict[str, Value] = {
        "strategy_name": strategy_name,
        "request_id": request_id,
        "sharpe": 0.0,
        "error": sentence,
    }
    return _format_message(members)


def _format_message(members: Mapping[str, Value]) -> str:
    return format_value({"type": "BACKTEST_RESULT", "result": members})
