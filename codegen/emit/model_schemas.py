"""Schemas as the model generator takes them: only what a type can express, and every class with a name given here.

Models are for types: a handler's editor and type checker. The gate is the contract itself, so whatever a type cannot
say as JSON Schema says it is left out: patterns, exact multiples, bounds of elements, alternatives beside members. So are the
bounds of numbers: a number is a float or an integer, and Pydantic would judge bounds of both in Python, which takes
longer than all else that it does for a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from codegen.ir.contract import Schema
from codegen.loading.documents import Document
from codegen.loading.references import ReferenceTarget, SchemaLibrary, as_array, as_object
from codegen.naming import ClassName, end_sentence, replace_unprintable, wrap_text

WIDTH = 110
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
BOUNDING = {"string": COUNTS[:2], "array": COUNTS[2:], "integer": BOUNDS}
"""What bounds the values of a type; on any other it says nothing in JSON Schema, and Pydantic would fail at the first value."""
NUMBER = [{"type": "number"}, {"type": "integer"}]
"""A number: `float` alone makes 270.0 of 270, and rounds beyond 2**53; most are floats, which are tried first."""
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(slots=True)
class ModelSchemas:
    """Collects the schemas that become classes of one module, by class name."""

    library: SchemaLibrary
    home: Document | None
    """The contract whose module is made; None for the module of the shared files."""
    shared_module: str | None
    """The module that has the models of shared files; None when that module itself is made."""
    reserved: frozenset[str]
    """Names of classes that a schema written in place may not take."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Other names for classes of schemas written in place."""
    found: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, document: Document, schema: Schema) -> None:
        """Take an object's schema as the class *name*, and the schemas it refers to."""
        self.found[name] = {}
        required = schema.get("required", ())
        members = {
            key: self.member(document, part, name + ClassName(key), is_required=key in required)
            for key, part in as_object(schema.get("properties")).items()
        }
        self.found[name] = {
            "type": "object",
            **text_of(schema, ends=True),
            "properties": members,
            "required": [key for key in required if key in members],
            "additionalProperties": schema.get("additionalProperties") is not False,
        }

    def member(self, document: Document, schema: Schema, name: str, *, is_required: bool) -> dict[str, Any]:
        """A member of an object, with its description, its default and the bounds that a type can have."""
        _, whole = self.written_out(document, schema)
        typed = self.typed(document, schema, name)
        if not typed.keys() & {"enum", "format"}:
            typed |= {key: whole[key] for key in BOUNDING.get(typed.get("type", ""), ()) if key in whole}
        if "default" in whole and not is_required:
            typed["default"] = fitting(typed, whole["default"])
            if not is_plain(typed):
                typed["x-validate_default"] = True
        return typed | text_of(schema if "$ref" in typed else whole)

    def typed(self, document: Document, schema: Schema, name: str) -> dict[str, Any]:
        """The type of a schema; *name* is for the class it becomes if it is an object written in place."""
        if "$ref" in schema:
            target = self.library.target(document, schema["$ref"])
            if target.is_model and target.name and self.is_class(target):
                return self.reference(target, target.name)
            return self.typed(target.document, {**target.schema, **without_reference(schema)}, name)
        if "enum" in schema or "const" in schema:
            return values_of(schema)
        kinds = types_of(schema)
        if kinds:
            return union([self.of_kind(kind, kinds, document, schema, name) for kind in kinds])
        branches = [*as_array(schema.get("anyOf")), *as_array(schema.get("oneOf"))]
        return union([self.typed(document, branch, name) for branch in branches])

    def of_kind(self, kind: str, kinds: list[str], document: Document, schema: Schema, name: str) -> dict[str, Any]:
        """The part of a schema that one of its types stands for."""
        if kind == "object" and "properties" in schema:
            taken = self.claimed(name)
            self.add(taken, document, schema)
            return {"$ref": f"#/$defs/{taken}"}
        if kind == "object":
            others = schema.get("additionalProperties")
            values = self.typed(document, others, f"{name}Value") if isinstance(others, dict) else {}
            return {"type": "object", "additionalProperties": values or True}
        if kind == "array":
            return {"type": "array", "items": self.typed(document, schema.get("items", {}), f"{name}Item")}
        is_formatted = kind == "string" and "format" in schema and set(kinds) <= {"string", "null"}
        return {"type": kind, "format": schema["format"]} if is_formatted else {"type": kind}

    def claimed(self, name: str) -> str:
        """A class name that no other schema has."""
        if name in self.renamed:
            return self.renamed[name]
        names = chain([name], (f"{name}{number}" for number in count(2)))
        return next(each for each in names if each not in self.found and each not in self.reserved)

    def is_class(self, target: ReferenceTarget) -> bool:
        """Whether a target has a class here: of this contract, or of a shared file. Another server's is written out."""
        return target.document is self.home or "/" not in target.document.name

    def reference(self, target: ReferenceTarget, name: str) -> dict[str, Any]:
        """A reference to a class, of this module or of the shared one."""
        if self.shared_module is not None and "/" not in target.document.name:
            self.found[name] = {"x-python-import": {"module": self.shared_module, "name": name}}
        elif name not in self.found:
            self.add(name, target.document, target.schema)
        return {"$ref": f"#/$defs/{name}"}

    def written_out(self, document: Document, schema: Schema) -> tuple[Document, Schema]:
        """A schema with the references at its root followed, and the document it then stands in."""
        while "$ref" in schema:
            target = self.library.target(document, schema["$ref"])
            document, schema = target.document, {**target.schema, **without_reference(schema)}
        return document, schema


