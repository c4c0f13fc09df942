"""The backtester's requests, and the meaning of its error statuses."""

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult
from handlers.candles.store import Bar
from toolaccord.sources.grpc import Grpc, GrpcError, RequestOrFactory

RUN_BACKTEST = "/backtesting.BacktestingService/RunBacktest"
LoadBars: TypeAlias = Callable[[], Awaitable[Sequence[Bar]]]
"""Returns one-minute bars, the oldest first."""

TIMEOUT_S = 60.0
"""At most the tool's deadline; gRPC sends it to the backtester."""
MAX_HELD = 3
"""Backtests over prefixes that run at once; each holds its candles, 75 MB for a year."""
_HOLDERS: WeakKeyDictionary[Grpc, asyncio.Semaphore] = WeakKeyDictionary()


class UnknownStrategyError(Exception):
    """The backtester has no such strategy, or not with these parameters."""


class TooFewCandlesError(Exception):
    """The strategy's indicators need more candles."""

    def __init__(self, available: int) -> None:
        super().__init__(f"{available} candles are too few")
        self.available = available
        """The number of candles there are."""


async def run_prefixes(
    backtester: Grpc,
    strategy_name: str,
    parameters: Mapping[str, Any],
    symbol: str,
    load: LoadBars,
    ends: Sequence[datetime] = (),
) -> AsyncIterator[BacktestResult]:
    """Yield the result of a strategy over the candles of *symbol* that *load* returns.

    Then yield it over those before each of *ends*, the last one first, down to those that have too few candles for the
    strategy. It trades without knowledge of later candles, so each is what all candles had brought by then.

    Loads the candles once, when it is this backtest's turn. Raises UnknownStrategyError, TooFewCandlesError,
    GrpcTimeout, GrpcError for any other status, and the errors of *load*.
    """
    request = BacktestRequest()

    async def fill() -> BacktestRequest:
        bars = await load()
        # In a thread: a year is half a million candles, which would block the event loop.
        await asyncio.to_thread(_fill, request, strategy_name, parameters, symbol, bars)
        return request

    holders = _HOLDERS.setdefault(backtester, asyncio.Semaphore(MAX_HELD)) if ends else nullcontext()
    async with holders:
        yield await _run(backtester, request, fill)
        for end in reversed(ends):
            await asyncio.to_thread(_shorten, request, end)
            try:
                result = await _run(backtester, request, request)
            except TooFewCandlesError:
                return
            yield result


async def _run(backtester: Grpc, request: BacktestRequest, sent: RequestOrFactory) -> BacktestResult:
    """Return the result of *request*, which is *sent* or made by it."""
    try:
        return await backtester.call(RUN_BACKTEST, sent, BacktestResult, TIMEOUT_S)
    except GrpcError as error:
        if error.status in {"NOT_FOUND", "INVALID_ARGUMENT"}:
            raise UnknownStrategyError from error
        if error.status in {"FAILED_PRECONDITION", "OUT_OF_RANGE"}:
            raise TooFewCandlesError(len(request.candles)) from error
        raise


def _fill(
    request: BacktestRequest, strategy_name: str, parameters: Mapping[str, Any], symbol: str, bars: Sequence[Bar]
) -> None:
    """Fill *request* with a strategy and *bars*."""
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


def _shorten(request: BacktestRequest, end: datetime) -> None:
    """Remove the candles from *end* on."""
    del request.candles[bisect_left(request.candles, end.timestamp(), key=lambda candle: candle.timestamp.seconds) :]
