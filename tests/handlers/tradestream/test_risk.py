"""The risk rules against the same written down a second time, in fractions.

The rules are those of docs/decisions/0005-portfolio-decisions-and-specs.md: a trade that costs more than the available
balance cannot be paid; one that costs more than a tenth of it is too large; the risk score is the cost as a share of
the available balance, at most 1; a trade closes open positions of the other side first, and only the excess is judged.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.tradestream.risk import LARGEST_SIZE, Trade, assess

TENTH = Fraction(1, 10)

amounts = st.decimals("0.000001", "1000000000", places=6, allow_nan=False)
trades = st.builds(
    Trade,
    size=amounts,
    price=amounts,
    closes=st.one_of(st.just(Decimal(0)), amounts),
    available=st.decimals("-1000000", "1000000000000", places=6, allow_nan=False),
)


def trade(**given_values: str) -> Trade:
    values = {"size": "1", "price": "100", "closes": "0", "available": "1000"} | given_values
    return Trade(**{name: Decimal(value) for name, value in values.items()})


def cost(size: Fraction, of: Trade) -> Fraction:
    """Return the cost of *size*, less the part that closes a position."""
    return max(size - Fraction(of.closes), Fraction(0)) * Fraction(of.price)


@given(trades)
def test_every_rule_is_what_it_is_in_fractions(proposed: Trade) -> None:
    found = assess(proposed)
    spent, available = cost(Fraction(proposed.size), proposed), Fraction(proposed.available)
    assert Fraction(found.notional) == spent
    assert found.is_affordable == (spent == 0 or spent <= available)
    assert found.is_small_enough == (spent <= max(available * TENTH, Fraction(0)))
    share = 0 if spent == 0 else 1 if available <= 0 else min(spent / available, Fraction(1))
    assert found.risk_score == pytest.approx(float(share), rel=1e-15)


@given(trades)
def test_the_largest_size_is_allowed_and_nothing_much_larger_is(proposed: Trade) -> None:
    largest = Fraction(repr(assess(proposed).max_size))
    allowed = max(Fraction(proposed.available) * TENTH, Fraction(0))
    assert cost(largest, proposed) <= allowed
    larger = largest * (1 + Fraction(2, 10**14))
    assert cost(larger, proposed) >= allowed or largest == 0 == allowed or largest == LARGEST_SIZE


@given(trades, st.integers(0, 10**6))
def test_a_trade_that_only_reduces_is_always_allowed(proposed: Trade, part: int) -> None:
    """Whatever is available, and whatever the price."""
    found = assess(replace(proposed, size=proposed.closes * part / 10**6))
    assert (found.is_affordable, found.is_small_enough, found.risk_score) == (True, True, 0)


@given(trades)
def test_a_trade_that_turns_a_position_is_judged_like_its_excess_alone(proposed: Trade) -> None:
    turning = assess(replace(proposed, size=proposed.size + proposed.closes))
    assert replace(turning, max_size=0) == replace(assess(replace(proposed, closes=Decimal(0))), max_size=0)


@pytest.mark.parametrize(
    "proposed, expected",
    [
        (trade(size="1", price="100", available="1000"), {"is_small_enough": True, "risk_score": 0.1, "max_size": 1.0}),
        (trade(size="1.000001"), {"is_small_enough": False, "is_affordable": True}),
        (trade(size="10"), {"is_affordable": True, "is_small_enough": False, "risk_score": 1.0}),
        (trade(size="10.000001"), {"is_affordable": False, "risk_score": 1.0}),
        (trade(size="3", price="0.1", available="3"), {"is_small_enough": True, "risk_score": 0.1}),
        (trade(size="5", closes="5", available="0"), {"is_affordable": True, "is_small_enough": True, "risk_score": 0}),
        (trade(size="5", closes="4", available="0"), {"is_affordable": False, "max_size": 4.0}),
        (trade(size="5", closes="4"), {"is_small_enough": True, "risk_score": 0.1, "max_size": 5.0}),
        (trade(size="1", available="-5"), {"is_affordable": False, "max_size": 0.0, "risk_score": 1.0}),
        (trade(price="5e-324"), {"is_small_enough": True, "max_size": 1e12}),
        (trade(size="4", closes="5", available="-5"), {"is_affordable": True, "is_small_enough": True}),
    ],
)
def test_the_borders_of_the_rules(proposed: Trade, expected: dict[str, Any]) -> None:
    found = assess(proposed)
    assert {name: getattr(found, name) for name in expected} == expected
