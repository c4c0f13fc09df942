"""Examples of responses: a dialect's template, filled as the library fills it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.ir.tool import ErrorCode, Schema, Tool

MEASURED: Mapping[str, Any] = {
    "latency_ms": 12,
    "cached": False,
    "cache_ttl_remaining": None,
    "corr_id": "4bf92f3577b34da6a3ce929d0e0e4736",
}
"""Example values of the placeholders for a call's measurements."""
VIOLATION_MESSAGES: Mapping[str, str] = {
    "additionalProperties": "is not known",
    "type": "has a type that is not allowed",
}
"""Ends of the messages of violations, by keyword."""
EXAMPLES_BY_TYPE: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 0.5, "boolean": True, "array": []}
"""Example values of details, by type."""


def fill_template(template: Any, values: Mapping[str, Any], returns: Schema, arguments: Mapping[str, Any]) -> Any:
    """Fill each placeholder of a template, for a response to *arguments*."""
    if not isinstance(template, dict):
        return template
    name = template.get("$")
    if name is None:
        return {key: fill_template(part, values, returns, arguments) for key, part in template.items()}
    if name == "arguments_in":
        return dict(_list_known_members(_find_member_schema(returns, template["at"]), arguments))
    if name == "empty_of":
        return [] if _find_member_schema(returns, template["at"]).get("type") == "array" else None
    return values[name]


def _list_known_members(schema: Schema, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """List the members of an object that follow from the schema or the arguments alone."""
    for name, member in schema.get("properties", {}).items():
        allowed = [member["const"]] if "const" in member else member.get("enum", ())
        if len(allowed) == 1:
            yield name, allowed[0]
        elif name in arguments:
            yield name, arguments[name]


def _find_member_schema(schema: Schema, pointer: str) -> Schema:
    """Find the schema of the member at a JSON pointer; an empty one if there is none."""
    for token in split_pointer(pointer):
        schema = schema.get("properties", {}).get(token, {})
    return schema


def build_details_example(error: ErrorCode, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Build an example of an error's details, in a response to *arguments*."""
    return {name: _choose_example(detail, arguments.get(name)) for name, detail in error.details.items()}


def _choose_example(detail: Schema, argument: Any) -> Any:
    """Choose the example of one detail: the argument of the same name if its type fits."""
    default = EXAMPLES_BY_TYPE[detail["type"]]
    return argument if type(argument) is type(default) else default


def build_violations_example(dialect: Dialect, pointer: str, keyword: str) -> dict[str, Any]:
    """Build the details of arguments with one violation."""
    message = VIOLATION_MESSAGES.get(keyword, f"breaks the rule '{keyword}'")
    violation = {"at": pointer, "keyword": keyword, "message": f"{pointer} {message}"}
    values = {"field": pointer.removeprefix("/"), "violations": [violation]}
    return {name: values[name] for name in dialect.details["arguments"]}


def get_example_arguments(tool: Tool) -> Mapping[str, Any]:
    """Return the arguments of the tool's first example; none without one."""
    return tool.examples[0].arguments if tool.examples else {}
