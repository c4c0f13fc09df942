import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from toolaccord.server.workers import balance as module
from toolaccord.server.workers.balance import Balance, BalancedSocket

ONE, OTHER = 0, 1


class Worker:
    """A worker that accepts connections, and keeps them."""

    def __init__(self, listening: socket.socket, balance: Balance, place: int) -> None:
        self._stack = ExitStack()
        self._listening = self._stack.enter_context(BalancedSocket(os.dup(listening.fileno()), balance, place))
        self._listening.setblocking(False)
        self.accepted = 0
        balance.set(place, 0)

    def accept(self) -> bool:
        """Accept a connection if it may; return whether it did."""
        try:
            connection, _ = self._listening.accept()
        except BlockingIOError:
            return False
        self._stack.enter_context(connection)
        self.accepted += 1
        return True

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def balance() -> Iterator[Balance]:
    balance = Balance.create(4)
    yield balance
    os.close(balance.descriptor)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """Give a socket to which ten clients have connected."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=16))
        for _ in range(10):
            stack.enter_context(socket.create_connection(listening.getsockname()))
        yield listening


@pytest.fixture
def workers(listening: socket.socket, balance: Balance) -> Iterator[tuple[Worker, Worker]]:
    one, other = Worker(listening, balance, ONE), Worker(listening, balance, OTHER)
    yield one, other
    one.close()
    other.close()


class Clock:
    """Tells a time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


async def pass_turns(worker: Worker, clock: Clock, looks: int) -> int:
    """Let a worker look for connections every 2 ms; return how many it accepts."""
    before = worker.accepted
    for _ in range(looks):
        clock.now_s += 0.002
        worker.accept()
        await asyncio.sleep(0)
    return worker.accepted - before


@pytest.mark.usefixtures("clock")
async def test_the_worker_that_wakes_first_leaves_half_of_a_burst_to_the_other(
    workers: tuple[Worker, Worker],
) -> None:
    one, other = workers
    while one.accepted + other.accepted < 10:
        while one.accept():
            pass
        other.accept()
    assert abs(one.accepted - other.accepted) <= 1


async def test_a_worker_takes_one_connection_every_5_ms_while_the_other_is_busy(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _busy = workers
    assert one.accept()
    assert await pass_turns(one, clock, 3) == 0
    assert await pass_turns(one, clock, 12) == 4


async def test_a_worker_that_is_busy_itself_takes_a_connection_in_a_turn_after_5_ms(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _busy = workers
    for expected in (True, False, True, True):
        assert one.accept() is expected
        clock.now_s += 0.03
        await asyncio.sleep(0)


async def test_a_worker_takes_nothing_more_once_the_other_accepts(workers: tuple[Worker, Worker], clock: Clock) -> None:
    one, other = workers
    assert one.accept()
    assert await pass_turns(one, clock, 7) == 2
    assert other.accept()
    assert await pass_turns(one, clock, 3) == 0


async def test_a_connection_that_the_other_took_is_no_reason_to_take_the_next_one(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _other = workers
    assert one.accept()
    for _ in range(10):
        assert not one.accept()
        clock.now_s += 0.01
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # a turn in which no connection waits


async def test_a_worker_waits_no_more_for_one_that_hangs(workers: tuple[Worker, Worker], clock: Clock) -> None:
    one, _hangs = workers
    assert one.accept()
    assert not one.accept()
    clock.now_s += 1.001
    for _ in range(8):
        assert one.accept()


def test_a_worker_waits_for_none_that_accepts_no_connections(workers: tuple[Worker, Worker], balance: Balance) -> None:
    balance.set(OTHER, None)
    one, _ = workers
    for _ in range(10):
        assert one.accept()
    assert not one.accept()


def test_the_memory_is_that_of_all_processes_with_its_descriptor(balance: Balance) -> None:
    same = Balance(balance.descriptor, balance.places)
    same.set(ONE, 3)
    same.set(OTHER, 2)
    assert (balance.count(ONE), balance.count(OTHER), balance.least()) == (3, 2, 2)
    balance.add(OTHER)
    assert same.least() == 3


def test_sockets_of_workers_keep_their_backlog(listening: socket.socket, balance: Balance) -> None:
    with BalancedSocket(os.dup(listening.fileno()), balance, ONE) as shared:
        shared.listen(0)
    with ExitStack() as stack:
        for _ in range(5):  # none would be accepted beyond a backlog of 0
            stack.enter_context(socket.create_connection(listening.getsockname(), timeout=60))
