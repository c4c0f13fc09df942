"""The gRPC service of the reference backtester."""

import asyncio
from collections.abc import Mapping
from typing import TypeAlias

import grpc.aio

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult
from generated.tradestream.backtester_pb2_grpc import (
    BacktestingServiceServicer,
    add_BacktestingServiceServicer_to_server,
)
from sandbox.backtester.errors import BadCandlesError, BadParametersError, TooFewCandlesError, UnknownStrategyError

Context: TypeAlias = grpc.aio.ServicerContext[BacktestRequest, BacktestResult]

LARGEST_REQUEST_BYTES = 128 * 1024 * 1024
"""A year of one-minute candles is 40 MB; gRPC's default limit is 4 MB."""
OPTIONS = [
    ("grpc.max_receive_message_length", LARGEST_REQUEST_BYTES),
    # Clients ping every 30 s; by default a server allows one ping in 5 min.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.so_reuseport", 0),
]
STATUS: Mapping[type[Exception], grpc.StatusCode] = {
    UnknownStrategyError: grpc.StatusCode.NOT_FOUND,
    BadParametersError: grpc.StatusCode.INVALID_ARGUMENT,
    BadCandlesError: grpc.StatusCode.INVALID_ARGUMENT,
    TooFewCandlesError: grpc.StatusCode.FAILED_PRECONDITION,
}


class Backtester(BacktestingServiceServicer):
    """Runs strategies over candles."""

    async def RunBacktest(self, request: BacktestRequest, context: Context) -> BacktestResult:  # noqa: N802 - the service's name
        """Run one strategy in a thread, so that the event loop stays free for other calls."""
        try:
            return await asyncio.to_thread(_run, request)
        except tuple(STATUS) as error:
            await context.abort(STATUS[type(error)], str(error))
            raise


def make_server() -> grpc.aio.Server:
    """Return a server with the service, not started and without a port."""
    server = grpc.aio.server(options=OPTIONS)
    add_BacktestingServiceServicer_to_server(Backtester(), server)  # type: ignore[no-untyped-call]  # generated without types
    return server


def _run(request: BacktestRequest) -> BacktestResult:
    """Run a strategy; the first call imports numpy and TA-Lib."""
    from sandbox.backtester.run import backtest  # noqa: PLC0415 - takes half a second, in which the sandbox starts other sources

    return backtest(request)
