"""Form in which a server publishes schemas, for clients that know one type per schema.

Some hosts convert a tool's schemas into a dialect where `type` is one name, such as the part of OpenAPI that Gemini
reads. They reject a list of types and a schema without a type, or drop them. The published form says the same with
`anyOf`. The schema that validates stays as the contract has it.
"""

from __future__ import annotations

from typing import Any

JSON_TYPES = ("object", "array", "string", "number", "boolean", "null")
"""The types of JSON values; an integer is a number."""
_TYPE_OF = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "propertyNames"), ("object",)),
    **dict.fromkeys(("items", "minItems", "maxItems"), ("array",)),
    **dict.fromkeys(("pattern", "format", "minLength", "maxLength"), ("string",)),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), ("number", "integer")
    ),
}
"""The types that a keyword restricts; JSON Schema ignores it on others."""
_ALTERNATIVES = ("anyOf", "oneOf")
_UNTYPED = frozenset({"enum", "const", *_ALTERNATIVES, *_TYPE_OF})
"""Keywords that restrict a value without `type`."""


def publish_schema(schema: Any, *, is_open: bool = False) -> Any:
    """Return an equivalent of *schema* with at most one type in each part.

    *schema* has its references inlined. With *is_open*, boolean `additionalProperties` is left out at every depth.
    """
    if not isinstance(schema, dict):
        return schema
    found = {key: _publish_keyword(key, part, is_open=is_open) for key, part in schema.items()}
    if is_open and isinstance(schema.get("additionalProperties"), bool):
        del found["additionalProperties"]
    types = schema.get("type")
    if isinstance(types, str) or (types is None and _UNTYPED & found.keys()):
        return found
    return _split_types(found, types or JSON_TYPES)


def _publish_keyword(key: str, part: Any, *, is_open: bool) -> Any:
    """Return a keyword's value with the schemas in it as they are published."""
    if key in ("items", "additionalProperties"):
        return publish_schema(part, is_open=is_open)
    if key in _ALTERNATIVES:
        return [publish_schema(branch, is_open=is_open) for branch in part]
    if key == "properties":
        return {name: publish_schema(member, is_open=is_open) for name, member in part.items()}
    return part


def _split_types(schema: dict[str, Any], types: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Return *schema* with a branch of `anyOf` for each of *types* instead of its `type`."""
    inside = {key: part for key, part in schema.items() if key in _TYPE_OF or key in _ALTERNATIVES}
    branches = [
        {"type": name} | {key: part for key, part in inside.items() if name in _TYPE_OF.get(key, types)}
        for name in types
    ]
    outside = {key: part for key, part in schema.items() if key != "type" and key not in inside}
    return outside | {"anyOf": branches}
