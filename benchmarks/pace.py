"""Rounds of a measurement within a time budget, and the log of their progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_PROCESS_START = time.perf_counter()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pace:
    """The number of rounds: at most *rounds*, within *budget_s*, but at least *least*."""

    rounds: int
    budget_s: float
    least: int = 3

    def turns(self, contenders: Sequence[T], what: str) -> Iterator[T]:
        """Yield all *contenders* in each round, each round beginning with the next one."""
        start = time.perf_counter()
        for number in range(self.rounds):
            spent = time.perf_counter() - start
            if number >= self.least and spent * (number + 1) / number > self.budget_s:
                log_progress(f"{what}: no time for a further round")
                return
            log_progress(f"{what}: round {number + 1} of {self.rounds}")
            first = number % len(contenders)
            yield from (*contenders[first:], *contenders[:first])


def log_progress(what: str) -> None:
    """Log the progress on standard error."""
    print(f"{time.perf_counter() - _PROCESS_START:4.0f} s  {what}", file=sys.stderr, flush=True)
