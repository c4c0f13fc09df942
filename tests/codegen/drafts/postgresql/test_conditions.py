"""Conditions of CHECK constraints become keywords where these say the same."""

from __future__ import annotations

from typing import Any

import pytest

from toolaccord_codegen.drafts.postgresql.conditions import read_condition, read_constant, tighten

SAID: list[tuple[str, str, dict[str, Any]]] = [
    (
        "string",
        "((x)::text = ANY ((ARRAY['a'::character varying, 'b''c'::character varying])::text[]))",
        {"enum": ["a", "b'c"]},
    ),
    ("string", "(x = 'a'::text)", {"enum": ["a"]}),
    ("integer", "(x = ANY (ARRAY[1, 2, 3]))", {"enum": [1, 2, 3]}),
    ("integer", "(x > '-5'::integer)", {"minimum": -4}),
    ("integer", "(5 > x)", {"maximum": 4}),
    ("number", "((x >= (0)::numeric) AND (x < 1.5))", {"minimum": 0, "exclusiveMaximum": 1.5}),
    ("number", "((x IS NULL) OR (x > (0)::double precision))", {"exclusiveMinimum": 0}),
    ("string", "((length(x) >= 1) AND (char_length((x)::text) <= 120))", {"minLength": 1, "maxLength": 120}),
    ("string", "(length(x) = 3)", {"minLength": 3, "maxLength": 3}),
    ("string", "(x <> ''::text)", {"minLength": 1}),
    ("string", "(x ~ '^[A-Z]{2}-[0-9]+$'::text)", {"pattern": "^[A-Z]{2}-[0-9]+$"}),
    ("array", "(cardinality(x) <= 5)", {"maxItems": 5}),
    ("array", "(array_length(x, 1) < 5)", {"maxItems": 4}),
]
UNSAID: list[tuple[str, str]] = [
    ("integer", "(x > y)"),
    ("integer", "(NOT (x > 3))"),
    ("integer", "((x > 3) OR (x < 1))"),
    ("number", "((x)::integer > 3)"),
    ("string", "(lower(x) = 'a'::text)"),
    ("string", "(length(TRIM(BOTH FROM x)) > 0)"),
    ("string", "(x ~* 'a'::text)"),
    ("string", r"(x ~ E'\\ma\\M'::text)"),
    ("string", "(x ~ '^[[:alpha:]]+$'::text)"),
    ("string", "(x ~ '^(?=a)'::text)"),
    ("string", "(x OPERATOR(public.~) 'a'::public.citext)"),
    ("string", "(octet_length(x) < 5)"),
    ("string", "CASE WHEN (x = 'a'::text) THEN true ELSE false END"),
    ("string", "(x = ANY (ARRAY['a'::text, y]))"),
    ("array", "(array_length(x, 1) > 0)"),
    ("array", "(x <@ ARRAY['a'::text])"),
    ("integer", "(x > 1" + "0" * 400 + ")"),
    ("integer", "(" * 5000 + "x" + ")" * 5000),
    ("integer", "(x > "),
    ("integer", "(x > 'a)"),
]


@pytest.mark.parametrize("kind, condition, keywords", SAID)
def test_a_condition_that_keywords_can_say_is_whole(kind: str, condition: str, keywords: dict[str, Any]) -> None:
    found = read_condition(condition, "x", kind)
    assert found.keywords == keywords
    assert found.is_whole


@pytest.mark.parametrize("kind, condition", UNSAID)
def test_any_other_condition_says_nothing(kind: str, condition: str) -> None:
    found = read_condition(condition, "x", kind)
    assert found.keywords == {}
    assert not found.is_whole


def test_half_of_a_condition_is_kept_and_told() -> None:
    found = read_condition("((x > 0) AND (x < y))", "x", "integer")
    assert found.keywords == {"minimum": 1}
    assert not found.is_whole


def test_a_quoted_column_is_known_by_its_name() -> None:
    assert read_condition('("a""B" > 0)', 'a"B', "integer").keywords == {"minimum": 1}


@pytest.mark.parametrize(
    "default, value",
    [
        ("'new'::public.order_status", "new"),
        ("'it''s'::character varying", "it's"),
        (r"E'a\\b'::text", r"a\b"),
        ("'-1'::integer", -1),
        ("0.5", 0.5),
        ("true", True),
        ("now()", None),
        ("NULL::text", None),
        ("'{}'::text[]", None),
        ("'2020-01-01'::date", None),
        ("nextval('public.a_seq'::regclass)", None),
        ("123456789012345678901", None),
        ("CURRENT_TIMESTAMP", None),
    ],
)
def test_a_constant_default_is_a_value(default: str, value: Any) -> None:
    found = read_constant(default)
    assert (type(found), found) == (type(value), value)


def test_bounds_that_others_make_idle_are_left_out() -> None:
    assert tighten({"minimum": 0, "exclusiveMinimum": -10, "exclusiveMaximum": 10}) == {
        "minimum": 0,
        "exclusiveMaximum": 10,
    }
    assert tighten({"minimum": 0, "exclusiveMinimum": 0}) == {"exclusiveMinimum": 0}
