"""JSON Schemas of responses: a dialect's envelope around a tool's `returns`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolaccord.semantics.replays import REPLAYED, omit_replayed
from toolaccord_codegen.ir.contract import Dialect
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.json_equality import distinct_json

PLACEHOLDER_SCHEMAS: dict[str, Schema] = {
    "message": {"type": "string", "description": "Explanation of the error, with a remedy where there is one"},
    "details": {"type": "object", "description": "Details of the error", "additionalProperties": True},
    "latency_ms": {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"},
    "jsonrpc_code": {"type": "integer", "description": "Number of the error's code in JSON-RPC"},
    "cached": {"type": "boolean", "description": "True if the result came from the cache"},
    "cache_ttl_remaining": {
        "type": ["number", "null"],
        "minimum": 0,
        "description": "Seconds until the cached result expires; null if the result was fetched for this call",
    },
    "replayed": {
        "const": True,
        "description": "Present if the result is that of an earlier call with the same idempotency key",
    },
    "corr_id": {"type": "string", "description": "Correlation id of the call in logs and traces"},
    "arguments_in": {"type": "object"},
    "empty_of": {"type": ["array", "null"], "maxItems": 0},
    "source": {"type": ["string", "null"], "description": "Kind of the system that the result came from"},
}
"""Schemas of the template placeholders that are the same for every tool."""
TRANSPORT_OCCASIONS = frozenset({"access", "unknown_tool"})
"""Occasions on which the transport rejects a request before any tool runs."""


def build_output_schema(dialect: Dialect, tool: Tool) -> dict[str, Any]:
    """Build the `outputSchema` that tools/list publishes for a tool.

    It admits a success in every live version and, if the dialect requires it, a failure.
    """
    all_returns = (tool.returns, *(older.returns for older in tool.versions))
    schemas = [build_success_schema(dialect, tool, returns) for returns in all_returns]
    successes = distinct_json(schemas)
    if not dialect.errors_in_output_schema:
        return successes[0] if len(successes) == 1 else {"type": "object", "anyOf": successes}
    code = build_code_schema(_list_codes(dialect, tool))
    failure = build_envelope_schema(dialect.failure, PLACEHOLDER_SCHEMAS | {"code": code})
    # oneOf needs branches that exclude each other. Members of an envelope do; a bare result may be so open that it
    # admits a failure too, and results of several versions may overlap.
    keyword = "anyOf" if dialect.success == {"$": "result"} or len(successes) > 1 else "oneOf"
    return {"type": "object", keyword: [*successes, failure]}


def build_success_schema(dialect: Dialect, tool: Tool, returns: Schema) -> dict[str, Any]:
    """Build the schema of a successful response; only that of a tool with keys may be replayed."""
    template = dialect.success if tool.idempotency else omit_replayed(dialect.success)
    return build_envelope_schema(template, PLACEHOLDER_SCHEMAS | {"result": returns})


def build_code_schema(codes: Iterable[str]) -> dict[str, Any]:
    """Build the schema of an error code that is one of *codes*."""
    return {"type": "string", "enum": list(codes), "description": "Error code"}


def build_envelope_schema(template: Any, values: Mapping[str, Schema]) -> dict[str, Any]:
    """Build the schema of a filled template from the schemas of its placeholders."""
    if not isinstance(template, dict):
        return {"const": template}
    if "$" in template:
        return dict(values[template["$"]])
    members = {name: build_envelope_schema(part, values) for name, part in template.items()}
    required = [name for name, part in template.items() if part != REPLAYED]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": False}


def _list_codes(dialect: Dialect, tool: Tool) -> list[str]:
    """List every code of a tool's errors: its own first, then the dialect's standard codes."""
    return list(dict.fromkeys([*(error.code for error in tool.errors), *select_standard_codes(dialect, tool).values()]))


def select_standard_codes(dialect: Dialect, tool: Tool) -> dict[str, str]:
    """Select the dialect's codes for occasions to which the tool binds no code, by occasion."""
    bound = {error.when["occasion"] for error in tool.errors if error.when and "occasion" in error.when}
    excluded = bound | TRANSPORT_OCCASIONS | (set() if tool.takes_key else {"conflict"})
    excluded |= set() if tool.rate_limit else {"rate_limit"}
    excluded |= set() if any(older.sunset_on for older in tool.versions) else {"sunset"}
    return {occasion: code for occasion, code in dialect.occasions.items() if occasion not in excluded}
