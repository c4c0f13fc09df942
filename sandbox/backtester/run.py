"""The steps of a backtest, from request to result."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult, Strategy
from sandbox.backtester.bars import to_bars
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError
from sandbox.backtester.metrics import compute_metrics
from sandbox.backtester.rules import find_signals
from sandbox.backtester.simulation import simulate


def backtest(request: BacktestRequest) -> BacktestResult:
    """Run a strategy over the candles of *request*. Raises the errors in errors.py."""
    if len(request.candles) < 2:
        raise TooFewCandlesError("a backtest needs two candles at least")
    bars = to_bars(request.candles)
    signals = find_signals(request.strategy.strategy_name, _parameters(request.strategy), bars)
    figures: dict[str, Any] = asdict(compute_metrics(bars, simulate(bars, signals)))
    return BacktestResult(timeframe=f"{bars.minutes}m", **figures)


def _parameters(strategy: Strategy) -> Mapping[str, float]:
    """Return the numbers among the parameters. Raises BadParametersError."""
    chosen = Struct()
    try:
        if strategy.HasField("parameters") and not strategy.parameters.Unpack(chosen):
            raise BadParametersError(f"parameters must be a Struct, not a {strategy.parameters.TypeName()}")
    except DecodeError as error:
        raise BadParametersError("the parameters cannot be read") from error
    return {name: float(value) for name, value in chosen.items() if isinstance(value, float)}
