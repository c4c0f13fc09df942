"""The metrics, beside the same formulas computed another way."""

import itertools
import math
import statistics
from datetime import date, timedelta
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.moex.formulas import (
    annualized_volatility,
    avg_daily_volume,
    intraday_volatility_estimate,
    top_weight_pct,
    total_return_pct,
)

prices = st.lists(st.decimals("0.01", "100000", places=2).map(float), min_size=3, max_size=60)


def test_the_range_of_the_day_is_in_percent_of_its_opening() -> None:
    assert intraday_volatility_estimate(270, 271.19, 266.11) == pytest.approx((271.19 - 266.11) / 270 * 100)


@pytest.mark.parametrize("day", [(None, 2, 1), (1, None, 1), (1, 2, None), (0, 2, 1)])
def test_without_an_operand_there_is_no_range(day: tuple[float | None, float | None, float | None]) -> None:
    assert intraday_volatility_estimate(*day) is None


def test_the_return_is_from_the_first_close_to_the_last() -> None:
    assert total_return_pct([200, 500, 230]) == pytest.approx(15)
    assert total_return_pct([100, 80]) == pytest.approx(-20)


@pytest.mark.parametrize("closes", [[], [100], [0, 5]])
def test_a_return_takes_two_closes_the_first_above_zero(closes: list[float]) -> None:
    assert total_return_pct(closes) is None


@given(prices)
def test_the_return_is_that_of_exact_arithmetic(closes: list[float]) -> None:
    exact = (Decimal(str(closes[-1])) / Decimal(str(closes[0])) - 1) * 100
    assert total_return_pct(closes) == pytest.approx(float(exact), rel=1e-9, abs=1e-9)


@given(prices, st.sampled_from([("1d", 252), ("1h", 4284)]))
def test_volatility_is_the_sample_deviation_of_log_returns_times_the_root_of_the_bars_a_year(
    closes: list[float], annual: tuple[str, int]
) -> None:
    interval, bars = annual
    with localcontext(prec=40):
        logs = [Decimal(str(close)).ln() for close in closes]
        returns = [later - earlier for earlier, later in itertools.pairwise(logs)]
        expected = statistics.stdev(returns) * Decimal(bars).sqrt() * 100
    assert annualized_volatility(closes, interval) == pytest.approx(float(expected), rel=1e-6, abs=1e-6)


def test_volatility_of_a_known_series() -> None:
    up, down = math.log(1.01), math.log(0.99)
    deviation = math.sqrt(((up - down) ** 2) / 2)
    assert annualized_volatility([100, 101, 99.99], "1d") == pytest.approx(deviation * math.sqrt(252) * 100)
    assert annualized_volatility([100, 101, 99.99], "1h") == pytest.approx(deviation * math.sqrt(4284) * 100)


@pytest.mark.parametrize("closes", [[], [1], [1, 2], [1, 0, 2], [1, -1, 2]])
def test_volatility_takes_three_closes_above_zero(closes: list[float]) -> None:
    assert annualized_volatility(closes, "1d") is None


def test_average_volume_is_by_day_whatever_the_bars() -> None:
    monday, tuesday = date(2026, 3, 2), date(2026, 3, 3)
    assert avg_daily_volume([(monday, 10), (monday, 20), (tuesday, 50), (tuesday, None)]) == 40
    assert avg_daily_volume([(monday, None)]) is None
    assert avg_daily_volume([]) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**60)), min_size=1))
def test_volumes_beyond_what_a_float_holds_are_added_exactly(bars: list[tuple[int, int]]) -> None:
    volumes = [(date(2026, 3, 2) + timedelta(days=day), volume) for day, volume in bars]
    assert avg_daily_volume(volumes) == sum(volume for _, volume in bars) / len({day for day, _ in bars})


def test_the_five_largest_weights_are_added() -> None:
    assert top_weight_pct([1, 14.56, 9.8, 5, 4, 3.3, 2], 5) == pytest.approx(36.66)
    assert top_weight_pct([60, 40], 5) == 100
