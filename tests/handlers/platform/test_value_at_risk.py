"""Value at risk against the same by the matrix of deviations and correlations."""

import math
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.platform.exposure import Position
from handlers.platform.history import DAYS, History
from handlers.platform.value_at_risk import ProfitVariance, profit_variance, shared_days

histories = st.sets(st.integers(3, DAYS), max_size=8).flatmap(
    lambda days: st.fixed_dictionaries({day: st.floats(80, 120) for day in {0, 1, 2, *days}})
)
units = st.decimals("-1000", "1000", places=3)
books = st.lists(st.tuples(units, st.decimals("0.01", "1000", places=2), histories), min_size=1, max_size=4)
WEEK = tuple(age for age in range(105) if age % 7 not in {5, 6})
"""The ages of the newest 75 days of a market that rests on two of seven days."""
EVERY_DAY = tuple(range(75))


def position(name: str, quantity: Decimal, price: Decimal, daily_prices: dict[int, float]) -> Position:
    return Position(symbol=name, quantity=quantity, price=price, history=History(daily_prices))


def alternating(days: tuple[int, ...], change: float = 0.01) -> dict[int, float]:
    """Return prices that go up and down by *change*, the newest 100."""
    prices = {days[0]: 100.0}
    for place, (newer, older) in enumerate(pairwise(days)):
        prices[older] = prices[newer] / (1 + change * (-1) ** place)
    return prices


def weighted_mean(products: list[float]) -> float:
    weights = [0.94**age for age in range(len(products))]
    return sum(weight * product for weight, product in zip(weights, products, strict=True)) / sum(weights)


def returns(prices: dict[int, float], days: list[int]) -> list[float]:
    return [prices[newer] / prices[older] - 1 for newer, older in pairwise(days)]


def deviation(prices: dict[int, float], days: list[int]) -> float:
    return math.sqrt(weighted_mean([change**2 for change in returns(prices, days)]))


def covariance(one: Position, other: Position, shared: list[int]) -> float:
    """Return the deviations of all days times the correlation of *shared* ones."""
    first, second = dict(one.history.prices), dict(other.history.prices)
    products = [a * b for a, b in zip(returns(first, shared), returns(second, shared), strict=True)]
    of_shared = deviation(first, shared) * deviation(second, shared)
    of_all = deviation(first, sorted(first)) * deviation(second, sorted(second))
    return of_all * weighted_mean(products) / of_shared if of_shared else of_all * (one is other)


def expected(positions: list[Position], days: int) -> float:
    """Return 1.645 standard deviations of the profit over *days*."""
    shared = sorted(set.intersection(*(set(each.history.prices) for each in positions)))
    variance = sum(
        float(one.quantity * one.price) * float(other.quantity * other.price) * covariance(one, other, shared)
        for one in positions
        for other in positions
    )
    return 1.6448536269514722 * math.sqrt(max(variance, 0) * days)


@given(books, units, st.sampled_from([1, 10]))
def test_value_at_risk_is_that_of_the_covariance_matrix(
    book: list[tuple[Decimal, Decimal, dict[int, float]]], change: Decimal, days: int
) -> None:
    before = [position(f"S{place}", *each) for place, each in enumerate(book)]
    quantity, price, prices = book[0]
    after = [position("S0", quantity + change, price, prices), *before[1:]]
    variance = profit_variance(before, before[0])
    scale = sum(float(each.exposure) for each in (*before, *after)) + 1
    for added, book_after in ((Decimal(0), before), (change, after)):
        found = float(variance.squared_value_at_risk(added, days).sqrt())
        assert found == pytest.approx(expected(book_after, days), rel=1e-9, abs=1e-6 * scale)


def test_an_instrument_that_moves_between_shared_days_only_correlates_with_no_other() -> None:
    rests = position("S0", Decimal(1), Decimal(80), {0: 80.0, 1: 80.0, 2: 80.0, 3: 81.0})
    other = position("S1", Decimal(1), Decimal(80), {0: 80.0, 1: 80.0, 2: 83.0})
    found = profit_variance([rests, other], rests).squared_value_at_risk(Decimal(0), 1).sqrt()
    assert float(found) == pytest.approx(expected([rests, other], 1), rel=1e-12)


