"""Test that edits of JSON texts change nothing but the place that they name."""

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_edits import Edit, add_member, append_item, apply_edits
from toolaccord_codegen.loading.reading import parse_document

KEYS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 1, "separators": (",", " : ")}]
)
MARKS, NEWLINES = st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"])


def parse(text: str) -> Document:
    """Return the document of a file's text."""
    document = parse_document(text.removeprefix("\ufeff"), "x.json", "x.json", [])
    assert document is not None
    return document


def assert_only_added(text: str, edit: Edit) -> str:
    """Return the text after an edit that must add and replace nothing."""
    assert edit.start == edit.end
    new = apply_edits(text, [edit])
    at = edit.start + text.startswith("\ufeff")
    assert new.startswith(text[:at])
    assert new.endswith(text[at:])
    assert ("\r\n" in text) or "\r" not in new
    assert "\r\n" not in text or new.count("\n") == new.count("\r\n")
    return new


@given(st.dictionaries(KEYS, VALUES, max_size=4), KEYS, VALUES, LAYOUTS, MARKS, NEWLINES)
def test_a_member_is_added_and_nothing_else_changes(
    value: dict[str, Any], key: str, added: Any, layout: dict[str, Any], mark: str, newline: str
) -> None:
    assume(key not in value)
    text = mark + json.dumps({"a": value, "b": [1]}, ensure_ascii=False, **layout).replace("\n", newline)
    new = assert_only_added(text, add_member(parse(text), "/a", key, added))
    assert json.loads(new.removeprefix("\ufeff")) == {"a": {**value, key: added}, "b": [1]}


@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, LAYOUTS, MARKS, NEWLINES)
def test_an_item_is_appended_and_nothing_else_changes(
    items: list[Any], added: Any, layout: dict[str, Any], mark: str, newline: str
) -> None:
    text = mark + json.dumps({"a": items, "b": [1]}, ensure_ascii=False, **layout).replace("\n", newline)
    new = assert_only_added(text, append_item(parse(text), "/a", added))
    assert json.loads(new.removeprefix("\ufeff")) == {"a": [*items, added], "b": [1]}


def test_an_item_of_an_empty_array_has_a_line_of_its_own() -> None:
    text = '\ufeff{\r\n  "a": [ ],\r\n  "b": 1\r\n}\r\n'
    assert apply_edits(text, [append_item(parse(text), "/a", {"c": 2})]) == (
        '\ufeff{\r\n  "a": [\r\n    {\r\n      "c": 2\r\n    }\r\n  ],\r\n  "b": 1\r\n}\r\n'
    )


def test_a_member_stands_as_the_member_before_it_does() -> None:
    text = '{"a" : 1,\n     "b" : 123456789012345678901234567890}'
    assert apply_edits(text, [add_member(parse(text), "", "c", [])]) == text[:-1] + ',\n     "c" : []}'