def text_of(schema: Schema, *, ends: bool = False) -> dict[str, str]:
    """The description of a schema, wrapped, or with *ends* as one sentence; nothing where it is blank."""
    text = replace_unprintable(schema.get("description", "")).strip()
    if not text:
        return {}
    return {"description": end_sentence(" ".join(text.split())) if ends else "\n".join(wrap_text(text, WIDTH))}


def without_reference(schema: Schema) -> Schema:
    """What stands beside a schema's `$ref`."""
    return {key: part for key, part in schema.items() if key != "$ref"}


def types_of(schema: Schema) -> list[str]:
    """The types that a schema names; a number is one of two."""
    types = schema.get("type", [])
    named = [types] if isinstance(types, str) else list(types)
    return [kind for name in named for kind in (("number", "integer") if name == "number" else (name,))]


def union(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several types; anything where there is none, or where one of them is anything."""
    different = [branch for index, branch in enumerate(branches) if branch not in branches[:index]]
    if len(different) == 1:
        return different[0]
    return {"anyOf": different} if different and all(different) else {}


def values_of(schema: Schema) -> dict[str, Any]:
    """The type of a schema that lists its values: a Literal, or, where Python has none for them, their type."""
    listed = [schema["const"]] if "const" in schema else list(schema["enum"])
    kinds = types_of(schema)
    values = [fitting({"type": kinds[0]}, value) if len(kinds) == 1 else value for value in listed]
    if all(value is None for value in values):
        return {"type": "null"}
    if all(isinstance(value, str | int | None) for value in values):
        return {"enum": values}
    return union([{"type": kind} for kind in kinds]) if set(kinds) <= SCALARS.keys() else {}


def fitting(typed: Schema, value: Any) -> Any:
    """A default or a listed value as its type is written in Python: 5.0 is an integer to JSON Schema."""
    return int(value) if isinstance(value, float) and typed.get("type") == "integer" else value


def is_plain(typed: Schema) -> bool:
    """Whether a default can be written as it is: it needs no conversion to a date, a UUID or a class."""
    is_scalar = (typed.get("type") in SCALARS and "format" not in typed) or typed.get("anyOf") == NUMBER
    return is_scalar or "enum" in typed or typed["default"] is None


def annotation(schema: Schema, module: str) -> str:
    """A converted schema as server.py writes it; *module* is where the class of a reference lies."""
    if "$ref" in schema:
        return f"{module}.{schema['$ref'].rpartition('/')[2]}"
    if schema.get("type") == "array":
        return f"list[{annotation(schema['items'], module)}]"
    if schema.get("type") == "object":
        return "dict[str, Any]"
    if schema.get("anyOf") == NUMBER:
        return "float | int"
    return "Any" if "format" in schema else SCALARS.get(str(schema.get("type")), "Any")
