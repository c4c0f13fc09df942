"""A market that never was: prices of pairs at any time, the same for everybody who asks with the same seed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.chance import cached_normal

DAY_H = 24
OCTAVES_H = tuple(2.0**power for power in range(1, 13))
"""Waves of 2 h to 170 days; each is as high as a random walk goes in that time."""
SHARED = 0.7
"""How much of a pair's movement is everybody's, as a correlation."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What is traded."""

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
    """The prices that belong to a seed."""

    seed: int

    def price(self, symbol: str, hour: float) -> float:
        """Dollars for one unit of *symbol*, *hour* hours after 1970 in UTC."""
        pair = PAIRS[symbol]
        everybody, alone = wave(self.seed, "market", hour), wave(self.seed, symbol, hour)
        moved = pair.volatility * (SHARED * everybody + math.sqrt(1 - SHARED**2) * alone)
        return float(f"{pair.price * math.exp(moved):.6g}")


def wave(seed: int, name: str, hour: float, octaves: Sequence[float] = OCTAVES_H) -> float:
    """A smooth random walk with a standard deviation of about 1 a day, *hour* hours after 1970."""
    return sum(math.sqrt(octave / DAY_H) * 0.6 * _octave(seed, name, octave, hour) for octave in octaves)


def _octave(seed: int, name: str, octave: float, hour: float) -> float:
    position = hour / octave
    knot = math.floor(position)
    way = position - knot
    smooth = way * way * (3 - 2 * way)
    before = cached_normal(seed, name, int(octave), knot)
    after = cached_normal(seed, name, int(octave), knot + 1)
    return before + (after - before) * smooth
