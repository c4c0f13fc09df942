"""Statistics of the numbers: medians, quartiles, ratios within a round, and met targets."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

Samples = Mapping[str, Sequence[float]]
"""By contender: a number for each round, in order."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median and the quartiles of some numbers."""

    low: float
    median: float
    high: float


class Bound(Enum):
    """The side of a target on which a ratio should be."""

    AT_MOST = "≤"
    AT_LEAST = "≥"


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio that toolaccord should reach."""

    title: str
    measure: str
    """The name of the measure; see rounds.py."""
    rivals: tuple[str, ...]
    """The contenders whose best toolaccord is compared with, round by round."""
    bound: Bound
    ratio: float
    processor: str | None = None
    """The measure of processor time that corresponds to it, if any."""

    def met(self, ratio: float) -> bool:
        """Return whether *ratio* is on the right side of the target."""
        return ratio <= self.ratio if self.bound is Bound.AT_MOST else ratio >= self.ratio


def spread(numbers: Sequence[float]) -> Spread:
    """Return median and quartiles of *numbers*, of which there is at least one."""
    if len(numbers) == 1:
        return Spread(numbers[0], numbers[0], numbers[0])
    low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return Spread(low, median, high)


def number(value: float) -> str:
    """Format a number with three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def percentile(numbers: Sequence[float], share: float) -> float:
    """Return the percentile of *numbers* by nearest rank, 0 < *share* ≤ 1."""
    ordered = sorted(numbers)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def ratios(samples: Samples, ours: str, target: Target) -> list[float]:
    """Return, by round, our number divided by that of the best rival."""
    best: Callable[[list[float]], float] = min if target.bound is Bound.AT_MOST else max
    return [own / best(theirs) for own, theirs in _rounds(samples, ours, target)]


def processor_ratios(samples: Samples, ours: str, target: Target) -> list[float]:
    """Return, by round, the ratio of processor times, inverted where more is better."""
    pairs = [(own, min(theirs)) for own, theirs in _rounds(samples, ours, target)]
    return [own / theirs if target.bound is Bound.AT_MOST else theirs / own for own, theirs in pairs]


def _rounds(samples: Samples, ours: str, target: Target) -> Iterator[tuple[float, list[float]]]:
    """Return, by round, our number and those of the rivals."""
    rivals = [samples[name] for name in target.rivals]
    return ((own, theirs) for own, *theirs in zip(samples[ours], *rivals, strict=True))
