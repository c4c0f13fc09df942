"""Volatility against numpy's standard deviation, TA-Lib's ATR, and numbers by hand."""

import math
import random
from datetime import UTC, datetime

import numpy as np
import pytest
import talib

from handlers.candles.store import Bar
from handlers.tradestream.volatility import average_true_range, deviation_of_returns, high_low_range, true_range

AT = datetime(2026, 11, 21, tzinfo=UTC)


def walk(count: int, seed: int) -> list[Bar]:
    """Bars with chance prices and, between some of them, gaps."""
    chance = random.Random(seed)
    bars, price = [], 100.0
    for _ in range(count):
        opened = price * chance.uniform(0.97, 1.03)
        price = opened * chance.uniform(0.95, 1.05)
        high, low = max(opened, price) * chance.uniform(1, 1.02), min(opened, price) * chance.uniform(0.98, 1)
        bars.append(Bar(AT, opened, high, low, price, 1.0))
    return bars


def columns(bars: list[Bar]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(np.array([getattr(bar, name) for bar in bars]) for name in ("high", "low", "close"))  # type: ignore[return-value]


@pytest.mark.parametrize("count", [15, 16, 40, 100])
@pytest.mark.parametrize("seed", range(5))
def test_volatility_is_numpys_population_deviation_of_simple_returns(count: int, seed: int) -> None:
    bars = walk(count, seed)
    _, _, close = columns(bars)
    assert deviation_of_returns(bars) == pytest.approx(np.std(np.diff(close) / close[:-1], ddof=0), rel=1e-12)


@pytest.mark.parametrize("count", [15, 16, 40, 100])
@pytest.mark.parametrize("seed", range(5))
def test_the_average_true_range_is_talibs(count: int, seed: int) -> None:
    bars = walk(count, seed)
    expected = talib.ATR(*columns(bars), timeperiod=14)[-1]
    assert average_true_range(bars) == pytest.approx(expected, rel=1e-12)


def test_volatility_by_hand() -> None:
    bars = [Bar(AT, close, close, close, close, 1.0) for close in (100.0, 110.0, 99.0)]  # returns of +0.1 and -0.1
    assert deviation_of_returns(bars) == pytest.approx(0.1)
    assert deviation_of_returns(bars[:2]) == 0.0


def test_the_average_true_range_by_hand() -> None:
    """Fourteen ranges of 2, then one of 16: the average moves by a fourteenth, to 3."""
    bars = [Bar(AT, 10.0, 11.0, 9.0, 10.0, 1.0)] * 15
    assert average_true_range(bars) == 2.0
    assert average_true_range([*bars, Bar(AT, 10.0, 18.0, 2.0, 10.0, 1.0)]) == pytest.approx(3.0)


@pytest.mark.parametrize("high, low, expected", [(12.0, 9.0, 3.0), (15.0, 13.0, 5.0), (8.0, 7.0, 3.0)])
def test_a_true_range_reaches_to_the_close_before(high: float, low: float, expected: float) -> None:
    assert true_range(10.0, Bar(AT, high, high, low, low, 1.0)) == expected


def test_the_range_is_from_the_lowest_low_to_the_highest_high() -> None:
    bars = walk(100, 7)
    high, low, _ = columns(bars)
    assert math.isclose(high_low_range(bars), float(high.max() - low.min()))
