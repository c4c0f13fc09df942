"""Whatever members are called and hold, their classes can be loaded, and keep what they are given."""

from __future__ import annotations

import ast
import inspect
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from codegen.emit.classes import HOMES, module
from codegen.naming import PROTECTED, PYDANTICS, FieldName

KINDS: list[tuple[dict[str, Any], Any]] = [
    ({"type": "integer", "minimum": 1.0}, 2**60),
    ({"type": "number", "maximum": 300}, 270),
    ({"type": "boolean"}, True),
    ({"type": "null"}, None),
    ({"type": "string", "maxLength": 9}, '"""\\'),
    ({"type": "string", "format": "date"}, "2026-01-31"),
    ({"type": "string", "format": "date-time"}, "2026-01-31T10:00:00Z"),
    ({"type": "string", "format": "uuid"}, "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01"),
    ({"enum": ["a long one " * 20, 1, True, None]}, "a long one " * 20),
    ({"anyOf": [{"type": "null"}, {"type": "integer"}, {"$ref": "#/$defs/Part"}]}, {"x": 1}),
    ({"type": "array", "items": {"$ref": "#/$defs/Part"}, "minItems": 1}, [{"x": 1}]),
    ({"type": "object", "additionalProperties": {"type": "array", "items": {}}}, {"a": [1, "b"]}),
    ({"type": "object", "additionalProperties": True}, {"$ref": "#"}),
    ({}, [None]),
]
NAMES = st.sampled_from([*sorted(HOMES), *sorted(PYDANTICS), "Part", "Whole", "None", "class", "model_dump_all", "_"])
MEMBERS = st.dictionaries(NAMES | st.text(min_size=1, max_size=4), st.sampled_from(KINDS), max_size=12)


def loaded(schemas: dict[str, Any]) -> ModuleType:
    """The module of some classes."""
    made = ModuleType("made")
    sys.modules["made"] = made  # where Pydantic looks up what a class means by its annotations
    try:
        exec(module(schemas), made.__dict__)
    finally:
        del sys.modules["made"]
    return made


def an_object(members: dict[str, Any], **others: Any) -> dict[str, Any]:
    """An object's schema as model_schemas.py makes it."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False} | others


@given(MEMBERS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_members_of_any_name_and_kind_keep_their_values(members: dict[str, tuple[dict[str, Any], Any]]) -> None:
    whole = an_object({name: schema for name, (schema, _) in members.items()})
    classes = loaded({"Whole": whole, "Part": an_object({"x": {"type": "integer"}})})
    said = {name: value for name, (_, value) in members.items()}
    assert classes.Whole.model_validate(said).model_dump(mode="json", by_alias=True) == said


@pytest.mark.parametrize(
    "text", ["A word", 'says "so"', '"', '\\"', 'a """ b', "ends \\", "two\n\nlines", 'all """\n\\"']
)
def test_what_a_description_says_is_what_the_docstring_says(text: str) -> None:
    member = {"type": "string", "description": text}
    classes = ast.parse(module({"Whole": an_object({"a": member}, description=text)})).body[-1]
    assert isinstance(classes, ast.ClassDef)
    said = [
        node.value.value for node in classes.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [inspect.cleandoc(str(each)) for each in said] == [text, text]


def test_no_field_takes_a_name_that_every_model_has() -> None:
    names = {name for name in dir(BaseModel) if not name.startswith("_")} | {"mro", "register"}
    assert not names & {str(FieldName(name)) for name in names}
    assert {name for name in names if not name.startswith(PROTECTED)} == PYDANTICS


@pytest.mark.parametrize("member", ["x²", "é", "日本", "a\u2028b", "#", "٣", "__init__", "\u0000"])
def test_any_text_has_a_name_in_python(member: str) -> None:
    assert FieldName(member).isidentifier()
    assert not FieldName(member).startswith("_")
