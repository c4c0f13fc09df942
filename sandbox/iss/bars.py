"""What a share cost in each hour: numbers that never were, the same whenever anybody asks.

A day begins and ends where a smooth random walk stands; its hours lead from one to the other. What is known of an hour that is not over is a
part of what it will be, so that the day as it was a minute ago is always the beginning of the day as it is now.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from sandbox.iss import sessions
from sandbox.iss.shares import Share
from sandbox.market import OCTAVES_H, random_walk
from sandbox.seeded_random import normals

SEED = 5
OCTAVES = OCTAVES_H[3:]
"""Waves from 16 hours on: what happens within a day is no wave here."""
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - Moscow, as everything here
ANYWHERE = 0.6
"""How much of a share's movement is everybody's, as a correlation."""
DAILY = 0.017
"""The standard deviation of a day's logarithmic return."""
HOURS = 17
"""Among how many hours the volume of a day is shared out; a day of fewer has less."""
HOURLY = 0.003
"""The same of what an hour adds to the way from a day's beginning to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stretch of trading; times are of Moscow, without an offset."""

    begin: datetime
    end: datetime
    """The last second of it, or the time of the last trade."""
    open: float
    high: float
    low: float
    close: float
    volume: int
    """Shares."""
    value: float
    """Roubles."""


def hour_bars(share: Share, day: date, until: datetime) -> list[Bar]:
    """The hours of *share* on *day* that had begun at *until*, of which the last may not be over."""
    found = _hours(share, day) if share.trades(day) else ()
    begun = [bar for bar in found if bar.begin < until]
    return [bar if bar.end <= until else _so_far(share, bar, until) for bar in begun]


def day_bar(share: Share, day: date, until: datetime) -> Bar | None:
    """*day* of *share*, as it was known at *until*; None without a trade."""
    hours = hour_bars(share, day, until)
    if not hours:
        return None
    whole = together(hours)
    start = datetime.combine(day, time())
    over = until >= sessions.end(day)
    return replace(whole, begin=start, end=datetime.combine(day, time(23, 59, 57)) if over else whole.end)


def together(bars: Sequence[Bar]) -> Bar:
    """One bar of several, which follow each other."""
    return Bar(
        begin=bars[0].begin,
        end=bars[-1].end,
        open=bars[0].open,
        high=max(bar.high for bar in bars),
        low=min(bar.low for bar in bars),
        close=bars[-1].close,
        volume=sum(bar.volume for bar in bars),
        value=round(sum(bar.value for bar in bars), 2),
    )


def level(share: Share, moment: datetime) -> float:
    """Where the price of *share* stands at *moment*, in roubles, not rounded."""
    hour = (moment - EPOCH) / timedelta(hours=1)
    everybody, alone = random_walk(SEED, "exchange", hour, OCTAVES), random_walk(SEED, share.ticker, hour, OCTAVES)
    return share.price * math.exp(DAILY * (ANYWHERE * everybody + math.sqrt(1 - ANYWHERE**2) * alone))


@functools.lru_cache(maxsize=20_000)
def _hours(share: Share, day: date) -> tuple[Bar, ...]:
    """All hours of *day*."""
    hours = sessions.hours(day)
    first, last = level(share, sessions.begin(day)), level(share, sessions.end(day))
    way = [math.log(first) + (math.log(last) - math.log(first)) * step / len(hours) for step in range(len(hours) + 1)]
    draws = [normals(4, SEED, share.ticker, day.toordinal(), hour) for hour in hours]
    for step in range(1, len(hours)):
        way[step] += HOURLY * draws[step - 1][0]
    prices = [share.rounded(math.exp(point)) for point in way]
    return tuple(
        _bar(share, datetime.combine(day, time(hour)), (prices[step], prices[step + 1]), draws[step])
        for step, hour in enumerate(hours)
    )


def _bar(share: Share, begin: datetime, ends: tuple[float, float], draws: Sequence[float]) -> Bar:
    """One hour, which opens and closes at *ends*."""
    lots = max(1, round(share.volume / share.lot / HOURS * math.exp(draws[3] * 0.6)))
    high = share.rounded(max(ends) * (1 + HOURLY * abs(draws[1])))
    low = share.rounded(min(ends) * (1 - HOURLY * abs(draws[2])))
    return _priced(share, begin, begin + timedelta(minutes=59, seconds=59), (ends[0], high, low, ends[1]), lots)


def _so_far(share: Share, bar: Bar, until: datetime) -> Bar:
    """What was known of *bar* at *until*, which lies within it."""
    part = (until - bar.begin) / timedelta(hours=1)

    def reached(price: float) -> float:
        return share.rounded(bar.open + (price - bar.open) * part)

    prices = (bar.open, reached(bar.high), reached(bar.low), reached(bar.close))
    return _priced(share, bar.begin, until.replace(microsecond=0), prices, math.ceil(bar.volume / share.lot * part))


def _priced(share: Share, begin: datetime, end: datetime, prices: tuple[float, float, float, float], lots: int) -> Bar:
    """A bar from its prices (open, high, low, close) and its volume in lots."""
    opened, high, low, close = prices
    volume = lots * share.lot
    value = round(volume * (opened + high + low + close) / 4, 2)
    return Bar(begin=begin, end=end, open=opened, high=high, low=low, close=close, volume=volume, value=value)
