"""The contract.schema.json of the compiler, made of the language's records."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Mapping
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, is_typeddict

from toolaccord.contract.accepted import AcceptedFile
from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.constraints import Beside, ByName, Constraint, Definition, Others, Required, Shape, Within
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.documents import Schemas
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.texts import SchemaPath
from toolaccord_codegen.loading.documents import OWN_SCHEMA
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.record_keys import Key, find_mark, list_alternatives, list_keys, list_kinds, split_marks

ROOTS = (ServerContract, AgentContract, SchemaPath, Schemas, AcceptedFile, Dialect)
"""The types from which all others of the language are reached."""
SCALARS: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
FRAME, SNIPPETS = (Path(__file__).with_name(name) for name in ("frame.json", "snippets.json"))
"""The parts that no record declares: JSON Schema itself, and snippets by definition."""

Schema = dict[str, Any]


def write_schema() -> None:
    """Write the compiler's contract.schema.json."""
    OWN_SCHEMA.write_text(format_json(build_schema()), encoding="utf-8")


def build_schema() -> Schema:
    """Build the schema of contracts, and of the other files of a contracts folder."""
    frame: Schema = json.loads(FRAME.read_text(encoding="utf-8"))
    language = _Language()
    for root in ROOTS:
        language.describe_type(root)
    for name, snippets in json.loads(SNIPPETS.read_text(encoding="utf-8")).items():
        language.definitions[name]["defaultSnippets"] = snippets
    return {**frame, "$defs": language.definitions | frame["$defs"]}


@dataclass(frozen=True, slots=True)
class _Language:
    """The definitions of the language."""

    definitions: dict[str, Schema] = field(default_factory=dict)

    def describe_type(self, hint: Any) -> Schema:
        """Return the schema of a type's values; records and named types become definitions."""
        base, marks = split_marks(hint)
        by_name = find_mark(hint, ByName)
        shape = find_mark(hint, Shape)
        described = shape.members if shape else base
        schema = self._describe_named(base, by_name) if by_name else self._describe_base(described)
        for mark in marks:
            if isinstance(mark, Definition):
                if mark.keywords:
                    self.definitions[mark.name] = _merge(schema, mark.keywords)
                schema = {"$ref": f"#/$defs/{mark.name}"}
            elif isinstance(mark, Constraint):
                schema = mark.keywords if "const" in mark.keywords else _merge(schema, mark.keywords)
            elif isinstance(mark, Within):
                schema = _close({"type": "object", "properties": {mark.key: schema}, "required": [mark.key]})
        return schema

    def _describe_base(self, base: Any) -> Schema:
        if base in SCALARS or base is Any:
            return {"type": SCALARS[base]} if base in SCALARS else {}
        if is_dataclass(base) or is_typeddict(base):
            return self._describe_record(base)
        origin, arguments = get_origin(base), get_args(base)
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": [*arguments]}
        if origin in {tuple, list}:
            items = self.describe_type(arguments[0])
            return {"type": "array", **({"items": items} if items else {})}
        return self._describe_mapping(*arguments) if origin is AbstractMapping else self._describe_union(base)

    def _describe_union(self, union: Any) -> Schema:
        kinds = list_alternatives(union)
        return self._describe_kinds(union) if is_dataclass(kinds[0]) else {"type": [SCALARS[each] for each in kinds]}

    def _describe_named(self, base: Any, by_name: ByName) -> Schema:
        """Return the schema of an object that has records by name."""
        return self._describe_mapping(by_name.names, get_args(base)[0])

    def _describe_mapping(self, names: Any, members: Any) -> Schema:
        described = {} if names is str else {"propertyNames": self.describe_type(names)}
        others = self.describe_type(members)
        return {"type": "object", **described, **({"additionalProperties": others} if others else {})}

    def _describe_kinds(self, union: Any) -> Schema:
        """Return the schema of records that their key `kind` tells apart."""
        kinds = list_kinds(union)
        branches = [
            {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": self.describe_type(record)}
            for kind, record in kinds.items()
            if kind is not None
        ]
        known: Schema = {"properties": {"kind": {"enum": [kind for kind in kinds if kind is not None]}}}
        if None in kinds:
            is_custom = {"properties": {"kind": {"type": "string", "pattern": r"\."}}}
            known = {"if": is_custom, "then": self.describe_type(kinds[None]), "else": known}
        return {"type": "object", **known, "required": ["kind"], "allOf": branches}

    def _describe_record(self, record: type) -> Schema:
        """Return a reference to the definition of a record or a typed mapping."""
        name = record.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # a record may contain itself
            self.definitions[name] |= self._describe_object(record)
        return {"$ref": f"#/$defs/{name}"}

    def _describe_object(self, record: type) -> Schema:
        docstrings = _read_docstrings(record)
        keys = [key for key in list_keys(record) if not find_mark(key.hint, Others)]
        has_notes = is_dataclass(record) and getattr(record, "has_notes", True)
        schema = {
            "type": "object",
            "description": " ".join((record.__doc__ or "").split()),
            "properties": {
                name: part for key in keys for name, part in self._describe_key(key, docstrings.get(key.name)).items()
            },
            "required": [key.name for key in keys if key.is_required and not find_mark(key.hint, Beside)],
            **({"patternProperties": {"^x-": {}}} if has_notes else {}),
        }
        closed = _close(_merge(schema, getattr(record, "keywords", {})))
        return closed if len(keys) == len(list_keys(record)) else {**closed, "additionalProperties": True}

    def _describe_key(self, key: Key, docstring: str | None) -> dict[str, Schema]:
        """Return the schema of a key by its name; of members beside other keys, those of all."""
        if beside := find_mark(key.hint, Beside):
            members = _read_docstrings(beside.members)
            return {
                name: part
                for each in list_keys(beside.members)
                for name, part in self._describe_key(each, members.get(each.name)).items()
            }
        schema = self.describe_type(key.hint)
        if type(key.default) in SCALARS and "const" not in schema and not find_mark(key.hint, Required):
            schema = {**schema, "default": key.default}
        return {key.name: {**schema, **({"description": docstring} if docstring else {})}}


def _close(schema: Schema) -> Schema:
    """Return the schema of an object without other members; an empty list of required ones goes."""
    required = {} if schema["required"] else {"required": None}
    closed = {**schema, **required, "additionalProperties": False}
    return {keyword: value for keyword, value in closed.items() if value is not None}


def _merge(schema: Mapping[str, Any], others: Mapping[str, Any]) -> Schema:
    """Return a schema with other keywords; objects under one keyword are merged."""
    merged = dict(schema)
    for keyword, value in others.items():
        known = merged.get(keyword)
        merged[keyword] = _merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _read_docstrings(record: type) -> dict[str, str]:
    """Return the docstrings below the fields of a class and its bases."""
    found: dict[str, str] = {}
    for each in reversed(record.__mro__) if is_dataclass(record) else [record]:
        if each.__module__.startswith("toolaccord."):
            found |= _parse_docstrings(each)
    return found


def _parse_docstrings(record: type) -> dict[str, str]:
    """Return the docstrings below the fields that a class itself has."""
    (body,) = (
        each for each in ast.parse(textwrap.dedent(inspect.getsource(record))).body if isinstance(each, ast.ClassDef)
    )
    return {
        named.target.id: " ".join(text.value.value.split())
        for named, text in zip(body.body, body.body[1:], strict=False)
        if isinstance(named, ast.AnnAssign)
        and isinstance(named.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


if __name__ == "__main__":
    write_schema()
