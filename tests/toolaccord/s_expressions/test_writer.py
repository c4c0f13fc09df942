"""The writer of S-expressions: no value becomes another expression."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
import sexpdata
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.toolaccord.s_expressions.strict import Pair, Word, read
from toolaccord.s_expressions.writer import encode

KEYS = st.from_regex(r"[a-z][a-z0-9_]*", fullmatch=True)
SYMBOLS = st.sampled_from(["sma", "ema", "half-leather", "x-1"])
SCALARS = (
    st.booleans()
    | st.integers()
    | st.floats(min_value=-1e308, max_value=1e308)
    | st.text()
    | st.text(alphabet="()\". \\;#'|[]\n\r\t\x00\x7f\u2028", max_size=12)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
EXAMPLE = {
    "action": "BACKTEST",
    "symbol": "USDJPY",
    "timeframe": [60],
    "candles_file": ["data/x.csv"],
    "strategy": {
        "name": "t",
        "sma_short": 10,
        "sl": 0.5,
        "tp": 1.0,
        "indicator_type": "sma",
        "filter_enabled": True,
    },
    "candles": [{"t": 1, "o": 1.5}],
    "request_id": "r1",
}


def datum(value: Any) -> Any:
    """Return the datum that an independent reader should find."""
    if isinstance(value, dict):
        return [Pair(Word(name), datum(member)) for name, member in value.items()]
    if isinstance(value, list):
        return [datum(item) for item in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


@given(VALUES)
def test_a_strict_reader_finds_exactly_the_value(value: Any) -> None:
    assert read(encode(value).decode()) == datum(value)


def in_sexpdata(value: Any) -> Any:
    """Return what sexpdata should find, to which a dot is one more symbol."""
    if isinstance(value, dict):
        return [[sexpdata.Symbol(name), sexpdata.Symbol("."), in_sexpdata(value[name])] for name in value]
    return [in_sexpdata(item) for item in value] if isinstance(value, list) else datum(value)


@given(VALUES)
def test_sexpdata_finds_the_same_value(value: Any) -> None:
    text = encode(value).decode()
    assume("\\u" not in text)  # an escape that sexpdata does not know
    assert sexpdata.loads(text, nil=None, true="#t", false="#f") == in_sexpdata(value)


@given(st.dictionaries(KEYS, VALUES, max_size=3), SYMBOLS, st.lists(SYMBOLS, max_size=3))
def test_symbols_stand_without_quotes_where_the_contract_says_and_nowhere_else(
    others: dict[str, Any], kind: str, colours: list[str]
) -> None:
    parts = [{"colour": colour, "kind": colour} for colour in colours]
    value = {**others, "kind": kind, "parts": parts, "colour": kind}
    found = {pair.key.text: pair.value for pair in read(encode(value, ("/kind", "/parts/*/colour")).decode())}
    assert found["kind"] == Word(kind)
    assert found["colour"] == kind
    assert found["parts"] == [[Pair(Word("colour"), Word(colour)), Pair(Word("kind"), colour)] for colour in colours]
    assert {name: found[name] for name in value.keys() - {"kind", "parts"}} == {
        name: datum(value[name]) for name in value.keys() - {"kind", "parts"}
    }


def test_the_message_of_the_bus_is_reproduced_byte_for_byte() -> None:
    assert encode(EXAMPLE, ["/strategy/indicator_type"]) == (
        b'((action . "BACKTEST") (symbol . "USDJPY") (timeframe . (60)) (candles_file . ("data/x.csv")) '
        b'(strategy . ((name . "t") (sma_short . 10) (sl . 0.5) (tp . 1) (indicator_type . sma) '
        b'(filter_enabled . #t))) (candles . (((t . 1) (o . 1.5)))) (request_id . "r1"))'
    )


@pytest.mark.parametrize(
    "value, text",
    [
        ({}, "()"),
        ([], "()"),
        ([[]], "(())"),
        ([[1], [[2, 3]]], "((1) ((2 3)))"),
        ({"a": None, "b": False}, "((b . #f))"),
        (-0.0, "-0"),
        (1e300, "1e+300"),
        (0.1 + 0.2, "0.3"),
        (5e-324, "4.940656458e-324"),
        (12345678901.5, "1.23456789e+10"),
        (10**30, "1" + "0" * 30),
        ("é\u2028\x7f😀", '"é\u2028\x7f😀"'),
        ('\x00\x1b\n\\"/', '"\\u0000\\u001b\\n\\\\\\"/"'),
    ],
)
def test_a_value_has_one_text(value: Any, text: str) -> None:
    assert encode(value).decode() == text


@pytest.mark.parametrize("name", ["", "A", "a b", "a)", "a.b", "1a", "a-b", "a\n", "é", "x) (type"])
def test_a_name_that_is_no_key_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be a key"):
        encode({"outer": [{name: 1}]})


@pytest.mark.parametrize("text", ["", "SMA", "sma)", "a b", "nil", "t", "nan", "sma\n", "#t", "1"])
def test_a_text_that_is_no_symbol_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be a symbol"):
        encode({"kind": text}, ["/kind"])


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, sys.float_info.max])
def test_a_number_that_is_not_finite_in_ten_digits_is_rejected(number: float) -> None:
    with pytest.raises(ValueError, match="no S-expression"):
        encode([number])


def test_text_that_is_not_unicode_is_rejected() -> None:
    with pytest.raises(ValueError, match="not Unicode"):
        encode({"name": "\ud800"})


@pytest.mark.parametrize("value", [[None], b"bytes", {"a": {1}}, (1, 2)])
def test_a_value_of_another_type_is_rejected(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)
