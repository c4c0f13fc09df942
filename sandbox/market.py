"""A simulated market: prices of pairs at any time, each a pure function of the seed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.seeded_random import cached_normal

DAY_H = 24
OCTAVES_H = tuple(2.0**power for power in range(1, 13))
"""Periods of 2 h to 170 days; each amplitude is that of a random walk over its period."""
MARKET_CORRELATION = 0.7
"""The correlation of each pair's movement with that of the whole market."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of currencies that is traded."""

    price: float
    """The price it moves around, in dollars."""
    volatility: float
    """The standard deviation of a day's logarithmic return."""


PAIRS: Mapping[str, Pair] = {
    "BTC/USD": Pair(64_000, 0.022),
    "ETH/USD": Pair(3_100, 0.028),
    "SOL/USD": Pair(148, 0.040),
    "XRP/USD": Pair(0.62, 0.036),
    "ADA/USD": Pair(0.47, 0.038),
    "DOGE/USD": Pair(0.16, 0.048),
    "AVAX/USD": Pair(34, 0.044),
    "DOT/USD": Pair(7.1, 0.038),
    "LINK/USD": Pair(16.4, 0.040),
    "LTC/USD": Pair(84, 0.032),
    "BCH/USD": Pair(430, 0.036),
    "UNI/USD": Pair(9.2, 0.044),
    "ATOM/USD": Pair(8.6, 0.038),
    "XLM/USD": Pair(0.11, 0.036),
    "ALGO/USD": Pair(0.18, 0.042),
    "AAVE/USD": Pair(118, 0.042),
    "FIL/USD": Pair(5.9, 0.044),
    "ETC/USD": Pair(27, 0.038),
    "NEAR/USD": Pair(6.3, 0.048),
    "INJ/USD": Pair(24, 0.050),
}


@dataclass(frozen=True, slots=True)
class Market:
    """The prices of a seed."""

    seed: int

    def price(self, symbol: str, hour: float) -> float:
        """Return the price of *symbol* in dollars, *hour* hours after 1970 in UTC."""
        pair = PAIRS[symbol]
        market, own = random_walk(self.seed, "market", hour), random_walk(self.seed, symbol, hour)
        moved = pair.volatility * (MARKET_CORRELATION * market + math.sqrt(1 - MARKET_CORRELATION**2) * own)
        return float(f"{pair.price * math.exp(moved):.6g}")


def random_walk(seed: int, name: str, hour: float, octaves: Sequence[float] = OCTAVES_H) -> float:
    """Return a smooth random walk, *hour* hours after 1970; its deviation is about 1 a day."""
    return sum(math.sqrt(octave / DAY_H) * 0.6 * _octave(seed, name, octave, hour) for octave in octaves)


def _octave(seed: int, name: str, octave: float, hour: float) -> float:
    position = hour / octave
    knot = math.floor(position)
    part = position - knot
    smooth = part * part * (3 - 2 * part)
    before = cached_normal(seed, name, int(octave), knot)
    after = cached_normal(seed, name, int(octave), knot + 1)
    return before + (after - before) * smooth
