"""Schemas for the model generator: types and their bounds, with a name for every class.

Models serve a handler's editor and type checker; the contract's schema validates. Parts of a schema that no type can
express are left out: patterns, exact multiples, bounds of elements, names of members, alternatives beside members.
Bounds of numbers are left out too: a number is "float or int", and Pydantic checks bounds of such a union in Python,
slower than all the rest of a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from toolaccord.semantics.formats import CHECKED_FORMATS
from toolaccord_codegen.ir.tool import Schema
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_equality import distinct_json
from toolaccord_codegen.loading.references import (
    ReferenceTarget,
    SchemaLibrary,
    as_object,
    list_branches,
    subschemas,
)
from toolaccord_codegen.naming import (
    DOCSTRING_WIDTH,
    SUMMARY_WIDTH,
    ClassName,
    replace_unprintable,
    split_summary,
    wrap_text,
)

BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
LENGTHS = ("minLength", "maxLength", "minItems", "maxItems")
BOUNDS_BY_TYPE = {"string": LENGTHS[:2], "array": LENGTHS[2:], "integer": BOUNDS}
"""Keywords that bound the values of a type.

On other types JSON Schema ignores them, and Pydantic fails on them.
"""
NUMBER = [{"type": "number"}, {"type": "integer"}]
"""A number is float or int, and float is tried first.

`float` alone turns 270 into 270.0 and rounds beyond 2**53.
"""
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(slots=True)
class ModelSchemas:
    """Collector of the schemas that become classes of one module."""

    library: SchemaLibrary
    document: Document | None
    """The contract of the module; None for the module of shared models."""
    shared_module: str | None
    """The module of shared models; None while that module itself is generated."""
    reserved_names: frozenset[str]
    """Class names that a nested schema may not take."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """Other names for classes of nested schemas."""
    classes: dict[str, Any] = field(default_factory=dict)
    """The collected schemas by class name."""

    def add_class(self, name: str, document: Document, schema: Schema) -> None:
        """Add an object's schema as the class *name*, with the schemas that it refers to."""
        self.classes[name] = {}
        required = schema.get("required", ())
        members = {
            key: self._convert_member(document, member, name + ClassName(key), is_required=key in required)
            for key, member in as_object(schema.get("properties")).items()
        }
        self.classes[name] = {
            "type": "object",
            **_describe_class(schema),
            "properties": members,
            "required": [key for key in required if key in members],
            "additionalProperties": schema.get("additionalProperties") is not False,
        }

    def resolve_root(self, document: Document, schema: Schema) -> tuple[Document, Schema]:
        """Follow the references at a schema's root; return the merged schema with its document."""
        while "$ref" in schema:
            target = self.library.target(document, schema["$ref"])
            document, schema = target.document, {**target.schema, **_drop_reference(schema)}
        return document, schema

    def _convert_member(self, document: Document, schema: Schema, name: str, *, is_required: bool) -> dict[str, Any]:
        """Convert a member with its description, its default and the bounds that its type supports."""
        _, resolved = self.resolve_root(document, schema)
        member = self.convert_type(document, schema, name)
        if not member.keys() & {"enum", "format"}:
            member |= {key: resolved[key] for key in BOUNDS_BY_TYPE.get(member.get("type", ""), ()) if key in resolved}
        if "default" in resolved and not is_required:
            member["default"] = _coerce_integer(member, resolved["default"])
            if not _is_plain_default(member):
                member["x-validate_default"] = True
        return member | _describe_member(schema if "$ref" in member else resolved)

    def convert_type(self, document: Document, schema: Schema, name: str) -> dict[str, Any]:
        """Convert a schema's type; a nested object becomes the class *name*."""
        if "$ref" in schema:
            target = self.library.target(document, schema["$ref"])
            if target.is_model and target.name and self._is_class(target):
                return self._refer_to(target, target.name)
            return self.convert_type(target.document, {**target.schema, **_drop_reference(schema)}, name)
        if "enum" in schema or "const" in schema:
            return _convert_values(schema)
        types = _list_types(schema)
        if types:
            return _unite([self._convert_one_type(kind, types, document, schema, name) for kind in types])
        branches = list_branches(schema)
        return _unite([self.convert_type(document, branch, name) for branch in branches])

    def _convert_one_type(
        self, kind: str, types: list[str], document: Document, schema: Schema, name: str
    ) -> dict[str, Any]:
        """Convert the part of a schema that belongs to one of its types."""
        if kind == "object" and "properties" in schema:
            class_name = self._choose_class_name(name)
            self.add_class(class_name, document, schema)
            return {"$ref": f"#/$defs/{class_name}"}
        if kind == "object":
            others = schema.get("additionalProperties")
            values = self.convert_type(document, others, f"{name}Value") if isinstance(others, dict) else {}
            return {"type": "object", "additionalProperties": values or True}
        if kind == "array":
            return {"type": "array", "items": self.convert_type(document, schema.get("items", {}), f"{name}Item")}
        is_checked = schema.get("format") in CHECKED_FORMATS
        is_formatted = kind == "string" and is_checked and set(types) <= {"string", "null"}
        return {"type": kind, "format": schema["format"]} if is_formatted else {"type": kind}

    def _choose_class_name(self, name: str) -> str:
        """Choose a class name that no other schema has."""
        if name in self.renames:
            return self.renames[name]
        names = chain([name], (f"{name}{number}" for number in count(2)))
        return next(each for each in names if each not in self.classes and each not in self.reserved_names)

    def find_model(self, document: Document, schema: Schema) -> str | None:
        """Return the model of this document that a schema refers to, adding it; else None."""
        if schema.keys() - {"description"} != {"$ref"}:
            return None
        target = self.library.target(document, schema["$ref"])
        if not target.is_model or not target.name or target.document is not self.document:
            return None
        self._refer_to(target, target.name)
        return target.name

    def _is_class(self, target: ReferenceTarget) -> bool:
        """Tell if a target becomes a class; schemas of other servers are copied in place."""
        return target.document is self.document or "/" not in target.document.name

    def _refer_to(self, target: ReferenceTarget, name: str) -> dict[str, Any]:
        """Refer to a class of this module or of the shared one, adding it if it is new."""
        if self.shared_module is not None and "/" not in target.document.name:
            self.classes[name] = {"x-python-import": {"module": self.shared_module, "name": name}}
        elif name not in self.classes:
            self.add_class(name, target.document, target.schema)
        return {"$ref": f"#/$defs/{name}"}


