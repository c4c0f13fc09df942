"""Forms in which texts write numbers, dates and times."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts
from handlers.agents.claims.numbers import find_numbers
from handlers.agents.numerals import Language, write_number, write_percent
from tests.handlers.agents.analysis.analyst import MENTIONS


def facts_of(price: float = 301.5, change: float = -0.79) -> Facts:
    """Return the facts of one security."""
    facts = Facts(currency="RUB")
    data = {
        "last_price": price,
        "price_change_abs": -2.4,
        "price_change_pct": change,
        "value": 6491203045,
        "volume": 21450030,
    }
    metadata = {"ticker": "X5", "as_of": "2026-11-20T16:25:43+03:00"}
    period = {"metadata": {"from_date": "2026-10-01"}, "metrics": {"annualized_volatility": 25.125}}
    facts.add_result({"metadata": metadata, "data": data}, "X5", "security")
    facts.add_result(period, "X5", "security")
    return facts


def find(text: str, language: Language, facts: Facts | None = None) -> tuple[str, ...]:
    return find_false_claims(text, facts or facts_of(), language, MENTIONS)


@pytest.mark.parametrize(
    "language, text",
    [
        ("ru", "Цена 301,5 руб., снижение на 0,79 %."),
        ("ru", "Цена 301.50, изменение −0,79% (−2,4 руб.)"),
        ("ru", "Цена около 302 рублей, волатильность 25,1 процента."),
        ("ru", "Оборот 6,49 млрд руб., объём 21,5 миллиона акций, или 21 450 030."),
        ("ru", "Объём 21\u00a0450\u00a0030, 21450 тыс. штук"),
        ("ru", "На 20.11.2026 16:25, с 1 октября 2026 года; 20 ноября; в ноябре 2026; 2026 год."),
        ("en", "The price of X5 is 301.5, down 0.79% (-2.4)."),
        ("en", "Value 6,491,203,045; value 6.5bn; volume 21.5 million."),
        ("en", "At 16:25 on November 20, 2026, since 2026-10-01, in October 2026, in 2026."),
    ],
)
def test_a_number_of_a_result_is_supported(language: Language, text: str) -> None:
    assert find(text, language) == ()


@pytest.mark.parametrize(
    "language, text, unsupported",
    [
        ("ru", "Цена 301,6 руб.", "301,6 руб."),
        ("ru", "Цена 300 руб.", "300 руб."),
        ("ru", "Оборот 6,49 млн", "6,49 млн"),
        ("ru", "21.11.2026", "21.11.2026"),
        ("ru", "в 17:25", "17:25"),
        ("ru", "в декабре 2026", "декабре 2026"),
        ("ru", "в 2027 году", "2027 году"),
        ("ru", "X6", "6"),
        ("ru", "цена на7 руб.", "7 руб."),
        ("ru", "объём 21 450 031", "21 450 031"),
        ("en", "November 21", "november 21"),
        ("en", "in 2025", "in 2025"),
        ("en", "value 6,491,203,046", "6,491,203,046"),
    ],
)
def test_a_number_of_no_result_is_found(language: Language, text: str, unsupported: str) -> None:
    assert find(text, language) == (unsupported,)


@pytest.mark.parametrize(
    "text, value",
    [
        ("two percent", "2"),
        ("twenty-five", "25"),
        ("one hundred and five", "105"),
        ("3.5 million", "3500000"),
        ("два процента", "2"),
        ("сто двадцать пять", "125"),
        ("пятьсот", "500"),
    ],
)
def test_number_words_have_their_value(text: str, value: str) -> None:
    (number,) = find_numbers(text, "en")
    assert number.value == Decimal(value)


NUMBERS = st.floats(-1e12, 1e12, allow_nan=False) | st.integers(-(10**15), 10**15)


@given(NUMBERS, st.sampled_from(["ru", "en"]), st.sampled_from([None, 0, 1, 2, 4]))
def test_a_written_number_stands_in_the_result_from_which_it_is_written(
    number: float, language: Language, decimals: int | None
) -> None:
    price = "Price" if language == "en" else "Цена"
    assert find(f"{price}: {write_number(number, language, decimals)}.", language, facts_of(price=number)) == ()
    change = "Change" if language == "en" else "Изменение"
    written = write_percent(number, language, signed=True)
    assert find(f"{change}: {written}", language, facts_of(change=number)) == ()


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.sampled_from(["ru", "en"]))
def test_a_different_number_is_found(hundredths: int, other: int, language: Language) -> None:
    written, known = Decimal(hundredths) / 100, Decimal(other) / 100
    price = "Price" if language == "en" else "Цена"
    text = f"{price}: {write_number(float(written), language, 2)}"
    assert (find(text, language, facts_of(price=float(known))) == ()) == (written == known)
