"""Balance of connections among workers, which share the memory with their numbers.

All wait for connections on the same sockets, and the system lets any of them accept. Whoever is awake would take most.
"""

from __future__ import annotations

import asyncio
import mmap
import os
import socket
import tempfile
import time
from dataclasses import dataclass
from typing import Any

_PATIENCE_S = 0.005
"""Seconds for which a worker leaves connections to others before it takes one."""
_HANG_S = 1.0
"""Seconds after which it waits no more for those that have fewer, and took none."""
_NOBODY = -1
"""Number of connections in a place of the memory whose worker accepts none."""
_BYTES = 4


class Balance:
    """Numbers of the connections of workers, each in a place of its own."""

    def __init__(self, descriptor: int, places: int) -> None:
        self.descriptor = descriptor
        """Descriptor of the memory."""
        self.places = places
        """Number of places."""
        self._counts = memoryview(mmap.mmap(descriptor, places * _BYTES)).cast("i")

    @classmethod
    def create(cls, places: int) -> Balance:
        """Make the memory, which lasts as long as a process has its descriptor."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("toolaccord")
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, places * _BYTES)
        balance = cls(descriptor, places)
        for place in range(places):
            balance.set(place, None)
        return balance

    def set(self, place: int, count: int | None) -> None:
        """Set the number of a worker; None while it accepts no connections."""
        self._counts[place] = _NOBODY if count is None else count

    def add(self, place: int) -> None:
        """Count one more connection of a worker."""
        self._counts[place] += 1

    def count(self, place: int) -> int:
        """Return the number of a worker."""
        return self._counts[place]

    def least(self) -> int:
        """Return the number of the worker that has the fewest."""
        return min((count for count in self._counts if count > _NOBODY), default=0)


@dataclass(slots=True)
class _Wait:
    """Connections wait, and are left to workers that have fewer."""

    least: int
    """Number of the worker that has the fewest. It changes once that one accepts."""
    since: float
    taken_at: float
    """Time of the last connection that was taken all the same, or of the start."""


class BalancedSocket(socket.socket):
    """A listening socket of an event loop that leaves connections to workers that have fewer.

    While these are busy, it takes one connection in the time of its patience.
    """

    def __init__(self, descriptor: int, balance: Balance, place: int) -> None:
        super().__init__(fileno=descriptor)
        self._balance = balance
        self._place = place
        self._wait: _Wait | None = None
        self._looks = 0

    def listen(self, backlog: int = 0) -> None:
        """Leave the backlog as it is: asyncio would lower it to the connections of a turn."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return a connection.

        Raises BlockingIOError without one, or while another worker should take it.
        """
        least = self._balance.least()
        if self._balance.count(self._place) > least and self._must_wait(least, time.monotonic()):
            os.sched_yield()
            raise BlockingIOError
        accepted = super().accept()
        self._balance.add(self._place)
        return accepted

    def _must_wait(self, least: int, now: float) -> bool:
        """Return whether a connection is left to others; they are busy if they do not take it."""
        self._looks += 1
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._end_wait, self._looks)
        if self._wait is None or self._wait.least != least:
            self._wait = _Wait(least, now, now)
        if now - self._wait.since > _HANG_S:
            return False
        if now - self._wait.taken_at <= _PATIENCE_S:
            return True
        self._wait.taken_at = now
        return False

    def _end_wait(self, looks: int) -> None:
        """End the wait if no connection waited in the turn of the loop after these *looks*."""
        if looks == self._looks:
            self._wait = None
