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
    """Tells the time, and lets it pass with each look."""

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self.now_s = 1.0

    def monotonic(self) -> float:
        self.now_s += self._step_s
        return self.now_s


def test_the_worker_that_wakes_first_leaves_half_of_a_burst_to_the_other(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "time", Clock(0))
    one, other = workers
    while one.accepted + other.accepted < 10:
        while one.accept():
            pass
        other.accept()
    assert abs(one.accepted - other.accepted) <= 1


def test_a_worker_takes_what_a_busy_one_leaves(workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "time", clock := Clock(0.001))
    one, _busy = workers
    assert one.accept()
    while one.accepted < 10:
        one.accept()
    assert clock.now_s < 1.02  # it waits once, not for each connection


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
    assert balance.has_more(ONE)
    assert not balance.has_more(OTHER)
    balance.add(OTHER)
    assert not same.has_more(ONE)


def test_sockets_of_workers_keep_their_backlog(listening: socket.socket, balance: Balance) -> None:
    with BalancedSocket(os.dup(listening.fileno()), balance, ONE) as shared:
        shared.listen(0)
    with ExitStack() as stack:
        for _ in range(5):  # none would be accepted beyond a backlog of 0
            stack.enter_context(socket.create_connection(listening.getsockname(), timeout=60))
