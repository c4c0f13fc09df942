"""JSON Schemas of responses: a dialect's envelope around the result of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

REPLAYED = {"$": "replayed"}
"""The placeholder: true if the result is that of an earlier call with the same key."""
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
_TRANSPORT_OCCASIONS = frozenset({"access", "unknown_tool"})
"""Occasions on which the transport rejects a request before any tool runs."""


class Envelopes(Protocol):
    """Envelopes of a dialect, as the compiler or a server has them."""

    @property
    def success(self) -> Any:
        """Template of a success."""

    @property
    def failure(self) -> Any:
        """Template of a failure."""

    @property
    def errors_in_output_schema(self) -> bool:
        """True if the output schema of a tool admits a failure."""

    @property
    def occasion_codes(self) -> Mapping[str, str]:
        """Standard codes by occasion."""


class _Returning(Protocol):
    @property
    def returns(self) -> Schema:
        """Schema of the result."""


class _OlderVersion(_Returning, Protocol):
    @property
    def sunset_on(self) -> object | None:
        """Last day on which the version is answered."""


class _Idempotency(Protocol):
    @property
    def key_from(self) -> Sequence[str]:
        """Origins of a key."""


class EnvelopedTool(_Returning, Protocol):
    """A tool, as the compiler or a server has it."""

    @property
    def error_occasions(self) -> Sequence[tuple[str, str | None]]:
        """Code of each declared error, with the occasion that it is bound to."""

    @property
    def idempotency(self) -> _Idempotency | None:
        """Idempotency of its calls."""

    @property
    def rate_limit(self) -> object | None:
        """Limit of a caller's calls."""

    @property
    def versions(self) -> Sequence[_OlderVersion]:
        """Older versions that are still answered."""


def build_output_schema(dialect: Envelopes, tool: EnvelopedTool) -> dict[str, Any]:
    """Build the `outputSchema` that tools/list publishes for a tool.

    It admits a success in every live version and, if the dialect requires it, a failure.
    """
    successes: list[Schema] = []
    for each in (tool, *tool.versions):
        schema = build_success_schema(dialect, tool, each.returns)
        if schema not in successes:
            successes.append(schema)
    if not dialect.errors_in_output_schema:
        return dict(successes[0]) if len(successes) == 1 else {"type": "object", "anyOf": successes}
    codes = [*(code for code, _ in tool.error_occasions), *select_standard_codes(dialect, tool).values()]
    code = build_code_schema(dict.fromkeys(codes))
    failure = build_envelope_schema(dialect.failure, PLACEHOLDER_SCHEMAS | {"code": code})
    # oneOf needs branches that exclude each other. Members of an envelope do; a bare result may be so open that it
    # admits a failure too, and results of several versions may overlap.
    keyword = "anyOf" if dialect.success == {"$": "result"} or len(successes) > 1 else "oneOf"
    return {"type": "object", keyword: [*successes, failure]}


def build_success_schema(dialect: Envelopes, tool: EnvelopedTool, returns: Schema) -> dict[str, Any]:
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


def select_standard_codes(dialect: Envelopes, tool: EnvelopedTool) -> dict[str, str]:
    """Select the dialect's codes for occasions to which the tool binds no code, by occasion."""
    excluded = _TRANSPORT_OCCASIONS | {occasion for _, occasion in tool.error_occasions if occasion}
    takes_key = tool.idempotency is not None and "request" in tool.idempotency.key_from
    excluded |= set() if takes_key else {"conflict"}
    excluded |= set() if tool.rate_limit else {"rate_limit"}
    excluded |= set() if any(older.sunset_on for older in tool.versions) else {"sunset"}
    return {occasion: code for occasion, code in dialect.occasion_codes.items() if occasion not in excluded}


def omit_replayed(template: Any) -> Any:
    """Return a dialect's *template* without the placeholder, for calls that repeat nothing."""
    if not isinstance(template, dict):
        return template
    return {name: omit_replayed(part) for name, part in template.items() if part != REPLAYED}
