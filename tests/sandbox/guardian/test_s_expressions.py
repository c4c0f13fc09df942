"""The Guardian's reader of S-expressions: strict, and independent of the gateway's writer."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guardian.s_expressions import (
    MAX_DEPTH,
    Datum,
    List,
    SExpressionError,
    Symbol,
    cons,
    format_value,
    parse,
    to_mapping,
)

A, B = Symbol("a"), Symbol("b")


@pytest.mark.parametrize(
    "text, datum",
    [
        ("a", A),
        ("()", List()),
        ("(a b)", List((A, B))),
        ("(a . b)", List((A,), B)),
        ("(a . (b))", List((A, B))),
        ("(a . (b . a))", List((A, B), A)),
        ("(a . ())", List((A,))),
        ("( a\t.\r\n b\f)", List((A,), B)),
        ("(a.b . -)", List((Symbol("a.b"),), Symbol("-"))),
        ("(0 -12 +3 12345678901234567890)", List((0, -12, 3, 12345678901234567890))),
        ("(1.5 -2e-05 1E3)", List((1.5, -2e-05, 1000.0))),
        (f"(1{'0' * 300} {'9' * 5000})", List((1e300, math.inf))),
        ("(#t #f t nil)", List((True, False, Symbol("t"), Symbol("nil")))),
        (r'"a \"b\" \\ (c . d) ;\n\t\x1F600;"', 'a "b" \\ (c . d) ;\n\t\U0001f600'),
        ('"\n\u2028é"', "\n\u2028é"),
    ],
)
def test_a_datum_of_the_grammar_is_read(text: str, datum: Datum) -> None:
    assert repr(parse(text)) == repr(datum)  # True and 1 are equal, and have different texts


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ")", "(", "(a", "a b", "(a) b", "(a))", "(. a)", "(a .)", "(a . b c)", "(a . . b)", ". a", ".", "(a . b . c)",
        '"a', r'"a\"', r'"\u0041"', r'"\/"', r'"\x110000;"', r'"\xD800;"', r'"\x41"', r'"\q"', "'a", "`a", "(a ,b)", "; a", "#(1)",
        "[a]", "{a}", "|a|", r"#\a", "#true", "1a", "1.", ".5", "1/2", "+inf.0", "1.5.2", "é", "a\u00a0b", "(a\u2028)",
        "(" * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1),
    ],
)  # fmt: skip
def test_whatever_else_is_an_error(text: str) -> None:
    with pytest.raises(SExpressionError):
        parse(text)


@given(st.text(alphabet="().\" \\abx1;#'\n") | st.text())
def test_no_text_has_another_outcome_than_a_datum_or_the_error(text: str) -> None:
    try:
        datum = parse(text)
    except SExpressionError:
        return
    assert isinstance(datum, Datum)


def test_a_pair_with_a_list_is_a_longer_list() -> None:
    assert cons(A, cons(B, List())) == List((A, B)) == parse("(a . (b . ()))")
    assert cons(A, 1) == List((A,), 1)


def test_an_association_list_has_a_value_for_each_key() -> None:
    members = to_mapping(parse('((a . 1) (b . (2)) (c 3 4) (d) (e . ()) (f . "x"))'))
    assert members == {"a": 1, "b": List((2,)), "c": List((3, 4)), "d": List(), "e": List(), "f": "x"}


@pytest.mark.parametrize("text", ["((a . 1) (a . 2))", "(a)", "(1 2)", '(("a" . 1))', "((a . 1) . b)", "a", "(())"])
def test_a_repeated_key_or_another_form_is_no_association_list(text: str) -> None:
    with pytest.raises(SExpressionError):
        to_mapping(parse(text))


def test_a_written_value_is_read_back() -> None:
    value: dict[str, Any] = {"name": 'a "quote" \\ (x)', "figures": [1, -2.5, 1e-07], "nothing": []}
    members = to_mapping(parse(format_value(value)))
    assert members == {"name": value["name"], "figures": List((1, -2.5, 1e-07)), "nothing": List()}
