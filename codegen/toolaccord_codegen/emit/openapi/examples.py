"""Examples of responses: a dialect's template, filled as the library fills it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.semantics.envelope_values import EnvelopeValues, render
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
    return render(template, EnvelopeValues(values, returns, lambda: arguments))


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
