"""A second backtester, in plain Python, candle by candle.

It shares no code with the sandbox's.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from generated.tradestream.backtester_pb2 import Candle

FEE, CASH = 0.001, 10_000.0
YEAR = 252 * 1440
Series = list[float | None]


def candles(count: int, *, seed: int = 1, volatility: float = 0.002) -> list[Candle]:
    """A random walk of one-minute candles of ETH/USD; now and then a candle without volume."""
    chance, price, made = Random(seed), 3000.0, list[Candle]()
    for minute in range(count):
        opened = price * math.exp(chance.gauss(0, volatility / 4))
        price = opened * math.exp(chance.gauss(0, volatility))
        high = max(opened, price) * math.exp(abs(chance.gauss(0, volatility / 3)))
        low = min(opened, price) * math.exp(-abs(chance.gauss(0, volatility / 3)))
        volume = 0.0 if chance.random() < 0.02 else chance.gammavariate(2, 5)
        made.append(candle(minute, (opened, high, low, price), volume))
    return made


def candle(minute: int, prices: tuple[float, float, float, float], volume: float = 1.0) -> Candle:
    made = Candle(currency_pair="ETH/USD", volume=volume)
    made.timestamp.seconds = 1_760_000_040 + 60 * minute
    made.open, made.high, made.low, made.close = prices
    return made


def flat(*closes: float) -> list[Candle]:
    """Candles that open and close at the same price."""
    return [candle(minute, (close, close, close, close)) for minute, close in enumerate(closes)]


# --- indicators ----------------------------------------------------------------------------------------------------


def sma(values: Sequence[float | None], period: int) -> Series:
    return [
        None if len(part) < period or None in part else math.fsum(part) / period  # type: ignore[arg-type]
        for part in (values[max(0, end - period) : end] for end in range(1, len(values) + 1))
    ]


def ema(values: Sequence[float | None], period: int) -> Series:
    """Start with the mean of the first *period* values, as TA-Lib does.

    Each new value then has the weight 2 / (period + 1).
    """
    first = next(place for place, value in enumerate(values) if value is not None)
    found: Series = [None] * len(values)
    now = math.fsum(v for v in values[first : first + period] if v is not None) / period
    for place in range(first + period - 1, len(values)):
        value = values[place]
        assert value is not None
        now = now if place == first + period - 1 else now + 2 / (period + 1) * (value - now)
        found[place] = now
    return found


def rsi(values: Sequence[float], period: int) -> Series:
    """Wilder, New Concepts in Technical Trading Systems (1978)."""
    changes = [after - before for before, after in pairwise(values)]
    up, down = (math.fsum(max(s * c, 0) for c in changes[:period]) / period for s in (1, -1))
    found: Series = [None] * period + [100 * up / (up + down)]
    for change in changes[period:]:
        up = (up * (period - 1) + max(change, 0)) / period
        down = (down * (period - 1) + max(-change, 0)) / period
        found.append(100 * up / (up + down))
    return found


def true_range(bars: Sequence[Candle], period: int) -> Series:
    """The mean of the true range, smoothed as RSI; Wilder (1978)."""
    ranges = [max(now.high, before.close) - min(now.low, before.close) for before, now in pairwise(bars)]
    mean = math.fsum(ranges[:period]) / period
    found: Series = [None] * period + [mean]
    for each in ranges[period:]:
        mean = (mean * (period - 1) + each) / period
        found.append(mean)
    return found


def crossed_up(one: Series, other: Series) -> list[bool]:
    """Return whether *one* is above *other*, and was not one candle ago."""
    places = range(len(one))
    return [place > 0 and _above(one, other, place) and _not_above(one, other, place - 1) for place in places]


def _above(one: Series, other: Series, place: int) -> bool:
    left, right = one[place], other[place]
    return left is not None and right is not None and left > right


def _not_above(one: Series, other: Series, place: int) -> bool:
    left, right = one[place], other[place]
    return left is not None and right is not None and left <= right


# --- what comes of it ----------------------------------------------------------------------------------------------


@dataclass
class Account:
    """Cash and what was bought with it, candle by candle."""

    cash: float = CASH
    size: float = 0.0
    paid: float = 0.0
    since: int = 0
    equity: list[float] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def follow(self, closes: Sequence[float], entries: Sequence[bool], exits: Sequence[bool]) -> "Account":
        last = len(closes) - 1
        for place, close in enumerate(closes):
            enters, leaves = entries[place] and not exits[place], exits[place] and not entries[place]
            if not self.size and enters and place < last:
                self.paid, self.since = self.cash, place
                self.size, self.cash = self.cash / (close * (1 + FEE)), 0.0
            elif self.size and (leaves or place == last):
                self.cash, self.size = self.size * close * (1 - FEE), 0.0
                self.gains.append(self.cash - self.paid)
                self.lengths.append(place - self.since)
            self.equity.append(self.cash + self.size * close)
        return self

    def figures(self, closes: Sequence[float]) -> dict[str, float]:
        """The figures of the service.

        Sharpe, The Sharpe Ratio (1994); Sortino and Price, Performance Measurement in a Downside Risk Framework (1994);
        Jensen, The Performance of Mutual Funds (1968), as a linear regression.
        """
        returns = [after / before - 1 for before, after in zip([CASH, *self.equity], self.equity, strict=False)]
        market = [after / before - 1 for before, after in zip([closes[0], *closes], closes, strict=False)]
        free = 0.02 / YEAR
        excess = [each - free for each in returns]
        downside = math.sqrt(statistics.fmean(min(each, 0) ** 2 for each in excess))
        line = statistics.linear_regression([each - free for each in market], excess)
        highest, fallen = CASH, 0.0
        for equity in self.equity:
            highest = max(highest, equity)
            fallen = max(fallen, (highest - equity) / highest)
        total = self.equity[-1] / CASH - 1
        won, lost = (math.fsum(abs(each) for each in self.gains if s * each > 0) for s in (1, -1))
        figures = {
            "cumulative_return": total,
            "annualized_return": (1 + total) ** (YEAR / len(closes)) - 1,
            "sharpe_ratio": statistics.fmean(excess) / statistics.stdev(excess) * math.sqrt(YEAR),
            "sortino_ratio": statistics.fmean(excess) / downside * math.sqrt(YEAR),
            "max_drawdown": fallen,
            "volatility": statistics.stdev(returns) * math.sqrt(YEAR),
            "win_rate": sum(each > 0 for each in self.gains) / len(self.gains),
            "profit_factor": won / lost,
            "number_of_trades": len(self.gains),
            "average_trade_duration": statistics.fmean(self.lengths),
            "alpha": line.intercept * YEAR,
            "beta": line.slope,
        }
        weights = {"sharpe_ratio": 0.25, "annualized_return": 0.2, "profit_factor": 0.15}
        score = sum(weight * min(max((figures[name] + 1) / 3, 0), 1) for name, weight in weights.items())
        return figures | {"strategy_score": score + 0.2 * (1 - fallen) + 0.2 * figures["win_rate"]}
