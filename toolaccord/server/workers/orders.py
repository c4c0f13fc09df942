"""The order by which a supervisor starts a worker."""

from __future__ import annotations

from dataclasses import dataclass

RETIREMENT_S = 12.0
"""Seconds for the connections of a worker that is replaced.

An open one sends its first byte within 10 s, or is closed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Descriptors that a worker inherits."""

    channel: int
    """The descriptor of its channel."""
    sockets: list[int]
    """The descriptors of the sockets on which it accepts connections."""
    balance: int
    """The descriptor of the memory with the numbers of connections."""
    places: int
    """The number of places in that memory."""
    place: int
    """Its own place there."""
