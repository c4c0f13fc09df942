"""Balance of connections among workers, which share the memory with their numbers.

All wait for connections on the same sockets, and the system lets any of them accept. Whoever is awake would take most.
"""

from __future__ import annotations

import asyncio
import math
import mmap
import os
import socket
import tempfile
import time
from dataclasses import dataclass
from typing import Any

_PATIENCE_S = 0.005
"""Seconds of a step, for which a worker leaves connections to another one."""
_HANG_STEPS = 20
"""Steps without a sign of life after which another worker hangs, and nobody waits for it."""
_NOBODY = -1
"""Number of connections in a place of the memory whose worker accepts none."""
_BYTES = 8


class Balance:
    """Numbers of the connections and signs of life of workers, each in a place of its own."""

    def __init__(self, descriptor: int, places: int) -> None:
        self.descriptor = descriptor
        """Descriptor of the memory."""
        self.places = places
        """Number of places."""
        numbers = memoryview(mmap.mmap(descriptor, 2 * places * _BYTES)).cast("q")
        self._counts, self._signs = numbers[:places], numbers[places:]

    @classmethod
    def create(cls, places: int) -> Balance:
        """Make the memory, which lasts as long as a process has its descriptor."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("toolaccord")
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, 2 * places * _BYTES)
        balance = cls(descriptor, places)
        for place in range(places):
            balance.set(place, None)
        return balance

    def set(self, place: int, count: int | None) -> None:
        """Set the number of a worker; None while it accepts no connections."""
        self._counts[place] = _NOBODY if count is None else count
        self.give_sign(place)

    def add(self, place: int) -> None:
        """Count one more connection of a worker."""
        self.set(place, self._counts[place] + 1)

    def give_sign(self, place: int) -> None:
        """Give a sign of life of a worker."""
        self._signs[place] += 1

    def count(self, place: int) -> int:
        """Return the number of a worker."""
        return self._counts[place]

    def signs(self, place: int) -> int:
        """Return the number of a worker's signs of life."""
        return self._signs[place]

    def fewer(self, place: int) -> list[int]:
        """Return the places of the workers that have fewer connections."""
        own = self._counts[place]
        return [each for each, count in enumerate(self._counts) if _NOBODY < count < own]


@dataclass(slots=True)
class _Patience:
    """Patience with another worker that has fewer connections; each sign of life renews it."""

    signs: int = 0
    waited_s: float = 0.0
    """Seconds since its last sign in which connections waited."""
    taken: int = 0
    """Connections that were taken since its last sign, although it had fewer."""

    def wait(self, signs: int, passed_s: float) -> None:
        """Let time pass in which connections waited, or start anew."""
        if signs == self.signs:
            self.waited_s += passed_s
        else:
            self.signs, self.waited_s, self.taken = signs, 0.0, 0

    def has_ended(self) -> bool:
        """Return whether one may be taken: 1 after the first step, 2 more after the second, ..."""
        steps = int(self.waited_s / _PATIENCE_S)
        return steps >= _HANG_STEPS or self.taken < steps * (steps + 1) // 2


class BalancedSocket(socket.socket):
    """A listening socket of an event loop that leaves connections to workers that have fewer.

    While one of these is busy, it takes more with each step of its patience.
    """

    def __init__(self, descriptor: int, balance: Balance, place: int) -> None:
        super().__init__(fileno=descriptor)
        self._balance = balance
        self._place = place
        self._patience = [_Patience() for _ in range(balance.places)]
        self._looked_at = math.inf

    def listen(self, backlog: int = 0) -> None:
        """Leave the backlog as it is: asyncio would lower it to the connections of a turn."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return a connection.

        Raises BlockingIOError without one, or while another worker should take it.
        """
        waits = self._look()
        if not all(each.has_ended() for each in waits):
            os.sched_yield()
            raise BlockingIOError
        accepted = super().accept()
        self._balance.add(self._place)
        for each in waits:
            each.taken += 1
        return accepted

    def _look(self) -> list[_Patience]:
        """Return the patience with each worker that has fewer, after the time since the last look.

        A long time between two looks was lost by this worker, so a step of it counts.
        """
        fewer = self._balance.fewer(self._place)
        if fewer:
            now, loop = time.monotonic(), asyncio.get_running_loop()
            passed_s = max(0.0, min(now - self._looked_at, _PATIENCE_S))
            self._looked_at = now
            loop.call_soon(loop.call_soon, self._end_wait, now)
            for each in fewer:
                self._patience[each].wait(self._balance.signs(each), passed_s)
        return [self._patience[each] for each in fewer]

    def _end_wait(self, looked_at: float) -> None:
        """End the wait if no connection waited in the turn of the loop after that look."""
        if looked_at == self._looked_at:
            self._looked_at = math.inf
