import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

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
        self._set = partial(balance.set, place)
        self.accepted = 0
        self.lose_connections()

    def accept(self) -> bool:
        """Accept a connection if it may; return whether it did."""
        try:
            connection, _ = self._listening.accept()
        except BlockingIOError:
            return False
        self._stack.enter_context(connection)
        self.accepted += 1
        return True

    def lose_connections(self, left: int = 0) -> None:
        """Tell that its connections ended, except for some."""
        self._set(left)

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def balance() -> Iterator[Balance]:
    balance = Balance.create(4)
    yield balance
    os.close(balance.descriptor)


@contextmanager
def burst(listening: socket.socket) -> Iterator[None]:
    """Connect ten clients."""
    with ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(socket.create_connection(listening.getsockname()))
        yield


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """Give a socket to which ten clients have connected."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listening, burst(listening):
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


async def test_a_worker_takes_one_then_two_then_three_connections_after_each_5_ms_in_which_the_other_is_busy(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _busy = workers
    assert one.accept()
    for expected in range(4):
        assert [one.accept() for _ in range(expected + 1)] == [True] * expected + [False]
        clock.now_s += 0.006


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
    assert await pass_turns(one, clock, 8) == 3
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


async def find_hanging(one: Worker, clock: Clock) -> None:
    """Let a worker wait for the other one, until it knows that this one hangs."""
    assert one.accept()
    for _ in range(22):
        clock.now_s += 0.005
        one.accept()
        await asyncio.sleep(0)


async def test_a_burst_waits_for_no_worker_that_another_burst_found_to_hang(
    listening: socket.socket, workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _hangs = workers
    await find_hanging(one, clock)
    assert one.accepted == 10
    await asyncio.sleep(0)
    await asyncio.sleep(0)  # a turn in which no connection waits
    clock.now_s += 60
    with burst(listening):
        assert [one.accept() for _ in range(11)] == [True] * 10 + [False]


async def test_short_connections_beside_a_worker_that_hangs_wait_for_it_only_once(
    listening: socket.socket, workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, hangs = workers
    hangs.lose_connections(left=1)
    one.lose_connections(left=1)
    await find_hanging(one, clock)
    for left in (0, 1, 2, 3):  # fewer than the other one, as many and more
        one.lose_connections(left)
        with burst(listening):
            assert [one.accept() for _ in range(10)] == [True] * 10


@pytest.mark.parametrize("sign", ["a connection", "an end of connections", "an answer to the supervisor"])
async def test_a_worker_that_hung_gets_connections_again_after_a_sign_of_life(
    listening: socket.socket, workers: tuple[Worker, Worker], balance: Balance, clock: Clock, sign: str
) -> None:
    one, other = workers
    await find_hanging(one, clock)
    with burst(listening):
        match sign:
            case "a connection":
                assert other.accept()
            case "an end of connections":
                other.lose_connections()
            case _:
                balance.give_sign(OTHER)
        assert not one.accept()


async def test_a_worker_that_was_blocked_itself_takes_one_connection_and_not_all(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    one, _other = workers
    assert one.accept()
    assert not one.accept()
    clock.now_s += 60
    assert [one.accept() for _ in range(8)] == [True] + [False] * 7


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
    assert (balance.count(ONE), balance.count(OTHER), balance.fewer(ONE)) == (3, 2, [OTHER])
    signs = same.signs(OTHER)
    balance.add(OTHER)
    assert (same.fewer(ONE), same.signs(OTHER)) == ([], signs + 1)


def test_sockets_of_workers_keep_their_backlog(listening: socket.socket, balance: Balance) -> None:
    with BalancedSocket(os.dup(listening.fileno()), balance, ONE) as shared:
        shared.listen(0)
    with ExitStack() as stack:
        for _ in range(5):  # none would be accepted beyond a backlog of 0
            stack.enter_context(socket.create_connection(listening.getsockname(), timeout=60))
