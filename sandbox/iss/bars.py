"""The hourly bars of a share: invented numbers, a pure function of share and time.

A smooth random walk gives the prices at the start and the end of a day. The hours lead from one to the other. An hour
that is not over shows a part of its final bar, so that later answers extend earlier ones.
"""

import functools
import math
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from sandbox.iss import sessions
from sandbox.iss.shares import Share
from sandbox.market import OCTAVES_H, random_walk
from sandbox.seeded_random import normals

SEED = 5
OCTAVES = OCTAVES_H[3:]
"""Waves of 16 hours and more; the hourly deviation covers movements within a day."""
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - Moscow time, as everywhere in this module
MARKET_CORRELATION = 0.6
"""The correlation of a share with the market."""
DAY_DEVIATION = 0.017
"""The standard deviation of a day's logarithmic return."""
HOURS_A_DAY = 17
"""The hours among which a day's volume is divided; a shorter day has less volume."""
HOUR_DEVIATION = 0.003
"""The same for the noise of an hour."""


class Bar(NamedTuple):
    """A period of trading; times are Moscow time, without an offset."""

    begin: datetime
    end: datetime
    """Its last second, or the time of the last trade."""
    open: float
    high: float
    low: float
    close: float
    volume: int
    """Shares."""
    value: float
    """Roubles."""


def hour_bars(share: Share, day: date, until: datetime) -> list[Bar]:
    """Return the hours of *share* on *day* that started before *until*; the last may be partial."""
    found = _hours(share, day) if share.is_traded_on(day) else ()
    started = [bar for bar in found if bar.begin < until]
    return [bar if bar.end <= until else _partial_bar(share, bar, until) for bar in started]


def day_bar(share: Share, day: date, until: datetime) -> Bar | None:
    """Return the bar of *day* as of *until*; None without a trade."""
    hours = hour_bars(share, day, until)
    if not hours:
        return None
    whole = _merge_bars(hours)
    start = datetime.combine(day, time())
    over = until >= sessions.session_end(day)
    return whole._replace(begin=start, end=datetime.combine(day, time(23, 59, 57)) if over else whole.end)


def _merge_bars(bars: Sequence[Bar]) -> Bar:
    """Return one bar for consecutive *bars*."""
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


def price_at(share: Share, moment: datetime) -> float:
    """Return the price of *share* at *moment*, in roubles, not rounded."""
    hour = (moment - EPOCH) / timedelta(hours=1)
    market, own = random_walk(SEED, "exchange", hour, OCTAVES), random_walk(SEED, share.ticker, hour, OCTAVES)
    return share.price * math.exp(
        DAY_DEVIATION * (MARKET_CORRELATION * market + math.sqrt(1 - MARKET_CORRELATION**2) * own)
    )


@functools.lru_cache(maxsize=20_000)
def _hours(share: Share, day: date) -> tuple[Bar, ...]:
    """Return all hours of *day*."""
    hours = sessions.trading_hours(day)
    first, last = price_at(share, sessions.session_start(day)), price_at(share, sessions.session_end(day))
    path = [math.log(first) + (math.log(last) - math.log(first)) * step / len(hours) for step in range(len(hours) + 1)]
    draws = [normals(4, SEED, share.ticker, day.toordinal(), hour) for hour in hours]
    for step in range(1, len(hours)):
        path[step] += HOUR_DEVIATION * draws[step - 1][0]
    prices = [share.round_price(math.exp(point)) for point in path]
    return tuple(
        _bar(share, datetime.combine(day, time(hour)), (prices[step], prices[step + 1]), draws[step])
        for step, hour in enumerate(hours)
    )


def _bar(share: Share, begin: datetime, ends: tuple[float, float], draws: Sequence[float]) -> Bar:
    """Return one hour; *ends* are its opening and closing prices."""
    lots = max(1, round(share.volume / share.lot / HOURS_A_DAY * math.exp(draws[3] * 0.6)))
    high = share.round_price(max(ends) * (1 + HOUR_DEVIATION * abs(draws[1])))
    low = share.round_price(min(ends) * (1 - HOUR_DEVIATION * abs(draws[2])))
    return _make_bar(share, begin, begin + timedelta(minutes=59, seconds=59), (ends[0], high, low, ends[1]), lots)


def _partial_bar(share: Share, bar: Bar, until: datetime) -> Bar:
    """Return the part of *bar* up to *until*, which lies within it."""
    part = (until - bar.begin) / timedelta(hours=1)

    def partial(price: float) -> float:
        return share.round_price(bar.open + (price - bar.open) * part)

    prices = (bar.open, partial(bar.high), partial(bar.low), partial(bar.close))
    return _make_bar(share, bar.begin, until.replace(microsecond=0), prices, math.ceil(bar.volume / share.lot * part))


def _make_bar(
    share: Share, begin: datetime, end: datetime, prices: tuple[float, float, float, float], lots: int
) -> Bar:
    """Return a bar of *prices* (open, high, low, close) and a volume in *lots*."""
    opened, high, low, close = prices
    volume = lots * share.lot
    value = round(volume * (opened + high + low + close) / 4, 2)
    return Bar(begin=begin, end=end, open=opened, high=high, low=low, close=close, volume=volume, value=value)
