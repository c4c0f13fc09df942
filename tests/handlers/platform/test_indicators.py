"""Every feature beside its formula in plain Python, and the laws that hold for any prices."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.platform.indicators import (
    INDICATORS,
    PERIOD_INDICATORS,
    PROFILE_BINS,
    Numbers,
    Prices,
    compute_bollinger,
    compute_ema,
    compute_macd,
    compute_profile,
    compute_rsi,
    compute_sma,
    compute_volatility,
    compute_vwap,
    to_array,
)
from tests.handlers.platform.formulas import atr, deviation, ema, macd, mean, rsi

PRICES = st.floats(1e-9, 1e9)
BARS = st.tuples(PRICES, PRICES, PRICES, st.just(0.0) | st.floats(1e-6, 1e9))
"""Three prices and a volume."""


def closes(least: int) -> st.SearchStrategy[list[float]]:
    """Return closes of one scale, rising and falling by up to a tenth."""
    changes = st.lists(st.floats(0.9, 1.1), min_size=least - 1, max_size=260)
    return st.builds(_accumulate, st.floats(1e-6, 1e6), changes)


def _accumulate(first: float, factors: Sequence[float]) -> list[float]:
    found = [first]
    for factor in factors:
        found.append(min(max(found[-1] * factor, 1e-9), 1e9))
    return found


def near(expected: float, values: Sequence[float]) -> object:
    """Return *expected* within the rounding of sums of *values*."""
    return pytest.approx(expected, rel=1e-9, abs=1e-12 * max(map(abs, values)))


@given(closes(50))
def test_sma_is_the_mean_of_the_last_closes_and_lies_among_them(values: list[float]) -> None:
    found = compute_sma(to_array(values))
    for period in (20, 50):
        last = values[-period:]
        assert found[f"sma_{period}"] == near(mean(last), values)
        assert min(last) * (1 - 1e-9) <= found[f"sma_{period}"] <= max(last) * (1 + 1e-9) + 1e-12 * max(values)


@given(closes(26))
def test_ema_weighs_the_newest_close_by_two_of_the_period_and_one(values: list[float]) -> None:
    found = compute_ema(to_array(values))
    for period in (12, 26):
        assert found[f"ema_{period}"] == near(ema(values, period)[-1], values)


@given(closes(15))
def test_rsi_is_wilders_and_between_0_and_100(values: list[float]) -> None:
    found = compute_rsi(to_array(values))
    if len(set(values)) == 1:
        assert found == {}
        return
    assert 0 <= found["rsi_14"] <= 100
    assert found["rsi_14"] == pytest.approx(rsi(values), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_rsi_is_100_after_rises_alone_and_0_after_falls_alone_however_small(scale: float) -> None:
    rising = [scale] * 15 + [1.25 * scale] * 235
    assert compute_rsi(to_array(rising)) == {"rsi_14": pytest.approx(100)}
    assert compute_rsi(to_array(rising[::-1])) == {"rsi_14": pytest.approx(0)}
    assert compute_rsi(to_array([scale] * 250)) == {}


@given(closes(34))
def test_macd_is_the_difference_of_two_averages_and_of_its_signal(values: list[float]) -> None:
    found = compute_macd(to_array(values))
    line, signal, histogram = macd(values)
    assert found["macd_line"] == near(line, values)
    assert found["macd_signal"] == near(signal, values)
    assert found["macd_histogram"] == near(histogram, values)


@given(closes(20))
def test_bollinger_bands_are_two_deviations_above_and_below_the_mean(values: list[float]) -> None:
    found = compute_bollinger(to_array(values))
    upper, middle, lower = (found[f"bollinger_{name}"] for name in ("upper", "middle", "lower"))
    assert middle == near(mean(values[-20:]), values)
    assert upper - middle == near(2 * deviation(values[-20:], 0), values)
    assert upper - middle == near(middle - lower, values)
    assert lower <= middle <= upper


def test_bollinger_bands_of_a_coin_worth_a_millionth_are_those_of_any_other() -> None:
    values = [1 + 0.01 * (number % 3) for number in range(20)]
    found = compute_bollinger(to_array([1e-8 * value for value in values]))
    expected = compute_bollinger(to_array(values))
    assert found == {name: pytest.approx(1e-8 * value) for name, value in expected.items()}
    assert found["bollinger_upper"] > found["bollinger_lower"]


@given(closes(21))
def test_volatility_is_the_sample_deviation_of_the_last_twenty_returns(values: list[float]) -> None:
    returns = [after / before - 1 for before, after in pairwise(values[-21:])]
    assert compute_volatility(to_array(values)) == {"volatility": pytest.approx(deviation(returns, 1), abs=1e-12)}


@pytest.mark.parametrize("name", sorted(INDICATORS))
@given(st.data())
def test_the_least_number_of_bars_is_enough_and_no_value_is_missing(name: str, data: st.DataObject) -> None:
    indicator = INDICATORS[name]
    values = data.draw(closes(indicator.bars))[: indicator.bars]
    assert all(map(math.isfinite, indicator.compute(to_array(values)).values()))


@pytest.mark.parametrize("name", sorted(set(INDICATORS) - {"bollinger", "volatility"}))
def test_one_bar_less_gives_no_value(name: str) -> None:
    values = to_array([100.0 + number % 7 for number in range(INDICATORS[name].bars - 1)])
    assert all(map(math.isnan, INDICATORS[name].compute(values).values()))


@pytest.mark.parametrize("compute, short, long", [(compute_sma, 20, 50), (compute_ema, 12, 26)])
def test_an_average_is_there_as_soon_as_its_own_bars_are(
    compute: Callable[[Numbers], dict[str, float]], short: int, long: int
) -> None:
    values = [100.0 + number % 7 for number in range(long)]
    assert [len(compute(to_array(values[:count]))) for count in (short - 1, short, long - 1, long)] == [0, 1, 1, 2]


@st.composite
def periods(draw: st.DrawFn, before: int = 1) -> tuple[int, list[tuple[float, float, float]]]:
    """Return a period and at least as many bars of high, low and close as it needs."""
    period = draw(st.integers(2, 200))
    bars = [
        (close * draw(st.floats(1, 1.1)), close * draw(st.floats(0.9, 1)), close)
        for close in draw(closes(period + before))
    ]
    return period, bars


def prices_of(bars: Sequence[tuple[float, float, float]]) -> Prices:
    return Prices(*map(to_array, zip(*bars, strict=True)))


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example])
@given(periods())
def test_a_feature_of_any_period_is_its_formula(drawn: tuple[int, list[tuple[float, float, float]]]) -> None:
    period, bars = drawn
    prices, values = prices_of(bars), [close for _, _, close in bars]
    found = {name: each.compute(prices, period) for name, each in PERIOD_INDICATORS.items()}
    highs = [high for high, _, _ in bars]
    assert found["sma"] == near(mean(values[-period:]), values)
    assert found["ema"] == near(ema(values, period)[-1], values)
    assert found["atr"] == near(atr(bars, period), highs)
    if len(set(values)) == 1:
        assert found["rsi"] is None
    else:
        assert found["rsi"] == pytest.approx(rsi(values, period), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", sorted(PERIOD_INDICATORS))
@given(period=st.integers(2, 200))
def test_a_feature_of_a_period_has_its_first_value_at_its_least_bars(name: str, period: int) -> None:
    indicator = PERIOD_INDICATORS[name]
    least = period + indicator.before
    bars = [(102.0 + number % 7, 99.0 + number % 7, 100.0 + number % 7) for number in range(least)]
    enough, missing = (indicator.compute(prices_of(bars[:count]), period) for count in (least, least - 1))
    assert enough is not None
    assert math.isfinite(enough)
    assert missing is None or math.isnan(missing)


@pytest.mark.parametrize("name", sorted(PERIOD_INDICATORS))
@pytest.mark.parametrize("period", [2, 14, 50, 200])
def test_the_start_of_a_long_history_counts_for_less_than_a_ten_millionth(name: str, period: int) -> None:
    indicator = PERIOD_INDICATORS[name]
    count = period * indicator.periods
    bars = [(102.0 + number % 7, 99.0 + number % 7, 100.0 + number % 7) for number in range(count + 10 * period)]
    whole, recent = (indicator.compute(prices_of(part), period) for part in (bars, bars[-count - indicator.before :]))
    assert recent == pytest.approx(whole, rel=1e-7)


def test_the_old_names_are_features_of_fixed_periods() -> None:
    bars = [(102.0 + number % 7, 99.0 + number % 5, 100.0 + number % 7) for number in range(250)]
    prices = prices_of(bars)
    fixed = compute_sma(prices.closes) | compute_ema(prices.closes) | compute_rsi(prices.closes)
    chosen = {
        name: PERIOD_INDICATORS[name.partition("_")[0]].compute(prices, int(name.partition("_")[2])) for name in fixed
    }
    assert chosen == fixed


@given(st.lists(st.tuples(PRICES, st.just(0.0) | st.floats(1e-6, 1e9)), min_size=1, max_size=60))
def test_vwap_is_the_traded_value_by_the_traded_volume(bars: list[tuple[float, float]]) -> None:
    prices, volumes = ([bar[place] for bar in bars] for place in (0, 1))
    total = sum(map(Fraction, volumes))
    found = compute_vwap(to_array(prices), to_array(volumes))
    if not total:
        assert found is None
        return
    value = sum(Fraction(price) * Fraction(volume) for price, volume in bars)
    assert found is not None
    assert found == pytest.approx(float(value / total))
    assert min(prices) * (1 - 1e-9) <= found <= max(prices) * (1 + 1e-9)


def overlap(low: float, high: float, bottom: float, top: float) -> float:
    """Return the share of a bar from *bottom* to *top* that lies from *low* to *high*."""
    return max(0.0, min(high, top) - max(low, bottom)) / (top - bottom)


@given(st.lists(BARS, min_size=1, max_size=60))
def test_a_profile_spreads_each_volume_over_the_prices_of_its_bar(
    bars: list[tuple[float, float, float, float]],
) -> None:
    spread = [(min(bar[:3]), max(bar[:3]), bar[3]) for bar in bars if min(bar[:3]) < max(bar[:3])]
    if not spread:
        return
    lows, highs, volumes = (to_array(column) for column in zip(*spread, strict=True))
    profile = compute_profile(highs, lows, volumes)
    assert (profile[0].low, profile[-1].high, len(profile)) == (min(lows), max(highs), PROFILE_BINS)
    assert all(before.high == after.low for before, after in pairwise(profile))
    total = sum(volumes)
    for each in profile:
        expected = sum(volume * overlap(each.low, each.high, low, high) for low, high, volume in spread)
        assert each.volume == pytest.approx(expected, abs=1e-9 * total)
        assert 0 <= each.volume <= total * (1 + 1e-9)
    assert sum(each.volume for each in profile) == pytest.approx(total)


def test_a_bar_of_one_price_is_in_one_bin_also_at_the_border_of_bins() -> None:
    prices = to_array([100.0, 110.0, 110.5, 120.0])
    profile = compute_profile(prices, prices, to_array([1.0, 2.0, 4.0, 8.0]))
    assert [(each.low, each.volume) for each in profile if each.volume] == [(100, 1), (110, 6), (119, 8)]


def test_a_profile_of_a_single_price_has_a_single_bin() -> None:
    prices = to_array([7.0, 7.0])
    assert compute_profile(prices, prices, to_array([1.0, 2.0])) == [(7.0, 7.0, 3.0)]
