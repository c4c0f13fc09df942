"""The JSON parsers against json.loads: equal values, and the position of every fault."""

import json
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpointer import escape

from toolaccord_codegen.loading.json_locations import LineIndex, OffsetIndex
from toolaccord_codegen.loading.json_parser import DiagnosingParser, JSONSyntaxError, parse_valid_json

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
GAPS = st.text(" \t\r\n", max_size=3)


@st.composite
def spelled(draw: st.DrawFn, value: Any) -> str:
    """Return a value as JSON with arbitrary white space and escapes."""

    def text(part: Any) -> str:
        before, after = draw(GAPS), draw(GAPS)
        if isinstance(part, dict):
            body = "{" + ",".join(f"{text(key)}:{text(member)}" for key, member in part.items()) + "}"
        elif isinstance(part, list):
            body = "[" + ",".join(map(text, part)) + "]"
        else:
            body = json.dumps(part, ensure_ascii=draw(st.booleans()))
        return f"{before}{body}{after}"

    return text(value)


DOCUMENTS = VALUES.flatmap(lambda value: st.tuples(st.just(value), spelled(value)))


def read(text: str) -> tuple[Any, list[tuple[int, str]]]:
    """Return the value of a text, and its faults by offset and rule."""
    faults: list[tuple[int, str]] = []
    return DiagnosingParser(text, lambda offset, rule, sentence: faults.append((offset, rule))).document(), faults


def places(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value inside a value with its JSON pointer."""
    yield pointer, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, f"{pointer}/{escape(str(key))}")


@given(DOCUMENTS)
def test_the_diagnosing_parser_reads_the_same_values_as_json_loads(document: tuple[Any, str]) -> None:
    value, text = document
    found, faults = read(text)
    assert repr(found) == repr(json.loads(text)) == repr(value)
    assert faults == []


@given(DOCUMENTS)
def test_the_fast_parser_reads_the_same_values(document: tuple[Any, str]) -> None:
    value, text = document
    if "\\ud" not in text:
        assert repr(parse_valid_json(text)) == repr(value)


@given(DOCUMENTS, st.integers(0, 99))
def test_each_value_and_key_is_at_its_indexed_offset(document: tuple[Any, str], order: int) -> None:
    value, text = document
    found = OffsetIndex(text)
    for pointer, part in Random(order).sample(known := list(places(value)), len(known)):
        assert repr(json.JSONDecoder().raw_decode(text, found.value(pointer))[0]) == repr(part)
        if pointer and not pointer.rpartition("/")[2].isdigit():
            assert escape(json.JSONDecoder().raw_decode(text, found.key(pointer))[0]) == pointer.rpartition("/")[2]


@given(DOCUMENTS, TEXT)
def test_a_missing_value_has_the_offset_of_its_nearest_parent(document: tuple[Any, str], name: str) -> None:
    value, text = document
    for pointer, part in places(value):
        missing = f"{pointer}/{escape(name)}-/0"
        assert not isinstance(part, dict) or f"{name}-" not in part
        assert OffsetIndex(text).value(missing) == OffsetIndex(text).key(missing) == OffsetIndex(text).value(pointer)


@given(TEXT, st.integers(0, 8))
def test_a_position_counts_lines_and_columns_from_one(text: str, offset: int) -> None:
    before = text[: min(offset, len(text))]
    expected = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert LineIndex(text).position(len(before)) == expected


@settings(max_examples=300)
@given(
    st.text('{}[]",:0123456789.eE+-truefalsn \\u/ab\n', max_size=24) | DOCUMENTS.map(lambda document: document[1][:-1])
)
def test_the_diagnosing_parser_rejects_what_json_loads_rejects_with_an_offset(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=pytest.fail)
    except ValueError:
        with pytest.raises(JSONSyntaxError) as refusal:
            read(text)
        assert 0 <= refusal.value.offset <= len(text)
        with pytest.raises((ValueError, RecursionError)):
            parse_valid_json(text)
    else:
        found, faults = read(text)
        assert faults or repr(found) == repr(expected)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "[NaN]", "nan"])
def test_numbers_that_json_does_not_have_are_rejected(text: str) -> None:
    with pytest.raises(JSONSyntaxError):
        read(text)


@given(st.integers(2**63, 2**80) | st.integers(-(2**80), -(2**63) - 1))
def test_an_integer_beyond_64_bits_is_a_fault_at_its_offset(number: int) -> None:
    assert read(f"[1, {number}]")[1] == [(4, "INTEGER_RANGE")]


@pytest.mark.parametrize(
    "text, rule",
    [("[1e999]", "NUMBER_RANGE"), ('["\\ud800"]', "LONE_SURROGATE"), ('["\\udc00\\ud800"]', "LONE_SURROGATE")],
)
def test_a_value_that_is_not_representable_is_a_fault_at_its_offset(text: str, rule: str) -> None:
    assert read(text)[1] == [(1, rule)]
    with pytest.raises(ValueError, match=r"large|half"):
        parse_valid_json(text)


@given(st.dictionaries(TEXT, SCALARS, min_size=1, max_size=4), st.data())
def test_a_repeated_key_is_a_fault_at_its_second_offset(members: dict[str, Any], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(sorted(members)))
    pairs = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()]
    text = "{" + ", ".join([*pairs, f"{json.dumps(twice)}: 1"]) + "}"
    found, faults = read(text)
    assert found == json.loads(text)
    assert faults == [(text.rindex(json.dumps(twice)), "DUPLICATE_KEY")]
    with pytest.raises(ValueError, match=r"twice|half"):
        parse_valid_json(text)


def test_endless_nesting_is_rejected() -> None:
    with pytest.raises(JSONSyntaxError, match="levels of nesting"):
        read("[" * 100_000)
    with pytest.raises(ValueError, match="levels"):
        parse_valid_json("[" * 102 + "]" * 102)


def test_a_number_of_any_length_is_read_at_once() -> None:
    value, faults = read("9" * 100_000)
    assert not math.isinf(value)
    assert faults == [(0, "INTEGER_RANGE")]