def strip_titles(schema: Mapping[str, Any]) -> Schema:
    """Return a form whose titled choices are plain ones, which a model expresses better."""
    titled = [option for key in ("oneOf", "anyOf") for option in schema.get(key, ()) if "const" in option]
    plain = {"type": "string", "enum": [option["const"] for option in titled]} if titled else {}
    kept = {key: part for key, part in schema.items() if key not in {"oneOf", "anyOf"} or not titled}
    if "properties" in kept:
        kept["properties"] = {name: strip_titles(member) for name, member in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = strip_titles(kept["items"])
    return kept | plain


def _describe_class(schema: Schema) -> dict[str, str]:
    """Turn a schema's description into a class docstring; nothing if it is blank."""
    text = " ".join(replace_unprintable(schema.get("description", "")).split())
    if not text:
        return {}
    summary, rest = split_summary(text)
    return {"description": "\n\n".join("\n".join(wrap_text(part, DOCSTRING_WIDTH)) for part in (summary, rest) if part)}


def _describe_member(schema: Schema) -> dict[str, str]:
    """Wrap a schema's description for an attribute docstring; nothing if it is blank."""
    text = replace_unprintable(schema.get("description", "")).strip()
    return {"description": "\n".join(wrap_text(text, SUMMARY_WIDTH))} if text else {}


def _drop_reference(schema: Schema) -> Schema:
    """Drop `$ref` and leave the keywords beside it."""
    return {key: part for key, part in schema.items() if key != "$ref"}


def _list_types(schema: Schema) -> list[str]:
    """List a schema's types; "number" counts as number and integer."""
    types = schema.get("type", [])
    named = [types] if isinstance(types, str) else list(types)
    return [kind for name in named for kind in (("number", "integer") if name == "number" else (name,))]


def _unite(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """Unite types; the union is unconstrained if it is empty or a branch is unconstrained."""
    different = distinct_json(branches)
    if len(different) == 1:
        return different[0]
    return {"anyOf": different} if different and all(different) else {}


def _convert_values(schema: Schema) -> dict[str, Any]:
    """Convert `enum` or `const` to a Literal, or to a type if Python has no such Literal."""
    listed = [schema["const"]] if "const" in schema else list(schema["enum"])
    types = _list_types(schema)
    values = [_coerce_integer({"type": types[0]}, value) if len(types) == 1 else value for value in listed]
    if all(value is None for value in values):
        return {"type": "null"}
    if all(isinstance(value, str | int | None) for value in values):
        return {"enum": values}
    return _unite([{"type": kind} for kind in types]) if set(types) <= SCALARS.keys() else {}


def _coerce_integer(converted: Schema, value: Any) -> Any:
    """Write a value of an integer type as Python does: 5.0 is an integer in JSON Schema."""
    return int(value) if isinstance(value, float) and converted.get("type") == "integer" else value


def _is_plain_default(member: Schema) -> bool:
    """Tell if a default needs no conversion to a date, a UUID or a class."""
    is_scalar = (member.get("type") in SCALARS and "format" not in member) or member.get("anyOf") == NUMBER
    return is_scalar or "enum" in member or member["default"] is None


def format_annotation(schema: Schema, module: str) -> str:
    """Format a converted schema as an annotation in server.py; *module* holds its classes."""
    if "$ref" in schema:
        return f"{module}.{schema['$ref'].rpartition('/')[2]}"
    if schema.get("type") == "array":
        return f"list[{format_annotation(schema['items'], module)}]"
    if schema.get("type") == "object":
        return "dict[str, Any]"
    if schema.get("anyOf") == NUMBER:
        return "float | int"
    return "Any" if "format" in schema else SCALARS.get(str(schema.get("type")), "Any")


def has_nullable_member(schema: Schema, *, required: bool = False) -> bool:
    """Tell if some member may be null.

    With *required*, only a required one counts, or one of the outermost object that may be any JSON.
    """
    return any(
        (not required or name in part.get("required", ()) or (not pointer and _admits_any_json(member)))
        and _admits_null(member)
        for pointer, part in subschemas(schema, "")
        for name, member in part.get("properties", {}).items()
    )


def _admits_any_json(schema: Schema) -> bool:
    """Tell if a schema does not restrict the type, so that null is a value like any other."""
    return schema.keys().isdisjoint(("type", "anyOf", "oneOf", "enum", "const"))


def _admits_null(schema: Schema) -> bool:
    """Tell if a schema admits null."""
    types = schema.get("type")
    if types is not None:
        return "null" in ([types] if isinstance(types, str) else types)
    branches = list_branches(schema)
    return any(map(_admits_null, branches)) if branches else None in schema.get("enum", [schema.get("const")])
