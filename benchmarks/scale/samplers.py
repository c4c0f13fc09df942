"""Distributions of seconds, from which a model draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Sampler: TypeAlias = Callable[[Random], float]
"""Draws a number of seconds."""


def constant(seconds: float) -> Sampler:
    """Return the distribution of one number."""
    return lambda _random: seconds


NOTHING = constant(0)
"""No time at all."""


def exponential(mean_s: float) -> Sampler:
    """Return the exponential distribution with a mean."""
    return lambda random: random.expovariate(1 / mean_s)


def empirical(measured: Sequence[float]) -> Sampler:
    """Return the distribution of some measurements; between two of them it is uniform."""
    ordered = sorted(measured)
    last = len(ordered) - 1

    def draw(random: Random) -> float:
        place = random.random() * last
        below = int(place)
        return ordered[below] + (place - below) * (ordered[min(below + 1, last)] - ordered[below])

    return draw
