"""What a server offers over HTTP, as OpenAPI 3.1: its openapi.json."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from codegen.emit.envelopes import success_schema
from codegen.emit.openapi.error_responses import failure_schema
from codegen.emit.openapi.operations import (
    KEY,
    OPERATIONS,
    TOOLS,
    all_refusals,
    call_operation,
    health_operation,
    list_operation,
    metrics_operation,
    ready_operation,
    record,
    shared_responses,
    tool_operation,
)
from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Schema
from codegen.loading.json_parser import format_json
from codegen.loading.references import subschemas
from codegen.naming import end_sentence


def openapi_files(contracts: Iterable[Contract]) -> Tree:
    """The openapi.json of each server."""
    return {
        f"{contract.system}/{contract.module}/openapi.json": format_json(document(contract)) for contract in contracts
    }


def document(contract: Contract) -> dict[str, Any]:
    """The OpenAPI document of one server."""
    operations = {f"/mcp/tools/{tool.name}": {"post": tool_operation(contract, tool)} for tool in contract.tools}
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
            {"name": TOOLS, "description": f"What {contract.name} does."},
            {"name": OPERATIONS, "description": "Whether it lives, whether it can work, and what it measured."},
        ],
        "paths": {
            **operations,
            "/mcp/tools/list": {"post": list_operation(contract)},
            "/mcp/tools/call": {"post": call_operation(contract)},
            "/health": {"get": health_operation(contract)},
            "/ready": {"get": ready_operation(contract)},
            "/metrics": {"get": metrics_operation(contract)},
        },
        "components": components(contract),
    }


def components(contract: Contract) -> dict[str, Any]:
    """What the operations refer to."""
    text = {"type": "string"}
    return {
        "securitySchemes": {
            "bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token of MCP_AUTH_TOKEN. A server on loopback that has none takes every request.",
            }
        },
        "parameters": {
            "CorrelationId": header(
                "X-Correlation-ID", "Under which name the call is logged; one that is not well-formed is ignored.", text
            ),
            "TraceParent": header("traceparent", "The caller's span, as W3C Trace Context has it.", text),
            "TraceState": header("tracestate", "What tracing systems add to traceparent.", text),
            "IdempotencyKey": header(
                "Idempotency-Key", "A call that comes again under its key writes once, and is answered alike.", KEY
            ),
        },
        "headers": {
            **deprecation_headers(contract),
            "CorrelationId": {"description": "Under which name the call is logged.", "required": True, "schema": text},
            "Challenge": {
                "description": "How to say who asks; with a token that is missing or wrong.",
                "schema": {"type": "string", "pattern": "^Bearer"},
            },
        },
        "responses": shared_responses(contract),
        "examples": {code: {"value": refusal.example} for code, refusal in all_refusals(contract).items()},
        "schemas": schemas(contract),
    }


def deprecation_headers(contract: Contract) -> dict[str, Any]:
    """The headers of answers in versions that are to be left, where there may be any."""
    if not any(older.deprecated_on for tool in contract.tools for older in tool.versions):
        return {}
    said = {
        "Deprecation": ("Since when callers are told to leave the version, as RFC 9745 has it.", "^@[0-9]+$"),
        "Sunset": ("When the version is answered no more, as RFC 8594 has it.", "GMT$"),
        "Link": ("Where the version is that takes its place, as RFC 5829 has it.", 'rel="successor-version"$'),
    }
    return {
        name: {"description": description, "schema": {"type": "string", "pattern": pattern}}
        for name, (description, pattern) in said.items()
    }


def header(name: str, description: str, schema: Schema) -> dict[str, Any]:
    """A header that a request may carry."""
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def schemas(contract: Contract) -> dict[str, Any]:
    """The arguments and the answer of each tool, and what is said about arguments that break a contract."""
    found: dict[str, Any] = {}
    for tool in contract.tools:
        found[f"{tool.class_name}Request"] = without_draft(tool.parameters)
        found[f"{tool.class_name}Answer"] = success_schema(contract.dialect, without_draft(tool.returns))
        for older in tool.versions:
            returns = success_schema(contract.dialect, without_draft(older.returns))
            found[f"{tool.class_name}Request_{older.constant}"] = without_draft(older.parameters)
            found[f"{tool.class_name}Answer_{older.constant}"] = returns
    text = {"type": "string"}
    place = {"type": "string", "description": "The JSON pointer of the argument; a missing or unknown one has its own"}
    broken = {"type": "string", "description": "The keyword of the schema, or the rule, that is broken"}
    violation = record({"at": place, "keyword": broken, "message": text})
    found["Violations"] = record({"violations": {"type": "array", "minItems": 1, "maxItems": 100, "items": violation}})
    return found | {code: failure_schema(contract.dialect, refusal) for code, refusal in all_refusals(contract).items()}


def without_draft(schema: Schema) -> dict[str, Any]:
    """A schema that does not say for which draft it was written: what contracts may say means the same in all of them."""
    copied = deepcopy(dict(schema))
    parts = [part for _, part in subschemas(copied, "") if isinstance(part, dict)]
    for part in parts:
        part.pop("$schema", None)
    return copied
