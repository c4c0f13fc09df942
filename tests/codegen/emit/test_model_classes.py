"""Whatever members are called and hold, their classes can be loaded, and keep what they are given."""

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

from codegen.emit.model_schemas import ModelSchemas
from codegen.emit.models import module
from codegen.loading.documents import Document
from codegen.loading.references import SchemaLibrary

Kind = tuple[dict[str, Any], Any]
"""A schema as a contract has it, and a value that it admits."""

DEFS = {
    "Part": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False},
    "Amount": {"type": "number", "minimum": 0, "description": "So much"},
}
"""What the schemas that are made up refer to."""
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
        ({"type": ["number", "integer", "null"]}, 0.25),
        ({"type": ["string", "null"], "format": "date"}, None),
        ({"type": "object", "additionalProperties": True}, {"$ref": "#"}),
    ]
)
PYTHONS = ["Annotated", "Any", "AwareDatetime", "BaseModel", "ConfigDict", "Field", "Literal", "UUID", "bool", "date"]
PYTHONS += ["dict", "float", "int", "list", "str"]
"""What classes are written with."""
PYDANTICS = sorted(
    {name for name in dir(BaseModel) if not name.startswith("_")} | {"model_dump_all", "mro", "register"}
)
"""What every model has under these names."""
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


def an_object(members: dict[str, Any], *, required: bool = True, **others: Any) -> dict[str, Any]:
    """The schema of an object."""
    names = list(members) if required else []
    return {"type": "object", "properties": members, "required": names, "additionalProperties": False} | others


def grown(parts: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """Schemas that hold others."""
    return st.one_of(
        st.builds(lambda part: ({"type": "array", "items": part[0], "minItems": 1}, [part[1]]), parts),
        st.builds(lambda part: ({"type": "object", "additionalProperties": part[0]}, {"a": part[1]}), parts),
        st.builds(lambda part: ({"anyOf": [part[0], {"type": "null"}]}, part[1]), parts),
        objects(parts),
    )


def objects(parts: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """Schemas of objects."""

    def held(members: dict[str, Kind], required: bool, text: str) -> Kind:  # noqa: FBT001 - drawn, and never written
        schemas = {name: schema | {"description": text} for name, (schema, _) in members.items()}
        return an_object(schemas, required=required), {name: value for name, (_, value) in members.items()}

    return st.builds(held, st.dictionaries(NAMES, parts, max_size=6), st.booleans(), st.sampled_from(TEXTS))


def written(schema: dict[str, Any]) -> str:
    """The module of the classes that a schema needs, its own called Whole."""
    document = Document("made/up.json", "made/up.json", "", {"$defs": DEFS})
    schemas = ModelSchemas(SchemaLibrary({document.name: document}), document, None, frozenset({"Whole", *DEFS}))
    schemas.add("Whole", document, schema)
    return module('"""Made up."""', schemas.found)


def loaded(text: str) -> ModuleType:
    """A module of some classes; what Pydantic warns of is an error."""
    made = ModuleType("made")
    sys.modules["made"] = made  # where Pydantic looks up what a class means by its annotations
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(text, made.__dict__)
            made.Whole.model_rebuild()
    finally:
        del sys.modules["made"]
    return made


@given(objects(st.recursive(SCALARS, grown, max_leaves=6)))
@example((an_object({name: {"type": "string"} for name in PYTHONS}), dict.fromkeys(PYTHONS, "a")))
@example((an_object({name: {"type": "string"} for name in PYDANTICS}), dict.fromkeys(PYDANTICS, "a")))
@example((an_object({name: {"type": "string"} for name in ODD}), dict.fromkeys(ODD, "a")))
@example((an_object({name: {"type": "string"} for name in LETTERS}), dict.fromkeys(LETTERS, "a")))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_what_a_contract_admits_its_model_keeps(kind: Kind) -> None:
    schema, value = kind
    jsonschema_rs.validate(schema | {"$defs": DEFS}, value)
    kept = loaded(written(schema)).Whole.model_validate(value)
    assert kept.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_description_says_is_what_the_docstring_says(text: str) -> None:
    whole = an_object({"a": {"type": "string", "description": text}}, description=text)
    declared = ast.parse(module('"""Made up."""', {"Whole": whole})).body[-1]
    assert isinstance(declared, ast.ClassDef)
    said = [
        node.value.value
        for node in declared.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [inspect.cleandoc(str(each)) for each in said] == [text, text]


@pytest.mark.parametrize("member", ["None", "24h", "a-b", "x_", "URL2", "ﬁ"])
def test_a_class_is_called_as_the_compiler_calls_it(member: str) -> None:
    nested = an_object({"x": {"type": "integer"}})
    declared = [node.name for node in ast.parse(written(an_object({member: nested}))).body if hasattr(node, "name")]
    document = Document("made/up.json", "made/up.json", "", {})
    schemas = ModelSchemas(SchemaLibrary({document.name: document}), document, None, frozenset())
    schemas.add("Whole", document, an_object({member: nested}))
    assert sorted(declared) == sorted(schemas.found)


def test_a_class_that_the_generator_calls_otherwise_is_an_error() -> None:
    bounded = an_object({"x": {"type": "integer", "minimum": 1}})
    with pytest.raises(RuntimeError, match=r"other classes than it was asked for: \['Field', 'FieldModel'\]"):
        module('"""Made up."""', {"Field": bounded})
