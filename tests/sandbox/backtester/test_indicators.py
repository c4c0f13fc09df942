"""The indicators that the library lacks, against plain Python."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from operator import mul

import numpy as np
import pytest

from generated.tradestream.backtester_pb2 import Candle
from sandbox.backtester.bars import to_bars
from sandbox.backtester.indicators import INDICATORS
from sandbox.backtester.specs import read_specs
from tests.sandbox.backtester.plain import Series, candle, candles, ema, sma, true_range

CANDLES = candles(300, seed=7)
PERIOD: dict[str, float] = {"period": 14}
WINDOW = 14

Plain = Callable[[Sequence[Candle]], Series]


def closes(rows: Sequence[Candle]) -> list[float]:
    return [row.close for row in rows]


def typical(rows: Sequence[Candle]) -> list[float]:
    return [(row.high + row.low + row.close) / 3 for row in rows]


def windowed(rows: Sequence[Candle], of: Callable[[Sequence[Candle]], float], *, before: int = 0) -> Series:
    ends = range(1 - before, len(rows) + 1 - before)
    return [of(rows[end - WINDOW : end]) if end >= WINDOW else None for end in ends]


def less(one: Sequence[float | None], other: Sequence[float | None]) -> Series:
    return [None if a is None or b is None else a - b for a, b in zip(one, other, strict=True)]


def awesome(rows: Sequence[Candle]) -> Series:
    median = [(row.high + row.low) / 2 for row in rows]
    return less(sma(median, 5), sma(median, 34))


def money_flow(rows: Sequence[Candle]) -> float:
    bought = math.fsum((2 * r.close - r.high - r.low) / (r.high - r.low) * r.volume for r in rows)
    return bought / math.fsum(row.volume for row in rows)


def detrended(rows: Sequence[Candle]) -> Series:
    mean, back = sma(closes(rows), WINDOW), WINDOW // 2 + 1
    return less([*[None] * back, *closes(rows)[:-back]], mean)


def mass(rows: Sequence[Candle]) -> Series:
    once = ema([row.high - row.low for row in rows], 9)
    ratios = [None if a is None or b is None else a / b for a, b in zip(once, ema(once, 9), strict=True)]
    return [None if mean is None else 25 * mean for mean in sma(ratios, 25)]


def klinger(rows: Sequence[Candle]) -> Series:
    prices = typical(rows)
    before = [prices[0], *prices]
    force = [row.volume if now >= then else -row.volume for row, now, then in zip(rows, prices, before, strict=False)]
    return less(ema(force, 34), ema(force, 55))


def nvi(rows: Sequence[Candle]) -> Series:
    factors = [now.close / then.close if now.volume < then.volume else 1 for then, now in pairwise(rows)]
    index: list[float] = list(accumulate(factors, mul, initial=1000.0))
    return [*index]


def pvt(rows: Sequence[Candle]) -> Series:
    return list(accumulate((now.volume * (now.close / then.close - 1) for then, now in pairwise(rows)), initial=0.0))


def vwap(rows: Sequence[Candle]) -> float:
    worth = math.fsum(price * row.volume for price, row in zip(typical(rows), rows, strict=True))
    return worth / math.fsum(row.volume for row in rows)


def stochastic(rows: Sequence[Candle]) -> float:
    lowest = min(row.low for row in rows)
    return 100 * (rows[-1].close - lowest) / (max(row.high for row in rows) - lowest)


def zero_lag(rows: Sequence[Candle]) -> Series:
    lag = (WINDOW - 1) // 2
    prices = closes(rows)
    return ema([None] * lag + [2 * now - then for now, then in zip(prices[lag:], prices, strict=False)], WINDOW)


def fractal(rows: Sequence[Candle]) -> Series:
    """Ehlers, FRAMA: Fractal Adaptive Moving Average (2005), bar by bar as in his listing."""
    half, dimension, average = WINDOW // 2, 0.0, 0.0
    found: Series = []

    def slope(part: Sequence[Candle]) -> float:
        return (max(row.high for row in part) - min(row.low for row in part)) / len(part)

    for end in range(1, len(rows) + 1):
        price = rows[end - 1].close
        if end < WINDOW:
            found.append(None)
            continue
        late, early = rows[end - half : end], rows[end - WINDOW : end - half]
        n1, n2, n3 = slope(late), slope(early), slope(rows[end - WINDOW : end])
        if n1 > 0 and n2 > 0 and n3 > 0:
            dimension = (math.log(n1 + n2) - math.log(n3)) / math.log(2)
        weight = min(max(math.exp(-4.6 * (dimension - 1)), 0.01), 1)
        average = price if end == WINDOW else weight * price + (1 - weight) * average
        found.append(average)
    return found


def keltner(side: int) -> Plain:
    def line(rows: Sequence[Candle]) -> Series:
        middle, width = ema(closes(rows), WINDOW), true_range(rows, WINDOW)
        return [None if a is None or b is None else a + side * 2 * b for a, b in zip(middle, width, strict=True)]

    return line


PLAIN: dict[str, tuple[dict[str, float], Plain]] = {
    "AWESOME_OSCILLATOR": ({"shortPeriod": 5, "longPeriod": 34}, awesome),
    "CMF": (PERIOD, lambda rows: windowed(rows, money_flow)),
    "DPO": (PERIOD, detrended),
    "MASS_INDEX": ({"emaPeriod": 9, "sumPeriod": 25}, mass),
    "KLINGER_VOLUME_OSCILLATOR": ({"shortPeriod": 34, "longPeriod": 55}, klinger),
    "MACD": (
        {"shortPeriod": 12, "longPeriod": 26},
        lambda rows: less(ema(closes(rows), 12), ema(closes(rows), 26)),
    ),
    "NVI": ({}, nvi),
    "PVT": ({}, pvt),
    "VWAP": (PERIOD, lambda rows: windowed(rows, vwap)),
    "STOCHASTIC_K": (PERIOD, lambda rows: windowed(rows, stochastic)),
    "ZLEMA": (PERIOD, zero_lag),
    "FRAMA": (PERIOD, fractal),
    "KELTNER_UPPER": (PERIOD, keltner(1)),
    "KELTNER_LOWER": (PERIOD, keltner(-1)),
    "DONCHIAN_UPPER": (PERIOD, lambda rows: windowed(rows, lambda part: max(row.high for row in part), before=1)),
    "DONCHIAN_LOWER": (PERIOD, lambda rows: windowed(rows, lambda part: min(row.low for row in part), before=1)),
    "DONCHIAN_MIDDLE": (
        PERIOD,
        lambda rows: windowed(rows, lambda part: (max(row.high for row in part) + min(row.low for row in part)) / 2),
    ),
    "TYPICAL_PRICE": ({}, lambda rows: [*typical(rows)]),
    "PREVIOUS": (PERIOD, lambda rows: [*[None] * WINDOW, *closes(rows)[:-WINDOW]]),
}


@pytest.mark.parametrize("name", PLAIN)
def test_an_indicator_is_what_plain_python_computes(name: str) -> None:
    parameters, plain = PLAIN[name]
    columns = to_bars(CANDLES)
    found = INDICATORS[name](columns, columns.close, parameters)
    expected = [math.nan if value is None else value for value in plain(CANDLES)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_an_indicator_is_neutral_without_moves_and_trades() -> None:
    still = candles(60, volatility=0.0)
    for row in still:
        row.volume = 0
    columns = to_bars(still)
    last = {name: INDICATORS[name](columns, columns.close, PERIOD)[-1] for name in ("CMF", "STOCHASTIC_K", "VWAP")}
    assert last == pytest.approx({"CMF": 0, "STOCHASTIC_K": 50, "VWAP": 3000})


def test_an_indicator_has_values_exactly_from_its_warm_up_on() -> None:
    columns = to_bars(CANDLES)
    usual: dict[str, float] = {"period": 14, "shortPeriod": 12, "longPeriod": 26, "fastPeriod": 3, "slowPeriod": 10}
    usual |= {"emaPeriod": 9, "sumPeriod": 25, "step": 0.02, "maximum": 0.2}
    for name, indicator in INDICATORS.items():
        known = ~np.isnan(indicator(columns, columns.close, usual))
        assert known.any(), name
        assert known[int(np.argmax(known)) :].all(), name


def test_the_table_has_every_indicator_of_the_sample_specs() -> None:
    assert {part["type"] for spec in read_specs() for part in spec.indicators} <= INDICATORS.keys()


def test_a_fractal_average_follows_a_straight_line_at_once_and_keeps_its_weight_without_a_range() -> None:
    rising = [candle(place, (100.0 + place,) * 4) for place in range(20)]
    still = [candle(20 + place, (119.0,) * 4) for place in range(20)]
    columns = to_bars([*rising, *still])
    found = INDICATORS["FRAMA"](columns, columns.close, {"period": 4})
    np.testing.assert_allclose(found[3:20], columns.close[3:20], rtol=0.02)
    assert found[-1] == pytest.approx(119, rel=1e-3)


def test_a_fractal_average_over_one_candle_is_rejected() -> None:
    columns = to_bars(CANDLES)
    with pytest.raises(ValueError, match="2 at least"):
        INDICATORS["FRAMA"](columns, columns.close, {"period": 1})
