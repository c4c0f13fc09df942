"""The performance of a strategy, from measured periods that may overlap."""

import calendar
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import prod
from typing import Literal, TypeAlias

Period: TypeAlias = Literal["1w", "1m", "3m", "6m", "1y"]

MONTHS: dict[Period, int] = {"1m": 1, "3m": 3, "6m": 6, "1y": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPeriod:
    """The measured figures of a strategy from a first to a last day."""

    first: date
    last: date
    signals: int
    accuracy: float
    """The share of right signals, from 0 to 1."""
    sharpe: float
    """The annual Sharpe ratio."""
    total_return: float
    """The return, as a fraction."""

    @property
    def days(self) -> int:
        """The number of days, both ends included."""
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True)
class Performance:
    """Measured periods in order, no day in two of them."""

    periods: Sequence[MeasuredPeriod]

    @property
    def signals(self) -> int:
        """The number of signals."""
        return sum(period.signals for period in self.periods)

    @property
    def accuracy(self) -> float | None:
        """The share of right signals among all; None without signals."""
        if not self.signals:
            return None
        return sum(period.accuracy * period.signals for period in self.periods) / self.signals

    @property
    def sharpe(self) -> float:
        """The mean annual Sharpe ratio of a day."""
        return sum(period.sharpe * period.days for period in self.periods) / sum(period.days for period in self.periods)

    @property
    def total_return(self) -> float:
        """The compounded return, as a fraction rounded to twelve digits."""
        return round(prod(1 + period.total_return for period in self.periods) - 1, 12)

    def by_month(self) -> "dict[str, Performance]":
        """Return the performance by month of the last day, such as 2026-10; the oldest first."""
        months: dict[str, list[MeasuredPeriod]] = {}
        for period in self.periods:
            months.setdefault(f"{period.last:%Y-%m}", []).append(period)
        return {month: Performance(parts) for month, parts in months.items()}


def combine_periods(periods: Iterable[MeasuredPeriod]) -> Performance:
    """Return the performance over *periods*, no day counted twice.

    Where periods overlap, the one that ends later counts, and of two that end together the shorter.
    """
    chosen: list[MeasuredPeriod] = []
    for period in sorted(periods, key=lambda period: (period.last, period.first), reverse=True):
        if not chosen or period.last < chosen[-1].first:
            chosen.append(period)
    return Performance(chosen[::-1])


def first_day(period: Period, today: date) -> date:
    """Return the day a *period* before *today*; the last one of a shorter month."""
    if period == "1w":
        return today - timedelta(days=7)
    months = today.year * 12 + today.month - 1 - MONTHS[period]
    year, month = divmod(months, 12)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
