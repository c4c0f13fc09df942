"""OpenAPI 3.1 document of a server: openapi.json."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from codegen.emit.envelopes import build_success_schema
from codegen.emit.openapi.error_responses import build_failure_schema
from codegen.emit.openapi.operations import (
    TOOLS_TAG,
    build_call_operation,
    build_list_operation,
    build_tool_operation,
)
from codegen.emit.openapi.probes import (
    OPERATIONS_TAG,
    build_health_operation,
    build_metrics_operation,
    build_ready_operation,
)
from codegen.emit.openapi.responses import build_shared_responses, collect_errors
from codegen.emit.openapi.schemas import IDEMPOTENCY_KEY, build_object_schema
from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Schema
from codegen.loading.json_parser import format_json
from codegen.loading.references import subschemas
from codegen.naming import end_sentence

TEXT: Schema = {"type": "string"}


def build_openapi_files(contracts: Iterable[Contract]) -> Tree:
    """Build the openapi.json of each server."""
    return {
        f"{contract.system}/{contract.module}/openapi.json": format_json(build_document(contract))
        for contract in contracts
    }


def build_document(contract: Contract) -> dict[str, Any]:
    """Build the OpenAPI document of one server."""
    operations = {f"/mcp/tools/{tool.name}": {"post": build_tool_operation(contract, tool)} for tool in contract.tools}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": contract.title,
            "version": contract.version,
            "description": "\n\n".join(filter(None, [end_sentence(contract.description), contract.instructions])),
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "tags": [
            {"name": TOOLS_TAG, "description": f"Tools of {contract.name}."},
            {"name": OPERATIONS_TAG, "description": "Liveness, readiness and metrics."},
        ],
        "paths": {
            **operations,
            "/mcp/tools/list": {"post": build_list_operation(contract)},
            "/mcp/tools/call": {"post": build_call_operation(contract)},
            "/health": {"get": build_health_operation(contract)},
            "/ready": {"get": build_ready_operation(contract)},
            "/metrics": {"get": build_metrics_operation(contract)},
        },
        "components": _build_components(contract),
    }


def _build_components(contract: Contract) -> dict[str, Any]:
    """Build the components that the operations refer to."""
    bearer = {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of MCP_AUTH_TOKEN. A server on loopback without one accepts every request.",
    }
    return {
        "securitySchemes": {"bearer": bearer},
        "parameters": _build_parameters(),
        "headers": {**_build_deprecation_headers(contract), **_build_headers()},
        "responses": build_shared_responses(contract),
        "examples": {code: {"value": error.example} for code, error in collect_errors(contract).items()},
        "schemas": _build_schemas(contract),
    }


def _build_parameters() -> dict[str, Any]:
    """Build the parameters for request headers, all of them optional."""
    correlation = "Correlation id of the call in logs and traces; a malformed one is ignored."
    span = "The caller's span, as defined by W3C Trace Context."
    state = "Tracing systems' additions to traceparent, as defined by W3C Trace Context."
    key = "Key of the call. A repeated call with the same key writes nothing and gets the first response."
    headers = {
        "CorrelationId": ("X-Correlation-ID", correlation, TEXT),
        "TraceParent": ("traceparent", span, TEXT),
        "TraceState": ("tracestate", state, TEXT),
        "IdempotencyKey": ("Idempotency-Key", key, IDEMPOTENCY_KEY),
    }
    return {
        component: {"name": name, "in": "header", "required": False, "description": description, "schema": schema}
        for component, (name, description, schema) in headers.items()
    }


def _build_headers() -> dict[str, Any]:
    """Build the response headers of every server."""
    return {
        "CorrelationId": {
            "description": "Correlation id of the call in logs and traces.",
            "required": True,
            "schema": TEXT,
        },
        "Challenge": {
            "description": "Authentication scheme to use; sent if the token is missing or wrong.",
            "schema": {"type": "string", "pattern": "^Bearer"},
        },
    }


def _build_deprecation_headers(contract: Contract) -> dict[str, Any]:
    """Build the headers of responses in deprecated versions; none if no version is deprecated."""
    if not any(older.deprecated_on for tool in contract.tools for older in tool.versions):
        return {}
    headers = {
        "Deprecation": ("Date of the version's deprecation, as defined by RFC 9745.", "^@[0-9]+$"),
        "Sunset": ("Date after which the version is not available, as defined by RFC 8594.", "GMT$"),
        "Link": ("Link to the successor version, as defined by RFC 5829.", 'rel="successor-version"$'),
    }
    return {
        name: {"description": description, "schema": {"type": "string", "pattern": pattern}}
        for name, (description, pattern) in headers.items()
    }


def _build_schemas(contract: Contract) -> dict[str, Any]:
    """Build the schemas of each tool's arguments and responses, and of error responses."""
    schemas: dict[str, Any] = {}
    for tool in contract.tools:
        schemas[f"{tool.class_name}Request"] = _drop_draft(tool.parameters)
        schemas[f"{tool.class_name}Response"] = build_success_schema(contract.dialect, _drop_draft(tool.returns))
        for older in tool.versions:
            response = build_success_schema(contract.dialect, _drop_draft(older.returns))
            schemas[f"{tool.class_name}Request_{older.constant}"] = _drop_draft(older.parameters)
            schemas[f"{tool.class_name}Response_{older.constant}"] = response
    schemas["Violations"] = _build_violations_schema()
    errors = collect_errors(contract)
    return schemas | {code: build_failure_schema(contract.dialect, error) for code, error in errors.items()}


def _build_violations_schema() -> Schema:
    """Build the schema of the details of invalid arguments."""
    pointer = {"type": "string", "description": "JSON pointer of the argument, also of a missing or unknown one"}
    keyword = {"type": "string", "description": "Violated keyword of the schema, or name of the violated rule"}
    violation = build_object_schema({"at": pointer, "keyword": keyword, "message": {"type": "string"}})
    violations = {"type": "array", "minItems": 1, "maxItems": 100, "items": violation}
    return build_object_schema({"violations": violations})


def _drop_draft(schema: Schema) -> dict[str, Any]:
    """Copy a schema without `$schema`: the contract language means the same in every draft."""
    copied = deepcopy(dict(schema))
    parts = [part for _, part in subschemas(copied, "") if isinstance(part, dict)]
    for part in parts:
        part.pop("$schema", None)
    return copied
