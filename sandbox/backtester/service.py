"""The gRPC service of the reference backtester."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

import grpc.aio
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult, Strategy
from generated.tradestream.backtester_pb2_grpc import (
    BacktestingServiceServicer,
    add_BacktestingServiceServicer_to_server,
)
from sandbox.backtester.bars import BadCandlesError, bars
from sandbox.backtester.metrics import metrics
from sandbox.backtester.rules import BadParametersError, TooFewBarsError, UnknownStrategyError, signals
from sandbox.backtester.simulation import simulate

Context: TypeAlias = grpc.aio.ServicerContext[BacktestRequest, BacktestResult]

LARGEST_REQUEST_BYTES = 128 * 1024 * 1024
"""A year of one-minute candles is 40 MB; the library's own limit is 4 MB."""
OPTIONS = [
    ("grpc.max_receive_message_length", LARGEST_REQUEST_BYTES),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),  # clients ping every 30 s; the library's limit is 5 min
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.so_reuseport", 0),
]
STATUS: Mapping[type[Exception], grpc.StatusCode] = {
    UnknownStrategyError: grpc.StatusCode.NOT_FOUND,
    BadParametersError: grpc.StatusCode.INVALID_ARGUMENT,
    BadCandlesError: grpc.StatusCode.INVALID_ARGUMENT,
    TooFewBarsError: grpc.StatusCode.FAILED_PRECONDITION,
}


class Backtester(BacktestingServiceServicer):
    """Runs strategies over candles: what the spec of the strategy says, by the tables of this package."""

    async def RunBacktest(self, request: BacktestRequest, context: Context) -> BacktestResult:  # noqa: N802 - the service's name
        """Run one strategy once; in a thread, so that others are answered meanwhile."""
        try:
            return await asyncio.to_thread(backtest, request)
        except tuple(STATUS) as error:
            await context.abort(STATUS[type(error)], str(error))
            raise


def backtest(request: BacktestRequest) -> BacktestResult:
    """Run a strategy over the candles of *request*. Raises the errors in STATUS."""
    if len(request.candles) < 2:
        raise TooFewBarsError("a backtest needs two candles at least")
    columns = bars(request.candles)
    found = signals(request.strategy.strategy_name, _parameters(request.strategy), columns)
    figures: dict[str, Any] = asdict(metrics(columns, simulate(columns, found)))
    return BacktestResult(timeframe=f"{columns.minutes}m", **figures)


def server() -> grpc.aio.Server:
    """A server with the service, not yet started, at no port yet."""
    made = grpc.aio.server(options=OPTIONS)
    add_BacktestingServiceServicer_to_server(Backtester(), made)  # type: ignore[no-untyped-call]  # made without types
    return made


def _parameters(strategy: Strategy) -> Mapping[str, float]:
    """The numbers among the parameters. Raises BadParametersError."""
    chosen = Struct()
    try:
        if strategy.HasField("parameters") and not strategy.parameters.Unpack(chosen):
            raise BadParametersError(f"parameters must be a Struct, not a {strategy.parameters.TypeName()}")
    except DecodeError as error:
        raise BadParametersError("the parameters cannot be read") from error
    return {name: float(value) for name, value in chosen.items() if isinstance(value, float)}
