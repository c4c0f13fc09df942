"""The reader of S-expressions: a JSON value, or one error for any other text."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolaccord.s_expressions.test_writer import EXAMPLE, KEYS, VALUES
from toolaccord.s_expressions.reader import SExpressionError, parse
from toolaccord.s_expressions.writer import encode

NOISE = st.text(alphabet="()\". \\;#'`,|[]{}:-+.0123456789eEdtTnilaf\n\t\r\x00é\u00a0\u2028", max_size=60)
SECONDS_PER_TEXT = 5
"""Far above what any text takes, and far below a time that grows with the square."""


def form(value: Any) -> Any:
    """Return the value that the reader makes of what the writer wrote."""
    if isinstance(value, dict):
        return {name: form(member) for name, member in value.items()} or []
    if isinstance(value, list):
        return [form(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.10g}")
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


@given(VALUES)
def test_a_written_value_is_read_back(value: Any) -> None:
    assert parse(encode(value)) == form(value)


@given(st.dictionaries(KEYS, st.sampled_from(["sma", "half-leather"]), min_size=1))
def test_written_symbols_are_read_back_as_text(value: dict[str, str]) -> None:
    assert parse(encode(value, [f"/{name}" for name in value])) == value


def test_the_message_of_the_bus_is_read_back() -> None:
    assert parse(encode(EXAMPLE, ["/strategy/indicator_type"])) == EXAMPLE


@pytest.mark.parametrize(
    "text, value",
    [
        ("((schema-version . 1) (HEAP_USED_MB . 117.7))", {"schema_version": 1, "heap_used_mb": 117.7}),
        ("((:a . 1) (swimmy::b-c . 2))", {"a": 1, "b_c": 2}),
        ('((candles_file "x.csv") (timeframe 60))', {"candles_file": ["x.csv"], "timeframe": [60]}),
        ("((strategy (name . t) (sl . 0.5)))", {"strategy": {"name": True, "sl": 0.5}}),
        ("((candles ((t . 1) (o . 1.5)) ((t . 2))))", {"candles": [{"t": 1, "o": 1.5}, {"t": 2}]}),
        ("((a . 1) (a . 2) (A . 3))", {"a": 1}),
        ("((a . nil) (b . NIL) (c . null) (d . ()) (e))", {"a": None, "b": None, "c": None, "d": [], "e": []}),
        ("(t T #t true #f false)", [True, True, True, True, False, False]),
        ("(a . (b . (c . ())))", ["a", "b", "c"]),
        ("((#t) (#f))", [[True], [False]]),
        ("(1 . (2 3))", [1, 2, 3]),
        ("ONLINE", "ONLINE"),
        ("(1 +5 -0 12. .5 1. 1e3 1.5d0 -2.5E-3 1f2)", [1, 5, 0, 12, 0.5, 1, 1000.0, 1.5, -0.0025, 100.0]),
        ("(nan inf -inf 1e999 -1d999)", [None] * 5),
        ("(NaN -nan +inf Infinity -Infinity +inf.0 -inf.0 +nan.0)", [None] * 8),
        ("(#.SB-EXT:DOUBLE-FLOAT-POSITIVE-INFINITY #.ext:single-float-negative-infinity)", [None] * 2),
        ("((sharpe . #<DOUBLE-FLOAT quiet NaN>) (trades . 1))", {"sharpe": None, "trades": 1}),
        ("(info nano infinite -infinities)", ["info", "nano", "infinite", "-infinities"]),
        ("(1_000 1/2 + - ... -a 1e ١٢)", ["1_000", "1/2", "+", "-", "...", "-a", "1e", "١٢"]),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 2.0**63),
        ('"a\\"b\\\\c\\u00e9\\n\n\t\x01d"', 'a"b\\cé\n\n\t\x01d'),
        ('"\\ud83d\\ude00"', "😀"),
        ('; a comment (\n(a ; another "\n)', ["a"]),
        ("(" * 64 + ")" * 64, orjson.loads("[" * 64 + "]" * 64)),
    ],
)
def test_a_text_has_one_value(text: str, value: Any) -> None:
    assert parse(text.encode()) == value
    assert orjson.dumps(parse(text.encode())) == orjson.dumps(value)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "not one expression"),
        ("; nothing", "not one expression"),
        ("1 2", "not one expression"),
        (".", "not one expression"),
        ("(a", "does not end"),
        ('("a', "does not end"),
        ('("a\\")', "does not end"),
        (")", "closes no list"),
        ("(a))", "closes no list"),
        ("(. a)", "a dot stands"),
        ("(a .)", "a dot stands"),
        ("(a . b c)", "a dot stands"),
        ("(a . b . c)", "a dot stands"),
        ("(a . .)", "a dot stands"),
        ("(.)", "a dot stands"),
        ("(a b . c)", "several values"),
        ("(a . (b . c))", "several values"),
        ("(a . 1)", "outside of a list of entries"),
        ("((a . 1) 2)", "outside of a list of entries"),
        ('(("a" . 1))', "outside of a list of entries"),
        ("'a", "begins no value"),
        ("#(1 2)", "begins no value"),
        ("#true", "begins no value"),
        ("|a b|", "begins no value"),
        ("[a]", "begins no value"),
        ("a\\ b", "begins no value"),
        ('"\\x41"', "an escape that JSON lacks"),
        ('"a\\\nb"', "begins no value"),
        ('"a\\\0b"', "begins no value"),
        ('"\\ud800"', "an escape that JSON lacks"),
        ("(" * 65 + ")" * 65, "more than 64 levels"),
        ("(" * 65_536, "more than 64 levels"),
    ],
)
def test_any_other_text_is_one_kind_of_error(text: str, reason: str) -> None:
    with pytest.raises(SExpressionError, match=reason):
        parse(text.encode())


def test_bytes_that_are_not_utf8_are_the_same_error() -> None:
    with pytest.raises(SExpressionError, match="not UTF-8"):
        parse(b'"\xff"')


@given(st.binary(max_size=80) | NOISE.map(str.encode))
def test_any_text_has_a_json_value_or_the_error(text: bytes) -> None:
    try:
        value = parse(text)
    except SExpressionError:
        return
    assert orjson.loads(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    "part",
    [
        "(",
        ")",
        "()",
        "(a . ",
        "(a",
        "'a ",
        '"',
        '"a',
        '\\"',
        ";",
        ";\n",
        "a ",
        "#",
        "#t",
        "9",
        "1e",
        ".",
        " . ",
        "\\",
        "((a",
        " ",
        "-",
    ],
)
@pytest.mark.parametrize("frame", ["", '("{}', "(a {})", "(" * 60 + "{}" + ")" * 60])
def test_no_text_takes_long(part: str, frame: str) -> None:
    text = (frame or "{}").replace("{}", part * ((65_536 - 150) // len(part))).encode()
    begun = time.process_time()
    with suppress(SExpressionError):
        parse(text)
    assert time.process_time() - begun < SECONDS_PER_TEXT
