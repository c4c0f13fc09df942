"""Schemas of HTTP bodies: calls by name, the tool list, references to tools' schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codegen.ir.contract import Contract, Schema, Tool

IDEMPOTENCY_KEY: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,128}$"}
"""Syntax of an idempotency key."""


def build_tool_list_schema(contract: Contract) -> Schema:
    """Build the schema of the response of tools/list."""
    text: Schema = {"type": "string"}
    dates: Schema = {"type": "object", "additionalProperties": {"type": "string", "format": "date"}}
    version_members: Mapping[str, Schema] = {
        "versions": {"type": "array", "minItems": 1, "items": text},
        "latest": text,
        "deprecated": {"type": "array", "items": text},
        "sunset": dates,
    }
    tool = build_object_schema(
        {
            "name": {"type": "string", "enum": [tool.name for tool in contract.tools]},
            "description": {"type": "string"},
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"},
            "annotations": {"type": "object"},
        },
        title=text,
        **(version_members if any(tool.versions for tool in contract.tools) else {}),
    )
    count = len(contract.tools)
    return build_object_schema({"tools": {"type": "array", "minItems": count, "maxItems": count, "items": tool}})


def build_call_schemas(tool: Tool) -> Iterator[Schema]:
    """Build the schemas of a call by name, one for each version; the newest needs no version."""
    key = {"idempotency_key": IDEMPOTENCY_KEY} if tool.window_s is not None else {}
    meta: Schema = {"type": "object", "description": "Metadata of the call", "properties": key}
    name: Schema = {"const": tool.name}
    newest: Schema = {"const": tool.version}
    arguments = _refer_to(tool, "Request")
    if tool.parameters.get("required"):
        yield build_object_schema({"name": name, "arguments": arguments}, version=newest, _meta=meta)
    else:
        yield build_object_schema({"name": name}, version=newest, arguments=arguments, _meta=meta)
    for older, older_arguments in zip(tool.versions, _refer_to_older(tool, "Request"), strict=True):
        version: Schema = {"const": older.version}
        yield build_object_schema({"name": name, "version": version, "arguments": older_arguments}, _meta=meta)


def build_object_schema(required: Mapping[str, Schema], **optional: Schema) -> dict[str, Any]:
    """Build the schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def refer_to_versions(tool: Tool, suffix: str) -> list[Schema]:
    """Refer to a tool's schemas of all versions, the newest first."""
    return [_refer_to(tool, suffix), *_refer_to_older(tool, suffix)]


def any_of(schemas: Sequence[Schema]) -> Schema:
    """Build the schema that admits the values of any of these schemas."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def _refer_to(tool: Tool, suffix: str) -> Schema:
    """Refer to a tool's schema of its newest version."""
    return {"$ref": f"#/components/schemas/{tool.class_name}{suffix}"}


def _refer_to_older(tool: Tool, suffix: str) -> list[Schema]:
    """Refer to a tool's schemas of its older versions, the newest of them first."""
    return [_refer_to(tool, f"{suffix}_{older.constant}") for older in tool.versions]
