"""Technical features of bars, as pure functions.

Prices and volumes are arrays, oldest first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import talib
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]

PROFILE_BINS = 20


class Prices(NamedTuple):
    """Prices of bars."""

    highs: Numbers
    lows: Numbers
    closes: Numbers

    def since(self, first: int) -> "Prices":
        """Return the prices from the bar of that place on."""
        return Prices(*(column[first:] for column in self))


class Indicator(NamedTuple):
    """A feature of closing prices."""

    bars: int
    """Number of closes that its first value needs."""
    compute: Callable[[Numbers], dict[str, float]]
    """Returns values by name, for the last close."""


class PeriodIndicator(NamedTuple):
    """A feature of a period that the caller chooses."""

    before: int
    """Number of bars that its first value needs besides those of the period."""
    periods: int
    """Number of periods after which the start counts for less than a ten-millionth of the value."""
    compute: Callable[[Prices, int], float | None]
    """Returns the value of the last bar; None if it has none."""


class PriceVolume(NamedTuple):
    """The volume that was traded between two prices."""

    low: float
    high: float
    volume: float


def to_array(values: Sequence[float]) -> Numbers:
    """Return prices or volumes as the functions below take them."""
    return np.array(values, dtype=np.float64)


def compute_sma(closes: Numbers) -> dict[str, float]:
    """Return the means of the last 20 and 50 closes, of as many as exist."""
    return {f"sma_{period}": _average(closes, period) for period in (20, 50) if period <= len(closes)}


def _average(closes: Numbers, period: int) -> float:
    return float(talib.SMA(closes, period)[-1])


def compute_ema(closes: Numbers) -> dict[str, float]:
    """Return the exponential averages of 12 and 26 bars, of as many as exist."""
    return {f"ema_{period}": _exponential(closes, period) for period in (12, 26) if period <= len(closes)}


def _exponential(closes: Numbers, period: int) -> float:
    """Return the exponential average.

    Source: Appel 1979, The Moving Average Convergence-Divergence Trading Method.

    e(t) = e(t-1) + (close - e(t-1)) * 2 / (period + 1); it starts with the mean of the first *period* closes.
    """
    return float(talib.EMA(closes, period)[-1])


def compute_rsi(closes: Numbers) -> dict[str, float]:
    """Return the relative strength index of 14 bars; nothing if the close never changed."""
    strength = _strength(closes, 14)
    return {} if strength is None else {"rsi_14": strength}


def _strength(closes: Numbers, period: int) -> float | None:
    """Return the relative strength index, from 0 to 100; None if the close never changed.

    Source: Wilder 1978, New Concepts in Technical Trading Systems.

    100 * gain / (gain + loss), of the averages of rises and of falls. An average starts with the mean of *period*
    changes; each later change moves it by 1 / *period* of the difference.
    """
    return float(talib.RSI(closes, period)[-1]) if np.diff(closes).any() else None


def _true_range(prices: Prices, period: int) -> float:
    """Return the average true range, in the quote currency.

    Source: Wilder 1978, New Concepts in Technical Trading Systems.

    A true range spans the bar and the close before it. The average starts with the mean of *period* ranges; each later
    range moves it by 1 / *period* of the difference.
    """
    return float(talib.ATR(*prices, period)[-1])


def compute_macd(closes: Numbers) -> dict[str, float]:
    """Return the line of 12 and 26 bars, its signal of 9 bars, and their difference.

    Source: Appel 1979, The Moving Average Convergence-Divergence Trading Method.

    All are exponential averages. Both averages of the line start at the 26th close.
    """
    line, signal, histogram = (float(values[-1]) for values in talib.MACD(closes, 12, 26, 9))
    return {"macd_line": line, "macd_signal": signal, "macd_histogram": histogram}


def compute_bollinger(closes: Numbers) -> dict[str, float]:
    """Return the mean of 20 bars, and the bands 2 population deviations away.

    Source: Bollinger 2001, Bollinger on Bollinger Bands.
    """
    upper, middle, lower = (float(values[-1]) for values in talib.BBANDS(closes, 20, 2.0, 2.0))
    return {"bollinger_upper": upper, "bollinger_middle": middle, "bollinger_lower": lower}


def compute_volatility(closes: Numbers) -> dict[str, float]:
    """Return the sample standard deviation of the last 20 simple returns, per bar.

    The AT platform defines it as the deviation of returns over 20 bars (at-core, feature_calculator.py).
    """
    last = closes[-21:]
    return {"volatility": float((np.diff(last) / last[:-1]).std(ddof=1))}


INDICATORS: Mapping[str, Indicator] = {
    "sma": Indicator(20, compute_sma),
    "ema": Indicator(12, compute_ema),
    "rsi": Indicator(15, compute_rsi),
    "macd": Indicator(34, compute_macd),
    "bollinger": Indicator(20, compute_bollinger),
    "volatility": Indicator(21, compute_volatility),
}

PERIOD_INDICATORS: Mapping[str, PeriodIndicator] = {
    "sma": PeriodIndicator(0, 1, lambda prices, period: _average(prices.closes, period)),
    "ema": PeriodIndicator(0, 10, lambda prices, period: _exponential(prices.closes, period)),
    "rsi": PeriodIndicator(1, 18, lambda prices, period: _strength(prices.closes, period)),
    "atr": PeriodIndicator(1, 18, _true_range),
}


def compute_vwap(closes: Numbers, volumes: Numbers) -> float | None:
    """Return the mean close, weighted by volume, as at-core does; None without volume."""
    return float(np.average(closes, weights=volumes)) if volumes.any() else None


def compute_profile(highs: Numbers, lows: Numbers, volumes: Numbers) -> list[PriceVolume]:
    """Return the volume in equal bins from the lowest low to the highest high.

    Source: Steidlmayer and Koy 1986, Markets and Market Logic. The volume of a bar is spread evenly from its low to its
    high. If all prices are equal, there is one bin.
    """
    lowest, highest = float(lows.min()), float(highs.max())
    if lowest == highest:
        return [PriceVolume(lowest, highest, float(volumes.sum()))]
    edges = np.linspace(lowest, highest, PROFILE_BINS + 1)
    spans, rises = highs - lows, edges[:, np.newaxis] - lows
    below = np.where(spans > 0, np.clip(rises / np.where(spans > 0, spans, 1), 0, 1), rises > 0)
    below[-1] = 1  # a bar of one price, the highest, is in the last bin
    traded = np.diff(below, axis=0) @ volumes
    return [
        PriceVolume(*values) for values in zip(edges[:-1].tolist(), edges[1:].tolist(), traded.tolist(), strict=True)
    ]
