"""Calls as a model knows them: turns on the event loop, and visits to backends between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from benchmarks.scale.samplers import Sampler


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a call to a backend."""

    backend: str
    wait_s: float
    """Seconds until the event loop has the answer, if nobody else wants a core."""
    processor_s: float = 0.0
    """Processor time of the backend.

    It is part of the wait, and what does not fit comes after the answer.
    """


@dataclass(frozen=True, slots=True)
class Leg:
    """Turns on the event loop until the next answer of a backend, or until the end."""

    turns_s: Sequence[float]
    sends: int
    """Number of the turn that sends the request or, without a visit, the answer."""
    visit: Visit | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call."""

    legs: Sequence[Leg]
    """The last one has no visit."""
    transit_s: float = 0.0
    """Seconds from sending the request until the server's event loop has it."""
    return_s: float = 0.0
    """Seconds from the turn that sends the answer until the caller has it."""


Draw: TypeAlias = Callable[[Random, float], Call]
"""Draws a call whose event loop had nothing to do for some seconds."""


def even(server: Sampler, *visits: tuple[str, float, Sampler]) -> Draw:
    """Return calls with equal turns before, between and after visits, once they are admitted.

    Each visit has a backend, its processor time and its further wait.
    """

    def draw(random: Random, _idle_s: float) -> Call:
        turn_s = server(random) / (len(visits) + 1)
        first, *others = [*(Visit(name, spent_s + wait(random), spent_s) for name, spent_s, wait in visits), None]
        return Call([Leg([0.0, turn_s], 1, first), *(Leg([turn_s], 0, visit) for visit in others)])

    return draw
