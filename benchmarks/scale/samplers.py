"""Distributions of seconds, from which a model draws."""

from __future__ import annotations

from collections.abc import Callable
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
