"""What is made of the numbers: medians, how far they spread, ratios of one round, and whether a target is met."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

Samples = Mapping[str, Sequence[float]]
"""By contender: one number a round, in the order of the rounds."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of some numbers, and between what half of them lie."""

    low: float
    median: float
    high: float


class Bound(Enum):
    """On which side of a target a ratio should be."""

    AT_MOST = "≤"
    AT_LEAST = "≥"


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio that toolpact should reach."""

    title: str
    measure: str
    """What is measured; see rounds.py."""
    rivals: tuple[str, ...]
    """Toolpact is held against the best of them, round by round."""
    bound: Bound
    ratio: float
    processor: str | None = None
    """What says the same by processor time, where something does."""

    def met(self, ratio: float) -> bool:
        """Whether *ratio* is on the right side."""
        return ratio <= self.ratio if self.bound is Bound.AT_MOST else ratio >= self.ratio


def spread(numbers: Sequence[float]) -> Spread:
    """The median and the quartiles of *numbers*, of which there is at least one."""
    if len(numbers) == 1:
        return Spread(numbers[0], numbers[0], numbers[0])
    low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return Spread(low, median, high)


def number(value: float) -> str:
    """Three digits that matter."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def percentile(numbers: Sequence[float], share: float) -> float:
    """The smallest of *numbers* below or at which *share* of them lie, 0 < *share* ≤ 1."""
    ordered = sorted(numbers)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def ratios(samples: Samples, ours: str, target: Target) -> list[float]:
    """By round, what we reach divided by what the best of the rivals does in the same round."""
    best: Callable[[list[float]], float] = min if target.bound is Bound.AT_MOST else max
    return [own / best(theirs) for own, theirs in _rounds(samples, ours, target)]


def processor_ratios(samples: Samples, ours: str, target: Target) -> list[float]:
    """The same of processor times, less of which is better; so what is counted a second is theirs divided by ours."""
    pairs = [(own, min(theirs)) for own, theirs in _rounds(samples, ours, target)]
    return [own / theirs if target.bound is Bound.AT_MOST else theirs / own for own, theirs in pairs]


def _rounds(samples: Samples, ours: str, target: Target) -> Iterator[tuple[float, list[float]]]:
    """By round, our number, and those of the rivals."""
    rivals = [samples[name] for name in target.rivals]
    return ((own, theirs) for own, *theirs in zip(samples[ours], *rivals, strict=True))
