"""Balance of connections among workers, which share the memory with their numbers.

All wait for connections on the same sockets, and the system lets any of them accept. Whoever is awake would take most.
"""

from __future__ import annotations

import mmap
import os
import socket
import tempfile
import time
from typing import Any

_PATIENCE_S = 0.005
"""Seconds for which a worker leaves a connection to those that have fewer."""
_IMPATIENCE_S = 0.1
"""Seconds for which it leaves them none, after one that they did not take."""
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

    def has_more(self, place: int) -> bool:
        """Return whether a worker has more connections than another one."""
        own = self._counts[place]
        return any(_NOBODY < count < own for count in self._counts)


class BalancedSocket(socket.socket):
    """A listening socket that leaves connections to workers that have fewer."""

    def __init__(self, descriptor: int, balance: Balance, place: int) -> None:
        super().__init__(fileno=descriptor)
        self._balance = balance
        self._place = place
        self._takes_until = self._waits_since = 0.0

    def listen(self, backlog: int = 0) -> None:
        """Leave the backlog as it is: asyncio would lower it to the connections of a turn."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return a connection.

        Raises BlockingIOError without one, or while another worker should take it.
        """
        if self._balance.has_more(self._place) and self._must_wait(time.monotonic()):
            os.sched_yield()
            raise BlockingIOError
        self._waits_since = 0.0
        accepted = super().accept()
        self._balance.add(self._place)
        return accepted

    def _must_wait(self, now: float) -> bool:
        """Return whether a connection is left to others; they are busy if they do not take it."""
        if now < self._takes_until:
            return False
        if now - self._waits_since > 2 * _PATIENCE_S:  # another connection than before
            self._waits_since = now
        if now - self._waits_since > _PATIENCE_S:
            self._takes_until = now + _IMPATIENCE_S
            return False
        return True
