"""Examples of answers: a dialect's template, filled as the runtime would fill it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.ir.contract import ErrorCode, Schema, Tool
from codegen.loading.documents import split_pointer

MEASURED: Mapping[str, Any] = {
    "latency_ms": 12,
    "cached": False,
    "cache_ttl_remaining": None,
    "corr_id": "4bf92f3577b34da6a3ce929d0e0e4736",
}
"""What an example of an answer says about its own making."""
SAID: Mapping[str, str] = {"additionalProperties": "is not known", "type": "has a type that is not allowed"}
"""What is said of a place that breaks a keyword."""
BY_TYPE: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 0.5, "boolean": True, "array": []}
"""A value of each type that a detail can have."""


def filled(template: Any, values: Mapping[str, Any], returns: Schema, arguments: Mapping[str, Any]) -> Any:
    """A template with each placeholder replaced, in an answer to *arguments*."""
    if not isinstance(template, dict):
        return template
    name = template.get("$")
    if name is None:
        return {key: filled(part, values, returns, arguments) for key, part in template.items()}
    if name == "arguments_in":
        return dict(known_members(schema_at(returns, template["at"]), arguments))
    if name == "empty_of":
        return [] if schema_at(returns, template["at"]).get("type") == "array" else None
    return values[name]


def known_members(schema: Schema, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of an object that are known without a result."""
    for name, declared in schema.get("properties", {}).items():
        allowed = [declared["const"]] if "const" in declared else declared.get("enum", ())
        if len(allowed) == 1:
            yield name, allowed[0]
        elif name in arguments:
            yield name, arguments[name]


def schema_at(schema: Schema, pointer: str) -> Schema:
    """The schema of the member that a pointer names; an empty one where there is none."""
    for token in split_pointer(pointer):
        schema = schema.get("properties", {}).get(token, {})
    return schema


def details_of(error: ErrorCode, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What an error's details may hold in an answer to *arguments*."""
    return {name: sample(detail, arguments.get(name)) for name, detail in (error.details or {}).items()}


def sample(detail: Schema, known: Any) -> Any:
    """A value for one detail: the argument of the same name where it may be that one."""
    usual = BY_TYPE[detail["type"]]
    return known if type(known) is type(usual) else usual


def violations_at(pointer: str, keyword: str) -> dict[str, Any]:
    """The details of arguments that break the schema in one place."""
    said = SAID.get(keyword, f"breaks the rule '{keyword}'")
    return {"violations": [{"at": pointer, "keyword": keyword, "message": f"{pointer} {said}"}]}


def usual_arguments(tool: Tool) -> Mapping[str, Any]:
    """The arguments of the tool's first example."""
    return tool.examples[0].arguments
