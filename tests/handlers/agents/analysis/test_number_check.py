"""Numbers of texts against the results of tools."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.agents.analysis.number_check import find_unsupported
from handlers.agents.analysis.numerals import Language, write_number, write_percent

RESULTS: list[dict[str, Any]] = [
    {
        "metadata": {"ticker": "X5", "as_of": "2026-11-20T16:25:43+03:00", "from_date": "2026-10-01"},
        "data": {
            "last_price": 301.5,
            "price_change_abs": -2.4,
            "price_change_pct": -0.79,
            "value": 6491203045,
            "volume": 21450030,
        },
        "metrics": {"annualized_volatility": 25.125},
    }
]


@pytest.mark.parametrize(
    "language, text",
    [
        ("ru", "Цена 301,5 руб., снижение на 0,79 %."),
        ("ru", "Цена 301.50, изменение −0,79% (−2,4 руб.)"),
        ("ru", "Около 302 рублей, волатильность 25,1 процента."),
        ("ru", "Оборот 6,49 млрд руб., объём 21,5 миллиона акций, или 21 450 030."),
        ("ru", "Объём 21\u00a0450\u00a0030, 21450 тыс. штук"),
        ("ru", "На 20.11.2026 16:25, с 1 октября 2026 года; 20 ноября; в ноябре 2026; 2026 год."),
        ("en", "The price of X5 is 301.5, down 0.79% (-2.4)."),
        ("en", "Value 6,491,203,045; 6.5bn; volume 21.5 million."),
        ("en", "At 16:25 on November 20, 2026, since 2026-10-01, in October 2026, in 2026."),
    ],
)
def test_a_number_of_a_result_is_supported(language: Language, text: str) -> None:
    assert find_unsupported(text, RESULTS, language) == ()


@pytest.mark.parametrize(
    "language, text, unsupported",
    [
        ("ru", "Цена 301,6 руб.", "301,6"),
        ("ru", "Цена 300 руб.", "300"),
        ("ru", "Рост на +0,79 %", "+0,79 %"),
        ("ru", "Рост на 301,5 %", "301,5 %"),
        ("ru", "Оборот 6,49 млн", "6,49 млн"),
        ("ru", "21.11.2026", "21.11.2026"),
        ("ru", "в 17:25", "17:25"),
        ("ru", "в декабре 2026", "декабре 2026"),
        ("ru", "в 2027 году", "2027 году"),
        ("ru", "X6", "6"),
        ("ru", "цена на7 руб.", "7"),
        ("ru", "выросла вдвое, на ½", "½"),
        ("ru", "объём 21 450 031", "21 450 031"),
        ("en", "November 21", "november 21"),
        ("en", "in 2025", "in 2025"),
        ("en", "value 6,491,203,046", "6,491,203,046"),
    ],
)
def test_a_number_of_no_result_is_found(language: Language, text: str, unsupported: str) -> None:
    assert find_unsupported(text, RESULTS, language) == (unsupported,)


def test_a_name_of_the_question_is_no_number() -> None:
    assert find_unsupported("A7B2: такой бумаги нет", [], names=["A7B2"]) == ()
    assert find_unsupported("A7B2: такой бумаги нет", []) == ("7", "2")


NUMBERS = st.floats(-1e12, 1e12, allow_nan=False) | st.integers(-(10**15), 10**15)


@given(NUMBERS, st.sampled_from(["ru", "en"]), st.sampled_from([None, 0, 1, 2, 4]))
def test_a_written_number_stands_in_the_result_from_which_it_is_written(
    number: float, language: Language, decimals: int | None
) -> None:
    text = f"= {write_number(number, language, decimals)}."
    assert find_unsupported(text, [{"price": number}], language) == ()
    percent = write_percent(number, language, signed=True)
    assert find_unsupported(percent, [{"change_pct": number}], language) == ()


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.sampled_from(["ru", "en"]))
def test_a_different_number_is_found(hundredths: int, other: int, language: Language) -> None:
    written, known = Decimal(hundredths) / 100, Decimal(other) / 100
    text = write_number(float(written), language, 2)
    is_equal = abs(written) == abs(known) if written >= 0 else written == known
    assert (find_unsupported(text, [float(known)], language) == ()) == is_equal
