"""Tests of generated model classes: members with any name, type, default and description."""

from __future__ import annotations

import ast
import inspect
import sys
import warnings
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from toolaccord_codegen.emit.model_schemas import ModelSchemas
from toolaccord_codegen.emit.models import generate_module
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary

Kind = tuple[dict[str, Any], Any]
"""A schema of a contract, and a value that it admits."""

DEFS = {
    "Part": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False},
    "Amount": {"type": "number", "minimum": 0, "description": "So much"},
}
"""Targets of references in the drawn schemas."""
LONG = "a long one " * 20
SCALARS: st.SearchStrategy[Kind] = st.sampled_from(
    [
        ({}, [None]),
        ({"$ref": "#/$defs/Part"}, {"x": 1}),
        ({"$ref": "#/$defs/Amount"}, 0.5),
        ({"const": 'a "b" \\'}, 'a "b" \\'),
        ({"enum": [LONG, 1, True, None, "é\n"]}, LONG),
        ({"enum": [0.5, 1.5]}, 1.5),
        ({"type": "boolean"}, True),
        ({"type": "integer", "minimum": 1.0, "maxLength": 3}, 2**60),
        ({"type": "integer", "enum": [1.0, 2]}, 1),
        ({"type": "null"}, None),
        ({"type": "number", "maximum": 300}, 270),
        ({"type": "string", "maxLength": 9.0, "minimum": 1}, '"""\\'),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "format": "date-time"}, "2026-01-31T10:00:00Z"),
        ({"type": "string", "format": "uuid"}, "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01"),
        ({"type": "string", "format": "uri"}, "no address"),
        ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": True}, {"a": 1}),
        ({"type": ["number", "integer", "null"]}, 0.25),
        ({"type": ["string", "null"], "format": "date"}, None),
        ({"type": "object", "additionalProperties": True}, {"$ref": "#"}),
    ]
)
PYTHONS = ["Annotated", "Any", "AwareDatetime", "ConfigDict", "ContractModel", "Field", "Literal", "UUID", "bool"]
PYTHONS += ["date", "dict", "float", "int", "list", "str"]
"""Names that generated classes use."""
PYDANTICS = sorted(
    {name for name in dir(BaseModel) if not name.startswith("_")} | {"model_dump_all", "mro", "register"}
)
"""Attributes of every model."""
ODD = [
    "Part",
    "Whole",
    "None",
    "class",
    "from",
    "from_",
    "24h",
    "_",
    "__init__",
    "a b",
    "a_b",
    "",
    "#",
    "$ref",
    "{{x}}",
]
ALIKE = ["\x03\x86\xa0", "\U00101b56||§", "model_a", "field_model_a", "ﬁ", "field_fi", "ﬀi", "ff\u2170"]
LETTERS = ["ﬁ", "fi", "x²", "é", "日本", "a\u2028b", "٣", "\u0000"]
NAMES = st.sampled_from([*PYTHONS, *PYDANTICS, *ODD, *LETTERS]) | st.text(min_size=1, max_size=4)
TEXTS = [
    "A word",
    'says "so"',
    '"',
    '\\"',
    'a """ b',
    "ends \\",
    "two\n\nlines",
    'all """\n\\"',
    "{{ x }} {% y %}",
    "'''",
]


def build_object(members: dict[str, Any], *, required: bool = True, **others: Any) -> dict[str, Any]:
    """Build the schema of an object."""
    names = list(members) if required else []
    return {"type": "object", "properties": members, "required": names, "additionalProperties": False} | others


