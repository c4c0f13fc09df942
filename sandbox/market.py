"""A simulated market: prices of instruments at any time, each a pure function of the seed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandbox.seeded_random import cached_normal

DAY_H = 24
OCTAVES_H = tuple(2.0**power for power in range(1, 13))
"""Periods of 2 h to 170 days; each amplitude is that of a random walk over its period."""
MARKET_CORRELATION = 0.7
"""The correlation of a pair's movement with that of the whole market."""
WEEKEND = (5, 6)
"""Saturday and Sunday, as `date.weekday` counts."""
FIRST_WEEKDAY = 3
"""1 January 1970 was a Thursday."""
DIGITS = 6
"""The significant digits of a usual price."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """An instrument that is traded for dollars."""

    price: float
    """The price it moves around, in dollars."""
    volatility: float
    """The standard deviation of a day's logarithmic return."""
    turnover: float
    """Dollars traded in an average minute."""
    has_weekends: bool = False
    """True if it rests on Saturdays and Sundays in UTC."""

    def is_traded_on(self, day: int) -> bool:
        """Return whether there are prices of the day with this number since 1970, in UTC."""
        return not (self.has_weekends and (day + FIRST_WEEKDAY) % 7 in WEEKEND)

    @property
    def digits(self) -> int:
        """The decimals of a price."""
        return DIGITS - math.ceil(math.log10(self.price))

    @property
    def lot(self) -> float:
        """The step of a volume; sums of its multiples are exact."""
        return 0.125 if self.price >= 400 else 1.0 if self.price >= 1 else 100.0


PAIRS: Mapping[str, Instrument] = {
    "BTC/USD": Instrument(64_000, 0.022, 4_000_000),
    "ETH/USD": Instrument(3_100, 0.028, 2_500_000),
    "SOL/USD": Instrument(148, 0.040, 900_000),
    "XRP/USD": Instrument(0.62, 0.036, 600_000),
    "ADA/USD": Instrument(0.47, 0.038, 150_000),
    "DOGE/USD": Instrument(0.16, 0.048, 250_000),
    "AVAX/USD": Instrument(34, 0.044, 120_000),
    "DOT/USD": Instrument(7.1, 0.038, 80_000),
    "LINK/USD": Instrument(16.4, 0.040, 140_000),
    "LTC/USD": Instrument(84, 0.032, 110_000),
    "BCH/USD": Instrument(430, 0.036, 70_000),
    "UNI/USD": Instrument(9.2, 0.044, 60_000),
    "ATOM/USD": Instrument(8.6, 0.038, 50_000),
    "XLM/USD": Instrument(0.11, 0.036, 45_000),
    "ALGO/USD": Instrument(0.18, 0.042, 30_000),
    "AAVE/USD": Instrument(118, 0.042, 55_000),
    "FIL/USD": Instrument(5.9, 0.044, 40_000),
    "ETC/USD": Instrument(27, 0.038, 45_000),
    "NEAR/USD": Instrument(6.3, 0.048, 50_000),
    "INJ/USD": Instrument(24, 0.050, 35_000),
}
"""Pairs of currencies that are traded on all days."""
WEEKDAY_INSTRUMENTS: Mapping[str, Instrument] = {
    "EURUSD": Instrument(1.0945, 0.005, 9_000_000, has_weekends=True),
    "GBPUSD": Instrument(1.2634, 0.006, 5_000_000, has_weekends=True),
    "AAPL": Instrument(212.4, 0.016, 6_000_000, has_weekends=True),
    "SPY": Instrument(485.5, 0.010, 8_000_000, has_weekends=True),
    "QQQ": Instrument(389.25, 0.013, 7_000_000, has_weekends=True),
}
"""Pairs and shares that rest at weekends."""
INSTRUMENTS: Mapping[str, Instrument] = {**PAIRS, **WEEKDAY_INSTRUMENTS}


@dataclass(frozen=True, slots=True)
class Market:
    """The prices of a seed."""

    seed: int

    def price(self, symbol: str, hour: float) -> float:
        """Return the price of *symbol* in dollars, *hour* hours after 1970 in UTC."""
        instrument, moved = INSTRUMENTS[symbol], random_walk(self.seed, symbol, hour)
        if symbol in PAIRS:
            market = _walk_of_all(self.seed, hour)
            moved = MARKET_CORRELATION * market + math.sqrt(1 - MARKET_CORRELATION**2) * moved
        return round(instrument.price * math.exp(instrument.volatility * moved), instrument.digits)


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
