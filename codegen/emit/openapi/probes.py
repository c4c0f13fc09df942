"""Operations for operators: liveness, readiness and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.emit.openapi.error_responses import list_transport_errors
from codegen.emit.openapi.responses import build_content, build_responses
from codegen.emit.openapi.schemas import any_of, build_object_schema
from codegen.ir.contract import Contract

OPERATIONS_TAG = "Operations"
PROBE_ERRORS = (401, 403, 421, 500, 503)
"""Statuses with which the transport rejects requests of every kind."""


def build_health_operation(contract: Contract) -> dict[str, Any]:
    """Build the operation that checks if the process is alive."""
    schema = build_object_schema({"status": {"const": "ok"}})
    return _build_probe(contract, "health", "Check that the process is alive", build_content(schema, {}))


def build_ready_operation(contract: Contract) -> dict[str, Any]:
    """Build the operation that checks if the server's sources respond."""
    state = {"type": "string", "enum": ["ok", "unavailable"]}
    sources = build_object_schema({source.name: state for source in contract.sources})
    ready = build_object_schema({"status": {"const": "ready"}, "sources": sources})
    unready = build_object_schema({"status": {"const": "not ready"}, "sources": sources})
    operation = _build_probe(contract, "ready", "Check that the sources respond", build_content(ready, {}))
    stopping = {"$ref": f"#/components/schemas/{contract.dialect.occasions['internal']}"}
    description = "A source does not respond, or the server is stopping."
    content = build_content(any_of([unready, stopping]), {})
    operation["responses"]["503"] = {"description": description, "content": content}
    return operation


def build_metrics_operation(contract: Contract) -> dict[str, Any]:
    """Build the operation that returns the metrics."""
    text = {"text/plain": {"schema": {"type": "string"}}}
    return _build_probe(contract, "metrics", "Read the metrics in Prometheus format", text)


def _build_probe(contract: Contract, name: str, summary: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Build an operation that takes no arguments and calls no tool."""
    success = {"description": "Success.", "content": content}
    return {
        "operationId": f"server/{name}",
        "tags": [OPERATIONS_TAG],
        "summary": summary,
        "responses": build_responses(contract, success, list_transport_errors(contract.dialect, PROBE_ERRORS)),
    }
