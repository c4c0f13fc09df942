"""Schemas of responses with content, which are objects as MCP's tools/call returns them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord_codegen.ir.tool import Schema, Tool

ANNOTATIONS: Schema = {"type": "object", "description": "Advice on the use of the content"}
TEXT: Schema = {"type": "string"}
BASE64: Schema = {"type": "string", "contentEncoding": "base64"}
MEDIA_TYPE: Schema = {"type": "string", "description": "Media type"}
URI: Schema = {"type": "string", "format": "uri"}
RESOURCE: Schema = {
    "type": "object",
    "properties": {"uri": URI, "mimeType": MEDIA_TYPE, "text": TEXT, "blob": BASE64},
    "required": ["uri"],
    "additionalProperties": False,
}
LINK: Mapping[str, Schema] = {
    "uri": URI,
    "name": TEXT,
    "title": TEXT,
    "description": TEXT,
    "mimeType": MEDIA_TYPE,
    "size": {"type": "integer", "minimum": 0, "description": "Size in bytes"},
}


def build_content_schema(tool: Tool, success: Schema) -> dict[str, Any]:
    """Build the schema of a response with content, around the schema of its envelope."""
    blocks = [_build_block_schema(kind) for kind in tool.content]
    content = {"type": "array", "items": blocks[0] if len(blocks) == 1 else {"anyOf": blocks}}
    result = {"structuredContent": success} if tool.has_result else {}
    members = {"content": content, **result}
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _build_block_schema(kind: str) -> dict[str, Any]:
    """Build the schema of a block of one kind, or of one media type."""
    family, _, subtype = kind.partition("/")
    members: Mapping[str, Schema] = {"data": BASE64, "mimeType": {"const": kind} if subtype else MEDIA_TYPE}
    optional: set[str] = set()
    if family == "text":
        members = {"text": TEXT}
    elif family == "resource":
        members = {"resource": RESOURCE}
    elif family == "resource_link":
        members, optional = LINK, {"title", "description", "mimeType", "size"}
    return {
        "type": "object",
        "properties": {"type": {"const": family}, **members, "annotations": ANNOTATIONS},
        "required": ["type", *(name for name in members if name not in optional)],
        "additionalProperties": False,
    }