def nest_schemas(parts: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """Draw schemas that contain others."""
    return st.one_of(
        st.builds(lambda part: ({"type": "array", "items": part[0], "minItems": 1}, [part[1]]), parts),
        st.builds(lambda part: ({"type": "object", "additionalProperties": part[0]}, {"a": part[1]}), parts),
        st.builds(lambda part: ({"anyOf": [part[0], {"type": "null"}]}, part[1]), parts),
        draw_objects(parts),
    )


def draw_objects(parts: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """Draw schemas of objects."""

    def build_kind(members: dict[str, Kind], required: bool, text: str) -> Kind:  # noqa: FBT001 - an argument of a strategy
        schemas = {name: schema | {"description": text} for name, (schema, _) in members.items()}
        return build_object(schemas, required=required), {name: value for name, (_, value) in members.items()}

    return st.builds(build_kind, st.dictionaries(NAMES, parts, max_size=6), st.booleans(), st.sampled_from(TEXTS))


def write_module(schema: dict[str, Any]) -> str:
    """Write the module of the classes that a schema needs; its own class is Whole."""
    document = Document("shop/stock.json", "shop/stock.json", "", {"$defs": DEFS})
    schemas = ModelSchemas(SchemaLibrary({document.name: document}), document, None, frozenset({"Whole", *DEFS}))
    schemas.add_class("Whole", document, schema)
    return generate_module('"""Models."""', schemas.classes)


def load_module(text: str) -> ModuleType:
    """Load a module of classes; a warning of Pydantic is an error."""
    module = ModuleType("generated")
    sys.modules["generated"] = module  # Pydantic resolves annotations in this module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(text, module.__dict__)
            module.Whole.model_rebuild()
    finally:
        del sys.modules["generated"]
    return module


@given(draw_objects(st.recursive(SCALARS, nest_schemas, max_leaves=6)))
@example((build_object({name: {"type": "string"} for name in PYTHONS}), dict.fromkeys(PYTHONS, "a")))
@example((build_object({name: {"type": "string"} for name in PYDANTICS}), dict.fromkeys(PYDANTICS, "a")))
@example((build_object({name: {"type": "string"} for name in ODD}), dict.fromkeys(ODD, "a")))
@example((build_object({name: {"type": "string"} for name in LETTERS}), dict.fromkeys(LETTERS, "a")))
@example((build_object({name: {"type": "string"} for name in ALIKE}), dict.fromkeys(ALIKE, "a")))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_a_model_keeps_every_value_that_its_contract_admits(kind: Kind) -> None:
    schema, value = kind
    jsonschema_rs.validate(schema | {"$defs": DEFS}, value)
    loaded = load_module(write_module(schema)).Whole.model_validate(value)
    assert loaded.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


def test_a_format_that_is_not_checked_is_plain_text_in_a_model() -> None:
    text = write_module(
        build_object({"link": {"type": "string", "format": "uri", "default": "no address"}}, required=False)
    )
    assert load_module(text).Whole().link == "no address"
    assert "link: str" in text


@pytest.mark.parametrize("text", TEXTS)
def test_a_docstring_is_the_description_word_for_word(text: str) -> None:
    whole = build_object({"a": {"type": "string", "description": text}}, description=text)
    declared = ast.parse(generate_module('"""Models."""', {"Whole": whole})).body[-1]
    assert isinstance(declared, ast.ClassDef)
    docstrings = [
        node.value.value
        for node in declared.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [inspect.cleandoc(str(each)) for each in docstrings] == [text, text]


@pytest.mark.parametrize("member", ["None", "24h", "a-b", "x_", "URL2", "ﬁ"])
def test_a_class_has_the_name_that_the_compiler_chose(member: str) -> None:
    nested = build_object({"x": {"type": "integer"}})
    declared = [
        node.name for node in ast.parse(write_module(build_object({member: nested}))).body if hasattr(node, "name")
    ]
    document = Document("shop/stock.json", "shop/stock.json", "", {})
    schemas = ModelSchemas(SchemaLibrary({document.name: document}), document, None, frozenset())
    schemas.add_class("Whole", document, build_object({member: nested}))
    assert sorted(declared) == sorted(schemas.classes)


def test_a_class_that_the_generator_renames_is_an_error() -> None:
    bounded = build_object({"x": {"type": "integer", "minimum": 1}})
    with pytest.raises(RuntimeError, match=r"renamed, added or left out classes: \['Field', 'FieldModel'\]"):
        generate_module('"""Models."""', {"Field": bounded})
