"""Value at risk against the same by the covariance matrix: w'Cw with exponential weights."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.platform.exposure import Position
from handlers.platform.value_at_risk import DAYS, ProfitVariance, daily_returns, profit_variance

returns = st.dictionaries(st.integers(0, DAYS - 1), st.floats(-0.2, 0.2), min_size=1, max_size=8)
units = st.decimals("-1000", "1000", places=3)
books = st.lists(st.tuples(units, st.decimals("0.01", "1000", places=2), returns), min_size=1, max_size=4)


def position(name: str, quantity: Decimal, price: Decimal, changes: dict[int, float]) -> Position:
    return Position(symbol=name, quantity=quantity, price=price, returns=changes)


def covariance(one: Position, other: Position) -> float:
    """Return the exponentially weighted covariance of two instruments' returns, of mean 0."""
    weights = [0.94**age for age in range(74)]
    products = [one.returns.get(age, 0) * other.returns.get(age, 0) for age in range(74)]
    return sum(weight * product for weight, product in zip(weights, products, strict=True)) / sum(weights)


def expected(positions: list[Position], days: int) -> float:
    """Return 1.645 standard deviations of the profit over *days*."""
    variance = sum(
        float(one.quantity * one.price) * float(other.quantity * other.price) * covariance(one, other)
        for one in positions
        for other in positions
    )
    return 1.6448536269514722 * math.sqrt(max(variance, 0) * days)


@given(books, units, st.sampled_from([1, 10]))
def test_value_at_risk_is_that_of_the_covariance_matrix(
    book: list[tuple[Decimal, Decimal, dict[int, float]]], change: Decimal, days: int
) -> None:
    before = [position(f"S{place}", *each) for place, each in enumerate(book)]
    quantity, price, changes = book[0]
    after = [position("S0", quantity + change, price, changes), *before[1:]]
    variance = profit_variance(before, before[0])
    scale = sum(float(each.exposure) for each in (*before, *after)) + 1
    for added, book_after in ((Decimal(0), before), (change, after)):
        found = float(variance.squared_value_at_risk(added, days).sqrt())
        assert found == pytest.approx(expected(book_after, days), rel=1e-9, abs=1e-7 * scale)


def test_one_position_has_the_value_at_risk_of_the_formula() -> None:
    held = position("S", Decimal(100), Decimal(50), {0: 0.01, 1: -0.02})
    weights = sum(0.94**age for age in range(74))
    deviation = math.sqrt((0.01**2 + 0.94 * 0.02**2) / weights)
    found = profit_variance([held], held).squared_value_at_risk(Decimal(0), 10).sqrt()
    assert float(found) == pytest.approx(5000 * 1.6448536269514722 * deviation * math.sqrt(10), rel=1e-12)


def test_a_perfect_hedge_has_no_value_at_risk() -> None:
    changes = {age: 0.01 * (-1) ** age for age in range(DAYS)}
    pair = [position("A", Decimal(3), Decimal(10), changes), position("B", Decimal(-6), Decimal(5), changes)]
    assert profit_variance(pair, pair[0]).squared_value_at_risk(Decimal(0), 1) == 0


def test_rounding_leaves_no_negative_variance() -> None:
    rounded = ProfitVariance(Decimal(1), Decimal("-1.0000000000000001"), Decimal(1))
    assert rounded.squared_value_at_risk(Decimal(1), 1) == 0


def test_a_return_compares_a_price_with_the_one_before_it_and_gaps_are_bridged() -> None:
    assert daily_returns({0: 110.0, 1: 100.0, 4: 80.0}) == pytest.approx({0: 0.1, 1: 0.25})
    assert daily_returns({DAYS: 100.0, DAYS - 1: 150.0, DAYS + 1: 50.0}) == {DAYS - 1: 0.5}
    assert daily_returns({3: 100.0}) == {}