def test_one_position_has_the_value_at_risk_of_the_formula() -> None:
    held = position("S", Decimal(100), Decimal(50), {0: 99.0, 3: 110.0, 4: 100.0})
    deviation = math.sqrt((0.1**2 + 0.94 * 0.1**2) / 1.94)
    found = profit_variance([held], held).squared_value_at_risk(Decimal(0), 10).sqrt()
    assert float(found) == pytest.approx(5000 * 1.6448536269514722 * deviation * math.sqrt(10), rel=1e-12)


@pytest.mark.parametrize("age", range(7))
def test_a_day_without_trading_changes_no_figure_on_any_day_of_the_week(age: int) -> None:
    days = tuple(day + age for day in WEEK)
    held = position("EURUSD", Decimal(1000), Decimal(100), alternating(days))
    found = profit_variance([held], held).squared_value_at_risk(Decimal(0), 1).sqrt()
    assert float(found) == pytest.approx(100_000 * 1.6448536269514722 * 0.01, rel=1e-12)


def test_a_position_of_another_calendar_adds_no_more_than_its_own_risk() -> None:
    coin = position("BTC/USD", Decimal(1), Decimal(100_000), alternating(EVERY_DAY, 0.02))
    alone = profit_variance([coin], coin).squared_value_at_risk(Decimal(0), 1).sqrt()
    assert float(alone) == pytest.approx(100_000 * 1.6448536269514722 * 0.02, rel=1e-12)
    for units in (0, 1):
        pair = [coin, position("EURUSD", Decimal(units), Decimal(1), alternating(WEEK))]
        both = profit_variance(pair, pair[1]).squared_value_at_risk(Decimal(0), 1).sqrt()
        assert float(both) == pytest.approx(float(alone), abs=0.02 * units + 1e-9)


def test_what_moves_while_another_market_rests_belongs_to_the_next_shared_day() -> None:
    share = {0: 110.0, 3: 100.0, 4: 105.0}
    coin = {0: 220.0, 1: 205.0, 2: 190.0, 3: 200.0, 4: 210.0}  # the same from one shared day to the next
    pair = [position("A", Decimal(1), Decimal(1), share), position("B", Decimal(1), Decimal(1), coin)]
    assert shared_days(pair) == (0, 3, 4)
    found = profit_variance(pair, pair[0])
    deviations = [deviation(prices, sorted(prices)) for prices in (share, coin)]
    assert float(found.constant) == pytest.approx(sum(deviations) ** 2, rel=1e-12)  # their correlation is 1


def test_an_instrument_that_moves_between_shared_days_only_has_its_own_risk() -> None:
    share = {0: 110.0, 2: 100.0, 4: 110.0}
    coin = {0: 200.0, 1: 210.0, 2: 200.0, 3: 190.0, 4: 200.0}
    held = [position("A", Decimal(0), Decimal(1), share), position("B", Decimal(1), Decimal(1), coin)]
    found = profit_variance(held, held[0]).constant
    assert float(found) == pytest.approx(deviation(coin, sorted(coin)) ** 2, rel=1e-12)


def test_a_perfect_hedge_has_no_value_at_risk() -> None:
    prices = alternating(EVERY_DAY)
    pair = [position("A", Decimal(3), Decimal(10), prices), position("B", Decimal(-6), Decimal(5), prices)]
    assert profit_variance(pair, pair[0]).squared_value_at_risk(Decimal(0), 1) == 0


def test_rounding_leaves_no_negative_variance() -> None:
    rounded = ProfitVariance(Decimal(1), Decimal("-1.0000000000000001"), Decimal(1))
    assert rounded.squared_value_at_risk(Decimal(1), 1) == 0
