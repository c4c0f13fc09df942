"""The schema of an answer: a dialect's template around a tool's `returns`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from codegen.ir.contract import Dialect, Schema, Tool

FIXED: dict[str, Schema] = {
    "message": {"type": "string", "description": "What went wrong, and what to do about it"},
    "details": {"type": "object", "description": "Values that belong to the error", "additionalProperties": True},
    "latency_ms": {"type": "number", "minimum": 0, "description": "Milliseconds the call took"},
    "cached": {"type": "boolean", "description": "Whether the answer was given before"},
    "cache_ttl_remaining": {
        "type": ["number", "null"],
        "minimum": 0,
        "description": "Seconds for which the answer is given again; null when it was fetched for this call",
    },
    "corr_id": {"type": "string", "description": "By what the call is known in logs and traces"},
    "arguments_in": {"type": "object"},
    "empty_of": {"type": ["array", "null"], "maxItems": 0},
    "source": {"type": ["string", "null"], "description": "The kind of the system that answered"},
}
"""The schemas of the template values that are the same for every tool."""
BEFORE_A_TOOL = frozenset({"access", "unknown_tool"})
"""Occasions on which no tool answers: the transport refuses."""


def output_schema(dialect: Dialect, tool: Tool) -> dict[str, Any]:
    """What tools/list publishes: the schema of a success in each version and, where the dialect admits them, of a failure."""
    every = [success_schema(dialect, returns) for returns in (tool.returns, *(each.returns for each in tool.versions))]
    successes = [success for index, success in enumerate(every) if success not in every[:index]]
    if not dialect.errors_in_output_schema:
        return successes[0] if len(successes) == 1 else {"type": "object", "anyOf": successes}
    failure = envelope(dialect.failure, FIXED | {"code": code_schema(codes(dialect, tool))})
    # A bare result may be so open that it admits a failure too; an envelope's members keep the two apart. What several
    # versions give may be alike.
    one = "anyOf" if dialect.success == {"$": "result"} or len(successes) > 1 else "oneOf"
    return {"type": "object", one: [*successes, failure]}


def success_schema(dialect: Dialect, returns: Schema) -> dict[str, Any]:
    """The schema of an answer that is no error."""
    return envelope(dialect.success, FIXED | {"result": returns})


def code_schema(allowed: Iterable[str]) -> dict[str, Any]:
    """The schema of an error's code."""
    return {"type": "string", "enum": list(allowed), "description": "Which error it is"}


def envelope(template: Any, values: Mapping[str, Schema]) -> dict[str, Any]:
    """The schema of what a template becomes; *values* are the schemas of what its placeholders stand for."""
    if not isinstance(template, dict):
        return {"const": template}
    if "$" in template:
        return dict(values[template["$"]])
    members = {name: envelope(part, values) for name, part in template.items()}
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def codes(dialect: Dialect, tool: Tool) -> list[str]:
    """Every code a tool may answer with: its own, then those of the occasions it does not bind."""
    return list(dict.fromkeys([*(error.code for error in tool.errors), *unbound(dialect, tool).values()]))


def unbound(dialect: Dialect, tool: Tool) -> dict[str, str]:
    """The dialect's codes for what can happen to a tool that binds none of its own to it, by occasion."""
    bound = {error.when["occasion"] for error in tool.errors if error.when and "occasion" in error.when}
    never = bound | BEFORE_A_TOOL | (set() if tool.window_s is not None else {"conflict"})
    never |= set() if any(older.sunset_on for older in tool.versions) else {"sunset"}
    return {occasion: code for occasion, code in dialect.occasions.items() if occasion not in never}
