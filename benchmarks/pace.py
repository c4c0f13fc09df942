"""How long something is measured, and what is measured now."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_BEGUN = time.perf_counter()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """As many rounds as are asked for and fit into a time, but a few of them however long they take."""

    rounds: int
    budget_s: float
    least: int = 3

    def turns(self, everyone: Sequence[T], what: str) -> Iterator[T]:
        """Each of *everyone* in each round, beginning with the next one each time."""
        begun = time.perf_counter()
        for number in range(self.rounds):
            spent = time.perf_counter() - begun
            if number >= self.least and spent * (number + 1) / number > self.budget_s:
                tell(f"{what}: no time for a further round")
                return
            tell(f"{what}: round {number + 1} of {self.rounds}")
            first = number % len(everyone)
            yield from (*everyone[first:], *everyone[:first])


def tell(what: str) -> None:
    """Say on standard error what is measured now."""
    print(f"{time.perf_counter() - _BEGUN:4.0f} s  {what}", file=sys.stderr, flush=True)
