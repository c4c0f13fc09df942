"""The candles of the market that never was: a pure function of symbol and minute."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import shake_128
from struct import Struct
from typing import TypeAlias

from sandbox.market import DAY_H, PAIRS, Market

HOUR = 60
"""Minutes."""
Candle: TypeAlias = tuple[str, int, float, float, float, float, float]
"""Symbol, opening in milliseconds since 1970, open, high, low, close, volume: a row of the store."""

TURNOVER = 2_000_000.0
"""Dollars that change hands in an average minute of a pair."""
DRAWS = Struct(f"<{4 * HOUR}H")
HALF = 1 << 15
DIGITS = 6
"""How many figures a price has, about."""
SPREAD = math.sqrt(1 / 12)
"""The standard deviation of an even draw between -0.5 and 0.5."""


def candles(market: Market, symbol: str, start: int, end: int) -> Iterator[Candle]:
    """Yield the candles of *symbol* of the minutes from *start* up to *end*, which is not one of them."""
    for hour in range(start // HOUR, (end - 1) // HOUR + 1):
        first, last = max(start - hour * HOUR, 0), min(end - hour * HOUR, HOUR)
        yield from _hour(market, symbol, hour)[first:last]


@lru_cache(maxsize=2 * len(PAIRS))
def _hour(market: Market, symbol: str, hour: int) -> list[Candle]:
    """The candles of an hour. Its ends are the market's prices; between them the price walks at random.

    Drawn an hour at a time, since a draw for each value of each minute would take longer than the sandbox may to start.
    """
    pair, first = PAIRS[symbol], hour * HOUR
    draws = DRAWS.unpack(shake_128(f"candles\0{market.seed}\0{symbol}\0{hour}".encode()).digest(DRAWS.size))
    digits = DIGITS - math.ceil(math.log10(pair.price))
    prices = _walk(market.price(symbol, hour), market.price(symbol, hour + 1), pair.volatility, draws[:HOUR], digits)
    reach = pair.volatility / math.sqrt(DAY_H * HOUR) / (2 * HALF)
    busy = TURNOVER * (1.2 + math.sin((hour % DAY_H - 8) * math.pi / 12)) / (HALF * HALF) / pair.price
    found: list[Candle] = []
    others = (draws[part * HOUR : (part + 1) * HOUR] for part in (1, 2, 3))
    walk = zip(range(first, first + HOUR), prices[:-1], prices[1:], *others, strict=True)
    for minute, opened, closed, up, down, traded in walk:
        top, bottom = (opened, closed) if opened > closed else (closed, opened)
        high, low = round(top + top * reach * up, digits), round(bottom - bottom * reach * down, digits)
        found.append((symbol, minute * 60_000, opened, high, low, closed, round(busy * (traded + 1) * (traded + 1), 2)))
    return found


def _walk(start: float, end: float, volatility: float, draws: Sequence[int], digits: int) -> list[float]:
    """Prices at the ends of the minutes of an hour: a random walk that begins at *start* and is at *end* on time."""
    step = volatility / math.sqrt(DAY_H * HOUR) / SPREAD / (2 * HALF)
    drift = (math.log(end / start) - step * (sum(draws) - HOUR * HALF)) / HOUR - step * HALF
    prices, moved = [round(start, digits)], math.log(start)
    for draw in draws[:-1]:
        moved += drift + step * draw
        prices.append(round(math.exp(moved), digits))
    return [*prices, round(end, digits)]
