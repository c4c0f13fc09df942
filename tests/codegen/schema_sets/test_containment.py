"""Test proofs that one schema admits every value of another."""

from itertools import islice, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.samples import boundary_values
from toolaccord_codegen.schema_sets.text_classes import SHAPES
from toolaccord_codegen.schema_sets.validators import admits

Schema = dict[str, Any]
TEXTS = ["".join(letters) for length in range(6) for letters in product("ab", repeat=length)]
PATTERNS = ["^a", "b$", "^[ab]{1,3}$", "^[ab][ab]?[ab]?$", "^(a|b)$", "^a*$", ".*", "^(ab)+$", "^$", "^(?=a)"]
LIMITS: dict[str, list[Any]] = {
    "pattern": PATTERNS,
    "minLength": [0, 1, 2],
    "maxLength": [1, 2, 3],
    "format": ["date", "uuid"],
}
DATES = r"^\d{4}-\d{2}-\d{2}$"


def text(**limits: Any) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", **limits}


def closed(**members: Schema) -> Schema:
    """Return the schema of an object with some members."""
    return {"type": "object", "properties": members, "additionalProperties": False}


def names(**limits: Any) -> Schema:
    """Return the schema of a map of integers with limited names."""
    return {"type": "object", "propertyNames": limits, "additionalProperties": {"type": "integer"}}


EQUAL = {
    "a pattern that implies a length": (text(pattern="^[A-Z]{1,20}$"), text(pattern="^[A-Z]{1,20}$", maxLength=20)),
    "a pattern and an enumeration": (text(pattern="^[ab]$"), {"enum": ["a", "b"]}),
    "no pattern and one that every text matches": (text(), text(pattern=".*")),
    "no pattern and one with every character": (text(), text(pattern=r"^[\s\S]*$")),
    "a format and its pattern beside it": (text(format="date"), text(format="date", pattern=DATES)),
    "two ways to write a pattern": (text(pattern="^[a-z]{1,5}$"), text(pattern="^[a-z][a-z]{0,4}$")),
    "two patterns and one": (
        {"anyOf": [text(pattern="^a$"), text(pattern="^b$")]},
        text(pattern="^[ab]$"),
    ),
    "patterns of members": (closed(name=text(pattern="^(a|b)$")), closed(name=text(pattern="^[ab]$"))),
    "patterns of a member and of unnamed ones": (
        {
            "type": "object",
            "properties": {"a": text(pattern="^[ab]$")},
            "additionalProperties": text(pattern="^(a|b)$"),
        },
        {
            "type": "object",
            "properties": {"a": text(pattern="^(b|a)$")},
            "additionalProperties": text(pattern="^[ab]$"),
        },
    ),
    "a pattern of a text that may be null": (
        {"type": ["string", "null"], "pattern": "^[ab]$"},
        {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
    ),
    "steps of integers": ({"type": "integer", "multipleOf": 1.5}, {"type": "integer", "multipleOf": 3}),
    "few steps in a map": (
        {
            "type": "object",
            "additionalProperties": {"type": "number", "multipleOf": 0.1, "minimum": 0, "maximum": 0.35},
        },
        {"type": "object", "additionalProperties": {"enum": [0, 0.1, 0.2, 0.3]}},
    ),
    "a format that is not checked": (text(format="uri", maxLength=9), text(maxLength=9, format="email")),
    "two ways to write a pattern of names": (names(pattern="^(a|b)+$"), names(type="string", pattern="^[ab]+$")),
    "names that are texts": (names(type="string"), {"type": "object", "additionalProperties": {"type": "integer"}}),
    "names in an array": ({"items": names(pattern="^(a|b)$")}, {"items": names(pattern="^[ab]$")}),
    "a step that every integer has": ({"type": "integer", "multipleOf": 0.1}, {"type": "integer"}),
}


@pytest.mark.parametrize("name", EQUAL)
def test_schemas_of_the_same_values_cover_each_other(name: str) -> None:
    one, other = EQUAL[name]
    assert (covers(one, other), covers(other, one)) == (True, True)


@pytest.mark.parametrize(
    "outer, inner",
    [
        (text(format="date"), text(pattern=DATES)),
        (text(pattern="^a"), text(pattern="a")),
        (text(pattern="^.{1,3}$"), text(minLength=1, maxLength=3)),
        ({"enum": ["a"]}, text(pattern="^[ab]$")),
        (closed(name=text(pattern="^b$")), closed(name=text(pattern="^[ab]$"))),
        ({"type": "number", "multipleOf": 3}, {"type": "number", "multipleOf": 1.5}),
        (text(pattern="^(?=a)ab$"), text(pattern="^ab$", format="email")),
        (text(format="uuid"), text(format="uri")),
        (names(pattern="^a$"), names(pattern="^[ab]$")),
        (names(pattern="^a$"), names()),
        (closed(a=names(enum=["a"])), closed(a=names(enum=["a", "b"]))),
    ],
    ids=str,
)
def test_a_schema_does_not_cover_values_that_it_rejects(outer: Schema, inner: Schema) -> None:
    assert not covers(outer, inner)


@pytest.mark.parametrize("name", SHAPES)
def test_every_text_of_a_format_has_its_shape(name: str) -> None:
    texts = {
        "date": ["0000-01-01", "2024-02-29", "9999-12-31"],
        "date-time": ["2026-01-01t00:00:00z", "2016-12-31T23:59:60Z", "2026-01-01T23:59:59.123456789-23:59"],
        "uuid": ["00000000-0000-0000-0000-000000000000", "0B7E6F2C-5d4a-4a34-9a53-0f6f6c1f6a01"],
    }
    for each in texts[name]:
        assert admits({"format": name}, each)
        assert admits({"pattern": SHAPES[name]}, each)


def limited() -> st.SearchStrategy[Schema]:
    """Draw schemas of texts with some limits."""
    drawn = st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in LIMITS.items()})
    return drawn.map(lambda limits: text(**limits)) | st.sampled_from(
        [
            {"enum": ["a", "b"]},
            {"const": "ab"},
            {"enum": [["a"], {"a": "b"}, "", 1]},
            {"type": ["string", "null"], "pattern": "^a"},
        ]
    )


