"""Schemas of HTTP bodies: calls by name, references to tools' schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.references import convert_children

IDEMPOTENCY_KEY: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,128}$"}
"""Syntax of an idempotency key."""


def build_call_schemas(tool: Tool) -> Iterator[Schema]:
    """Build the schemas of a call by name, one for each version; the newest needs no version."""
    key = {"idempotency_key": IDEMPOTENCY_KEY} if tool.takes_key else {}
    meta: Schema = {"type": "object", "description": "Metadata of the call", "properties": key}
    name: Schema = {"const": tool.name}
    newest: Schema = {"const": tool.version}
    arguments, *older = ({"$ref": f"#/components/schemas/{name}"} for name in list_components(tool, "Request"))
    yield _build_call_schema(tool.parameters, {"name": name}, arguments, version=newest, _meta=meta)
    for each, older_arguments in zip(tool.versions, older, strict=True):
        named: dict[str, Schema] = {"name": name, "version": {"const": each.version}}
        yield _build_call_schema(each.parameters, named, older_arguments, _meta=meta)


def _build_call_schema(
    parameters: Schema, required: Mapping[str, Schema], arguments: Schema, **optional: Schema
) -> dict[str, Any]:
    """Build the schema of a call, which needs *arguments* if one of *parameters* is required."""
    if parameters.get("required"):
        return build_object_schema({**required, "arguments": arguments}, **optional)
    return build_object_schema(required, arguments=arguments, **optional)


def build_object_schema(required: Mapping[str, Schema], **optional: Schema) -> dict[str, Any]:
    """Build the schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def admit_nulls(schema: Schema) -> dict[str, Any]:
    """Copy the schema of arguments with null admitted where servers take it as absent."""
    nested = {"properties", "items", "additionalProperties"}
    copied = {
        key: convert_children(key, value, admit_nulls) if key in nested else value for key, value in schema.items()
    }
    members, required = copied.get("properties", {}), copied.get("required", ())
    nullable = {name: member if name in required else _admit_null(member) for name, member in members.items()}
    return copied | {"properties": nullable} if members else copied


def _admit_null(schema: Schema) -> Schema:
    """Return a schema that also admits null, in its shortest form."""
    kind = schema.get("type")
    if isinstance(kind, str) and "const" not in schema:
        values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [kind, "null"], **values}
    admits_null = "null" in (kind or ()) or not schema.keys() & {"type", "anyOf", "oneOf", "enum", "const"}
    return schema if admits_null else {"anyOf": [schema, {"type": "null"}]}


def any_of(schemas: Sequence[Schema]) -> Schema:
    """Build the schema that admits the values of any of these schemas."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def list_components(tool: Tool, suffix: str) -> list[str]:
    """List the names of a tool's schemas of all versions, the newest first."""
    return [f"{tool.class_name}{suffix}", *(f"{tool.class_name}{suffix}_{each.constant}" for each in tool.versions)]
