"""A simulated market: prices of pairs at any time, each a pure function of the seed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandbox.seeded_random import cached_normal

DAY_H = 24
OCTAVES_H = tuple(2.0**power for power in range(1, 13))
"""Periods of 2 h to 170 days; each amplitude is that of a random walk over its period."""
MARKET_CORRELATION = 0.7
"""The correlation of each pair's movement with that of the whole market."""
DIGITS = 6
"""The significant digits of a usual price."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of currencies that is traded."""

    price: float
    """The price it moves around, in dollars."""
    volatility: float
    """The standard deviation of a day's logarithmic return."""
    turnover: float
    """Dollars traded in an average minute."""

    @property
    def digits(self) -> int:
        """The decimals of a price."""
        return DIGITS - math.ceil(math.log10(self.price))

    @property
    def lot(self) -> float:
        """The step of a volume; sums of its multiples are exact."""
        return 0.125 if self.price >= 400 else 1.0 if self.price >= 1 else 100.0


PAIRS: Mapping[str, Pair] = {
    "BTC/USD": Pair(64_000, 0.022, 4_000_000),
    "ETH/USD": Pair(3_100, 0.028, 2_500_000),
    "SOL/USD": Pair(148, 0.040, 900_000),
    "XRP/USD": Pair(0.62, 0.036, 600_000),
    "ADA/USD": Pair(0.47, 0.038, 150_000),
    "DOGE/USD": Pair(0.16, 0.048, 250_000),
    "AVAX/USD": Pair(34, 0.044, 120_000),
    "DOT/USD": Pair(7.1, 0.038, 80_000),
    "LINK/USD": Pair(16.4, 0.040, 140_000),
    "LTC/USD": Pair(84, 0.032, 110_000),
    "BCH/USD": Pair(430, 0.036, 70_000),
    "UNI/USD": Pair(9.2, 0.044, 60_000),
    "ATOM/USD": Pair(8.6, 0.038, 50_000),
    "XLM/USD": Pair(0.11, 0.036, 45_000),
    "ALGO/USD": Pair(0.18, 0.042, 30_000),
    "AAVE/USD": Pair(118, 0.042, 55_000),
    "FIL/USD": Pair(5.9, 0.044, 40_000),
    "ETC/USD": Pair(27, 0.038, 45_000),
    "NEAR/USD": Pair(6.3, 0.048, 50_000),
    "INJ/USD": Pair(24, 0.050, 35_000),
}


@dataclass(frozen=True, slots=True)
class Market:
    """The prices of a seed."""

    seed: int

    def price(self, symbol: str, hour: float) -> float:
        """Return the price of *symbol* in dollars, *hour* hours after 1970 in UTC."""
        pair = PAIRS[symbol]
        market, own = _walk_of_all(self.seed, hour), random_walk(self.seed, symbol, hour)
        moved = pair.volatility * (MARKET_CORRELATION * market + math.sqrt(1 - MARKET_CORRELATION**2) * own)
        return round(pair.price * math.exp(moved), pair.digits)


def random_walk(seed: int, name: str, hour: float, octaves: Sequence[float] = OCTAVES_H) -> float:
    """Return a smooth random walk, *hour* hours after 1970; its deviation is about 1 a day."""
    return sum(math.sqrt(octave / DAY_H) * 0.6 * _octave(seed, name, octave, hour) for octave in octaves)


@lru_cache(maxsize=10_000)
def _walk_of_all(seed: int, hour: float) -> float:
    """Return the walk of the market, which all pairs share."""
    return random_walk(seed, "market", hour)


def _octave(seed: int, name: str, octave: float, hour: float) -> float:
    position = hour / octave
    knot = math.floor(position)
    part = position - knot
    smooth = part * part * (3 - 2 * part)
    before = cached_normal(seed, name, int(octave), knot)
    after = cached_normal(seed, name, int(octave), knot + 1)
    return before + (after - before) * smooth
