"""The reference backtester as a process: where it serves, how it refuses, and when it ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from generated.tradestream.backtester_pb2 import BacktestRequest, BacktestResult
from handlers.tradestream.backtester import RUN_BACKTEST
from sandbox.backtester import serve
from sandbox.backtester.run import backtest
from sandbox.errors import SandboxError
from tests.sandbox.backtester.plain import candles
from toolaccord.sources.grpc import Grpc, GrpcError, GrpcSource
from toolaccord.timing.clock import SystemClock

ROOT = Path(__file__).parents[3]
DECLARED = GrpcSource(
    name="backtester",
    target="target",
    max_connections=3,
    keepalive_interval_s=30,
    keepalive_timeout_s=10,
    max_in_flight=6,
)


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with serve() as target:
        yield target


@pytest.fixture
async def backtester(target: str) -> AsyncIterator[Grpc]:
    source = DECLARED.open({"target": target}, SystemClock())
    yield source
    await source.close()


def request(strategy: str, count: int) -> BacktestRequest:
    made = BacktestRequest(candles=candles(count))
    made.strategy.strategy_name = strategy
    return made


async def test_it_answers_what_it_computes(backtester: Grpc) -> None:
    requested = request("MACD_CROSSOVER", 1000)
    assert await backtester.call(RUN_BACKTEST, requested, BacktestResult, 10) == backtest(requested)


@pytest.mark.parametrize(
    "strategy, count, status",
    [
        ("RSI_REVERSAL", 100, "NOT_FOUND"),
        ("MACD_CROSSOVER", 10, "FAILED_PRECONDITION"),
    ],
)
async def test_each_reason_for_rejection_has_its_own_status(
    backtester: Grpc, strategy: str, count: int, status: str
) -> None:
    with pytest.raises(GrpcError) as caught:
        await backtester.call(RUN_BACKTEST, request(strategy, count), BacktestResult, 10)
    assert caught.value.status == status


async def test_candles_out_of_order_are_an_invalid_argument(backtester: Grpc) -> None:
    requested = request("MACD_CROSSOVER", 100)
    requested.candles[50].timestamp.seconds = 0
    with pytest.raises(GrpcError, match="later than the one before") as caught:
        await backtester.call(RUN_BACKTEST, requested, BacktestResult, 10)
    assert caught.value.status == "INVALID_ARGUMENT"


def test_two_run_side_by_side() -> None:
    with serve() as one, serve() as two:
        assert one != two


def test_it_listens_at_the_port_that_it_is_given_and_says_where_it_cannot(target: str) -> None:
    with serve() as free:
        pass
    with serve(port=int(free.rpartition(":")[2])) as again:
        assert again == free
    with pytest.raises(SandboxError), serve(port=int(target.rpartition(":")[2])):
        pass


def test_nobody_answers_after_the_end() -> None:
    with serve() as target:
        pass
    assert not _answers(target)


def test_it_ends_with_its_starter_even_when_that_is_killed() -> None:
    program = "from sandbox.backtester import serve\nwith serve() as target: print(target, flush=True); input()"
    starter = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert starter.stdin is not None
    assert starter.stdout is not None
    with starter.stdin, starter.stdout as output:
        target = output.readline().strip()
        assert _answers(target)
        os.kill(starter.pid, signal.SIGKILL)
        starter.wait()
    for _ in range(6000):
        if not _answers(target):
            return
        time.sleep(0.01)
    pytest.fail("the backtester outlived its starter by a minute")


def _answers(target: str) -> bool:
    """Return whether a process listens there."""
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host, int(port))).close()
    except ConnectionError:  # refused, or cut off by a port that is being closed
        return False
    return True
