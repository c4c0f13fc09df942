"""The backtester's requests, and the meaning of its error statuses."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult
from handlers.candles.store import Bar
from toolaccord.sources.grpc import Grpc, GrpcError

RUN_BACKTEST = "/backtesting.BacktestingService/RunBacktest"
LoadBars: TypeAlias = Callable[[], Awaitable[Sequence[Bar]]]
"""Returns one-minute bars, the oldest first."""

TIMEOUT_S = 60.0
"""At most the tool's deadline; gRPC sends it to the backtester."""


class UnknownStrategyError(Exception):
    """The backtester has no such strategy, or not with these parameters."""


class TooFewCandlesError(Exception):
    """The strategy's indicators need more candles."""

    def __init__(self, available: int) -> None:
        super().__init__(f"{available} candles are too few")
        self.available = available
        """The number of candles there are."""


async def run_backtest(
    backtester: Grpc, strategy_name: str, parameters: Mapping[str, Any], symbol: str, load: LoadBars
) -> BacktestResult:
    """Return the result of a strategy over the candles of *symbol* that *load* returns.

    Loads them when it is this backtest's turn. Raises UnknownStrategyError, TooFewCandlesError, GrpcTimeout, GrpcError
    for any other status, and the errors of *load*.
    """
    available = 0

    async def request() -> BacktestRequest:
        nonlocal available
        bars = await load()
        available = len(bars)
        # In a thread: a year is half a million candles, which would block the event loop.
        return await asyncio.to_thread(_build_request, strategy_name, parameters, symbol, bars)

    try:
        return await backtester.call(RUN_BACKTEST, request, BacktestResult, TIMEOUT_S)
    except GrpcError as error:
        if error.status in {"NOT_FOUND", "INVALID_ARGUMENT"}:
            raise UnknownStrategyError from error
        if error.status in {"FAILED_PRECONDITION", "OUT_OF_RANGE"}:
            raise TooFewCandlesError(available) from error
        raise


def _build_request(
    strategy_name: str, parameters: Mapping[str, Any], symbol: str, bars: Sequence[Bar]
) -> BacktestRequest:
    """Return the request for a strategy over *bars*."""
    request = BacktestRequest()
    request.strategy.strategy_name = strategy_name
    chosen = Struct()
    chosen.update(parameters)
    request.strategy.parameters.Pack(chosen)
    for bar in bars:  # setting members takes half as long as Candle(...) and extend
        candle = request.candles.add()
        candle.timestamp.seconds = int(bar.time.timestamp())
        candle.currency_pair = symbol
        candle.open, candle.high, candle.low, candle.close = bar.open, bar.high, bar.low, bar.close
        candle.volume = bar.volume
    return request
