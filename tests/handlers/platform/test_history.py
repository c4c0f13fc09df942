"""Histories of prices as the database writes them."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from handlers.platform.history import DAYS, read_history

prices = st.decimals("0.000000000000000001", "999999999999999", places=18)
histories = st.dictionaries(st.integers(0, 500), prices, min_size=1, max_size=DAYS + 1)


def text_of(history: dict[int, Decimal]) -> str:
    return ",".join(f"{age} {price:f}" for age, price in history.items())


@given(histories)
def test_a_history_has_the_prices_of_its_text_in_any_order(history: dict[int, Decimal]) -> None:
    read, newest = read_history(text_of(history))
    assert read.prices == {age: float(price) for age, price in history.items()}
    assert read.days == tuple(sorted(history))
    assert newest == history[min(history)]


def test_a_history_is_read_once_until_a_price_changes() -> None:
    first, _ = read_history("0 1.1,1 1.09,2 1.1")
    again, _ = read_history("0 1.1,1 1.09,2 1.1")
    changed, newest = read_history("0 1.2,1 1.09,2 1.1")
    assert again is first
    assert changed is not first
    assert newest == Decimal("1.2")
    assert changed.returns != first.returns