def nested(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Draw unions, arrays, objects and maps."""
    return (
        st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"anyOf": parts})
        | st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"oneOf": parts})
        | inner.map(lambda part: {"type": "array", "items": part})
        | inner.map(lambda part: closed(a=part))
        | st.tuples(inner, inner).map(
            lambda parts: {"type": "object", "properties": {"a": parts[0]}, "additionalProperties": parts[1]}
        )
        | st.tuples(limited(), inner).map(
            lambda parts: {"type": "object", "propertyNames": parts[0], "additionalProperties": parts[1]}
        )
    )


def values(*schemas: Schema) -> list[Any]:
    """Return values of many kinds, also near the limits of the schemas."""
    near = [islice(boundary_values(schema, schemas), 300) for schema in schemas]
    return [
        *TEXTS,
        1,
        None,
        [],
        ["a"],
        {},
        {"a": "b"},
        {"b": "a"},
        {"a": "a", "b": "ab"},
        *(each for part in near for each in part),
    ]


@settings(max_examples=100, deadline=None)
@given(st.recursive(limited(), nested, max_leaves=3), st.recursive(limited(), nested, max_leaves=3), st.booleans())
def test_a_covered_schema_admits_no_value_that_the_other_rejects(one: Schema, other: Schema, beside: bool) -> None:  # noqa: FBT001 - drawn
    outer, inner = ({"anyOf": [one, other]}, other) if beside else (one, other)
    if covers(outer, inner):
        assert [each for each in values(outer, inner) if admits(inner, each) and not admits(outer, each)] == []


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["pattern", "minLength", "maxLength"]), st.none(), max_size=3).flatmap(
        lambda keys: st.tuples(
            *[
                st.fixed_dictionaries(
                    {key: st.sampled_from([each for each in LIMITS[key] if each != "^(?=a)"]) for key in keys}
                )
                for _ in range(2)
            ]
        )
    )
)
def test_limits_of_texts_cover_others_unless_a_text_disproves_it(pair: tuple[Schema, Schema]) -> None:
    outer, inner = (text(**limits) for limits in pair)
    disproved = any(admits(inner, each) and not admits(outer, each) for each in [*TEXTS, "x", "ax", "xb", "\n"])
    assert covers(outer, inner) is not disproved


def test_schemas_that_cannot_be_compared_do_not_cover_each_other() -> None:
    arrays = {"enum": [["a"], {"a": "b"}, "", 1]}
    assert not covers(text(), {"oneOf": [arrays, arrays]})


def test_a_named_member_of_an_alternative_meets_the_unnamed_ones_of_another() -> None:
    named, unnamed = (
        closed(a=text(pattern="^(a)$")),
        {"type": "object", "additionalProperties": text(pattern="^(a|b)$")},
    )
    assert covers({"anyOf": [named, unnamed]}, {"type": "object", "additionalProperties": text(pattern="^[ab]$")})
