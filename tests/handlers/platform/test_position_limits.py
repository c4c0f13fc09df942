"""Every limit against the same in fractions, and the properties of a check.

The rules are those of docs/risk.md: an order violates a limit if the limited value would be above the threshold and
above the value without the order.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handlers.platform.exposure import Position
from handlers.platform.history import History
from handlers.platform.position_limits import MEASURES, Assessment, Limit, Order, assess

SYMBOL = "S0"
EXACT = [each for each in MEASURES if each != "max_value_at_risk"]
"""Types whose value is a rational number."""
LARGEST = {"max_concentration": "1"}

units = st.one_of(st.just(Decimal(0)), st.decimals("-1000", "1000", places=3))
prices = st.decimals("0.01", "1000", places=2)
histories = st.sets(st.integers(2, 74), max_size=5).flatmap(
    lambda days: st.fixed_dictionaries({day: st.floats(90, 110) for day in {0, 1, *days}})
)
"""Prices by age in days; all instruments have one of today and one of yesterday."""
steps = st.sampled_from([Decimal("0.001"), Decimal("0.3"), Decimal(1), Decimal(100)])


@st.composite
def portfolios(draw: st.DrawFn) -> list[Position]:
    """Draw positions in up to four instruments, the ordered one first."""
    return [
        Position(
            symbol=f"S{place}",
            quantity=draw(units),
            price=draw(prices),
            group=draw(st.sampled_from([None, "one", "two"])),
            history=History(draw(histories)),
        )
        for place in range(draw(st.integers(1, 4)))
    ]


@st.composite
def all_limits(draw: st.DrawFn, kinds: Any = tuple(MEASURES)) -> list[Limit]:
    """Draw a limit of each of *kinds*."""
    return [
        Limit(
            rule_name=kind,
            limit_type=kind,
            threshold=draw(st.decimals("0", LARGEST.get(kind, "300000"), places=2)),
        )
        for kind in kinds
    ]


quantities = st.floats(0.001, 10_000)
orders = st.builds(
    Order,
    symbol=st.just(SYMBOL),
    quantity=quantities,
    sign=st.sampled_from([1, -1]),
    days=st.sampled_from([1, 10]),
    step=steps,
)


def resized(order: Order, quantity: float) -> Order:
    return Order(symbol=order.symbol, quantity=quantity, sign=order.sign, days=order.days, step=order.step)


def measured(kind: str, book: list[Position], change: Fraction) -> Fraction:
    """Return the limited value after a change of the first position."""
    first, *others = book
    held = abs(Fraction(first.quantity) + change)
    exposure = held * Fraction(first.price)
    rest = sum((abs(Fraction(each.quantity)) * Fraction(each.price) for each in others), Fraction(0))
    same = [each for each in others if first.group and each.group == first.group]
    correlated = sum((abs(Fraction(each.quantity)) * Fraction(each.price) for each in same), Fraction(0))
    share = exposure / (exposure + rest) if rest else Fraction(1)
    return {
        "position_limit_per_symbol": held,
        "max_position_value": exposure,
        "max_total_exposure": rest + exposure,
        "max_concentration": share,
        "max_correlated_exposure": correlated + exposure,
    }[kind]


@given(portfolios(), all_limits(EXACT), orders)
def test_every_limit_is_what_it_is_in_fractions(book: list[Position], limits: list[Limit], order: Order) -> None:
    change = order.sign * Fraction(repr(order.quantity))
    found = assess(book, limits, order)
    for each in found.checked:
        kind, threshold = each.limit.limit_type, Fraction(each.limit.threshold)
        before, after = measured(kind, book, Fraction(0)), measured(kind, book, change)
        assert float(each.value) == pytest.approx(float(after), rel=1e-15)
        assert each.violated == (after > threshold and after > before), kind
    assert found.allowed == (not any(each.violated for each in found.checked))
    assert found.exposure == pytest.approx(float(measured("max_total_exposure", book, change)), rel=1e-15)
    assert found.concentration == pytest.approx(float(measured("max_concentration", book, change)), rel=1e-15)
    used = [measured(limit.limit_type, book, change) / Fraction(limit.threshold) for limit in limits if limit.threshold]
    if len(used) == len(limits):
        assert found.utilization == pytest.approx(float(min(max(used), Fraction(1))), rel=1e-15)


@given(portfolios(), all_limits(), orders)
def test_the_largest_quantity_is_allowed_and_a_step_more_is_not(
    book: list[Position], limits: list[Limit], order: Order
) -> None:
    largest = assess(book, limits, order).max_quantity
    assert 0 <= largest <= 1e12
    steps = Fraction(repr(largest)) / Fraction(order.step)
    assert float(round(steps) * Fraction(order.step)) == largest
    if largest > 0:
        assert assess(book, limits, resized(order, largest)).allowed
    if largest < 1e12 - float(order.step):
        more = float((round(steps) + 1) * Fraction(order.step))
        assert not assess(book, limits, resized(order, more)).allowed


@given(portfolios(), all_limits(), orders, quantities)
def test_whoever_may_order_more_may_order_less(
    book: list[Position], limits: list[Limit], order: Order, other: float
) -> None:
    more, less = sorted((order.quantity, other), reverse=True)
    if assess(book, limits, resized(order, more)).allowed:
        assert assess(book, limits, resized(order, less)).allowed


@given(portfolios(), all_limits(), st.fractions(0, 2), st.sampled_from([1, 10]))
def test_a_position_can_always_be_reduced_whatever_the_limits_on_exposure(
    book: list[Position], limits: list[Limit], part: Fraction, days: int
) -> None:
    held = book[0].quantity
    quantity = float(part * abs(Fraction(held)))
    assume(0 < Fraction(repr(quantity)) <= 2 * abs(Fraction(held)))
    order = Order(symbol=SYMBOL, quantity=quantity, sign=-1 if held > 0 else 1, days=days, step=Decimal("0.001"))
    found = assess(book, limits, order)
    assert {each.limit.limit_type for each in found.checked if each.violated} <= {"max_value_at_risk"}


@given(portfolios(), orders)
def test_value_at_risk_is_limited_like_the_rest_and_a_hedge_is_never_rejected(
    book: list[Position], order: Order
) -> None:
    nothing = Limit(rule_name="none", limit_type="max_value_at_risk", threshold=Decimal(0))
    found = assess(book, [nothing], order)
    assert found.allowed or found.var_impact >= 0
    assert found.allowed == (found.var_impact <= 0) or found.var_impact == pytest.approx(0, abs=1e-6)


def check(
    *limits: tuple[str, str], held: str = "0", quantity: float = 1.0, sign: int = 1, other: str = "10"
) -> Assessment:
    """Check an order beside *other* units in the same group; both prices are always 10."""
    still = {0: 10.0, 1: 10.0}
    book = [
        Position(symbol=SYMBOL, quantity=Decimal(held), price=Decimal(10), group="one", history=History(still)),
        Position(symbol="S1", quantity=Decimal(other), price=Decimal(10), group="one", history=History(still)),
    ]
    rules = [Limit(rule_name=kind, limit_type=kind, threshold=Decimal(most)) for kind, most in limits]
    return assess(book, rules, Order(symbol=SYMBOL, quantity=quantity, sign=sign, days=1, step=Decimal("0.5")))


@pytest.mark.parametrize(
    "kind, most, largest",
    [
        ("position_limit_per_symbol", "7.2", 7.0),
        ("max_position_value", "75", 7.5),
        ("max_position_value", "74.99", 7.0),
        ("max_total_exposure", "175", 7.5),
        ("max_correlated_exposure", "175", 7.5),
        ("max_concentration", "0.3", 4.0),
        ("max_concentration", "0.5", 10.0),
        ("max_position_value", "0", 0.0),
        ("max_value_at_risk", "0", 1e12),
    ],
)
def test_the_borders_of_each_limit(kind: str, most: str, largest: float) -> None:
    assert check((kind, most)).max_quantity == largest


def test_of_several_limits_the_narrowest_counts() -> None:
    found = check(("max_position_value", "75"), ("position_limit_per_symbol", "3"), quantity=5.0)
    assert (found.allowed, found.max_quantity) == (False, 3.0)
    assert [each.violated for each in found.checked] == [False, True]


def test_a_position_above_its_limit_can_be_turned_around_but_not_enlarged() -> None:
    limit = ("position_limit_per_symbol", "5")
    assert check(limit, held="8", sign=1).max_quantity == 0.0
    assert check(limit, held="8", sign=-1).max_quantity == 16.0
    assert check(limit, held="-3", sign=-1).max_quantity == 2.0


def test_a_portfolio_of_one_instrument_has_no_limit_of_concentration() -> None:
    found = check(("max_concentration", "0.3"), other="0", quantity=100.0)
    assert (found.allowed, found.concentration, found.max_quantity) == (True, 1.0, 1e12)


def test_no_limit_leaves_the_largest_quantity_of_the_contract() -> None:
    assert (check().max_quantity, check().utilization, check().allowed) == (1e12, 0.0, True)
