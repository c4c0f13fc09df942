"""Attacks by the backtester: replies that are garbage, or impossible."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc

from generated.tradestream.backtester_pb2 import BacktestResult
from sandbox import candles
from tests.attack.bodies import declared_codes
from tests.attack.channels import RestChannel
from tests.attack.http_backends import LIMIT
from tests.attack.lab import Lab
from tests.attack.records import Attack, Tally
from tests.servers.backends import STRATEGY_WITH_SIGNAL, SYMBOL, connect_database

_FIGURES: dict[str, Any] = {
    "cumulative_return": 0.2,
    "sharpe_ratio": 1.5,
    "max_drawdown": 0.1,
    "win_rate": 0.5,
    "number_of_trades": 8,
}
_WRONG_FIGURES: list[dict[str, Any]] = [
    {name: value}
    for name in ("cumulative_return", "max_drawdown", "win_rate")
    for value in (float("nan"), float("inf"), float("-inf"))
] + [
    {"win_rate": 5},
    {"win_rate": -1},
    {"number_of_trades": -3},
    {"max_drawdown": -1},
    {"cumulative_return": 1e308 * 10},
]
_REPLIES = (
    b"", b"\xff" * 100, b"\x12\xff\xff\xff\xff\x7f", b"\x08\x96\x01" * 1000, b"{}", b"\x00" * 1000, b"\x0a" + b"\xff" * 10,
    b"z" * 100_000_000, *(BacktestResult(**{**_FIGURES, **wrong}).SerializeToString() for wrong in _WRONG_FIGURES),
)  # fmt: skip


def _attack_as_backtester(lab: Lab, tally: Tally) -> None:
    strategy = asyncio.run(_find_strategy(lab.database))
    module, arguments = "tradestream.backtest", json.dumps({"symbol": SYMBOL, "strategy_id": strategy}).encode()
    replies = list(_REPLIES[: lab.count(len(_REPLIES))])
    with ExitStack() as stack:
        settings = {
            "DATABASE_URL": lab.database,
            "INFLUXDB_URL": stack.enter_context(candles.serve()),
            "BACKTESTER_TARGET": stack.enter_context(_replying(iter(replies))),
        }
        server = stack.enter_context(lab.server(module, tally, settings, prefix=LIMIT))
        for reply in replies:
            answer = RestChannel(server).call("run_backtest", arguments)
            tally.check(answer.code in declared_codes(module, "run_backtest"), f"{reply[:50]!r}: {answer}")


async def _find_strategy(url: str) -> str:
    async with connect_database(url) as connection:
        return str(await connection.fetchval(STRATEGY_WITH_SIGNAL, SYMBOL))


@contextmanager
def _replying(replies: Iterator[bytes]) -> Iterator[str]:
    """Give the target of a gRPC service that answers the next of *replies* to each call."""
    with ThreadPoolExecutor(2) as threads:
        options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        server = grpc.server(threads, options=options)
        method = grpc.unary_unary_rpc_method_handler(lambda _request, _context: next(replies))
        methods = {"RunBacktest": method}
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("backtesting.BacktestingService", methods),)
        )
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(None).wait()


ATTACKS = (
    Attack(
        "invalid replies of the backtester",
        "Replies that are garbage, empty or impossible get a declared error.",
        _attack_as_backtester,
        max_peak_mib=320,
    ),
)
