"""The candles of the simulated market: a pure function of symbol and minute."""

import math
from functools import lru_cache
from hashlib import shake_128
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandbox.market import DAY_H, INSTRUMENTS, Market

HOUR, DAY = 60, 1440
"""Minutes."""
Candles: TypeAlias = NDArray[np.float64]
"""Rows of opening in ms since 1970, open, high, low, close and volume; a column a minute."""

HALF = 1 << 15
WITHIN_HOUR = 0.92
"""The part of a minute's volatility in the walk of an hour; the hours' trend has the rest."""
LEAST_DRAW = HALF // 4
"""Added to each draw, so that something is traded in every minute."""
MEAN_FACTOR = 0.44
"""The factor that makes the mean volume the pair's, whatever hours and draws do."""
SPREAD = math.sqrt(1 / 12)
"""The standard deviation of a uniform draw between -0.5 and 0.5."""


def compute_candles(market: Market, symbol: str, start: int, end: int) -> Candles:
    """Return the candles of *symbol* for the minutes since 1970 from *start*, before *end*.

    There are none of an unknown symbol, and none of a day on which it rests. Whole days are computed, and cached.
    """
    if start >= end or symbol not in INSTRUMENTS:
        return np.empty((6, 0))
    days = filter(INSTRUMENTS[symbol].is_traded_on, range(start // DAY, (end - 1) // DAY + 1))
    found = np.concatenate([np.empty((6, 0)), *(_compute_day(market, symbol, day) for day in days)], axis=1)
    first, last = np.searchsorted(found[0], (start * 60_000, end * 60_000))
    return found[:, first:last]


@lru_cache(maxsize=32 * len(INSTRUMENTS))
def _compute_day(market: Market, symbol: str, day: int) -> Candles:
    """Return the candles of a day since 1970. The cache holds up to 800 days of 70 kB.

    At the ends of an hour the price is the market's; between them it is a random walk.
    """
    pair = INSTRUMENTS[symbol]
    digits = pair.digits
    hours = range(day * DAY_H, (day + 1) * DAY_H)
    keys = (f"candles\0{market.seed}\0{symbol}\0{hour}".encode() for hour in hours)
    drawn = np.frombuffer(b"".join(shake_128(key).digest(8 * HOUR) for key in keys), "<u2").astype(float)
    steps, up, down, traded = drawn.reshape(DAY_H, 4, HOUR).swapaxes(0, 1)
    knots = np.array([market.price(symbol, hour) for hour in (*hours, hours.stop)])

    minute = pair.volatility / math.sqrt(DAY_H * HOUR) / (2 * HALF)
    walked = _walk(np.log(knots), (steps - HALF) * WITHIN_HOUR * minute / SPREAD)
    closed = np.concatenate([np.round(np.exp(walked), digits), knots[1:, np.newaxis]], axis=1)
    opened = np.concatenate([knots[:-1, np.newaxis], closed[:, :-1]], axis=1)
    high = np.round(np.maximum(opened, closed) * (1 + minute * up), digits)
    low = np.round(np.minimum(opened, closed) * (1 - minute * down), digits)
    times_of_day = [[1.2 + math.sin((hour % DAY_H - 8) * math.pi / 12)] for hour in hours]
    lots = MEAN_FACTOR * pair.turnover / pair.price / pair.lot * np.array(times_of_day)
    volume = pair.lot * np.maximum(1, np.round(lots * ((traded + LEAST_DRAW) / HALF) ** 2))
    times = np.arange(day * DAY, (day + 1) * DAY) * 60_000.0
    return np.stack([times, *(column.ravel() for column in (opened, high, low, closed, volume))])


def _walk(knots: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return log prices after each minute of an hour but the last: a walk to the next knot."""
    walked = np.cumsum(steps, axis=1)
    part = np.arange(1, HOUR + 1) / HOUR
    gap = knots[1:, np.newaxis] - knots[:-1, np.newaxis] - walked[:, -1:]
    bridge: np.ndarray = knots[:-1, np.newaxis] + walked + gap * part
    return bridge[:, :-1]
