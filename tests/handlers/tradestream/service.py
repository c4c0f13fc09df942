"""A gRPC service in the backtester's place, with prepared answers, and rows of candles."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import grpc.aio

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult
from tests.sandbox.backtester.plain import candles
from toolaccord.sources.grpc import Grpc, GrpcSource
from toolaccord.timing.clock import SystemClock

Context: TypeAlias = grpc.aio.ServicerContext[BacktestRequest, BacktestResult]
Respond: TypeAlias = Callable[[Context], Awaitable[BacktestResult]]

DECLARED = GrpcSource(
    name="backtester",
    target="target",
    max_connections=3,
    keepalive_interval_s=30,
    keepalive_timeout_s=10,
    max_in_flight=6,
)
MINUTE = timedelta(minutes=1)
FIGURES = {
    "cumulative_return": 0.25,
    "sharpe_ratio": 1.5,
    "max_drawdown": 0.125,
    "win_rate": 0.5,
    "number_of_trades": 8,
}
"""The figures of a valid answer."""
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)]


Row: TypeAlias = tuple[str, int, float, float, float, float, float]
"""A row of stored candles."""


def rows(symbol: str, first: datetime, count: int) -> list[Row]:
    """Return rows of *count* minutes from *first* on."""
    begins = [int((first + place * MINUTE).timestamp()) * 1000 for place in range(count)]
    walk = zip(begins, candles(count), strict=True)
    return [(symbol, ms, each.open, each.high, each.low, each.close, each.volume) for ms, each in walk]


@asynccontextmanager
async def asking(target: str, clock: Any = None) -> AsyncIterator[Grpc]:
    """The backtester at *target*, closed at the end."""
    source = DECLARED.open({"target": target}, clock or SystemClock())
    try:
        yield source
    finally:
        await source.close()


def result(**figures: Any) -> Respond:
    """Answer with *figures*."""

    async def respond(_context: Context) -> BacktestResult:
        return BacktestResult(**figures)

    return respond


def refusal(status: grpc.StatusCode) -> Respond:
    """Answer with *status*, and a text for nobody else."""

    async def respond(context: Context) -> BacktestResult:
        await context.abort(status, "a secret of the backtester")
        return BacktestResult()

    return respond


async def silence(_context: Context) -> BacktestResult:
    """Never answer."""
    await asyncio.Event().wait()
    return BacktestResult()


@dataclass
class Service:
    """Answers every request in the same way, and records it."""

    respond: Respond
    requests: list[BacktestRequest] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: BacktestRequest, context: Context) -> BacktestResult:
        self.requests.append(request)
        self.arrived.set()
        return await self.respond(context)


@asynccontextmanager
async def serving(
    service: Service, port: int = 0, *, serializer: Callable[[BacktestResult], bytes] = BacktestResult.SerializeToString
) -> AsyncIterator[str]:
    """Serve *service* and yield its target; calls in flight are cut off at the end."""
    server = grpc.aio.server(options=OPTIONS)
    method = grpc.unary_unary_rpc_method_handler(
        service.answer,
        request_deserializer=BacktestRequest.FromString,
        response_serializer=serializer,
    )
    methods = {"RunBacktest": method}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("backtesting.BacktestingService", methods),))
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
