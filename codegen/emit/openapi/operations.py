"""Operations on tools: call one at its own path, list them all, or call one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.emit.openapi.error_responses import (
    TRANSPORT_ERRORS,
    describe_unknown_tool_error,
    list_tool_errors,
    list_transport_errors,
)
from codegen.emit.openapi.examples import MEASURED, fill_template
from codegen.emit.openapi.responses import build_content, build_responses, build_success_response, name_examples
from codegen.emit.openapi.schemas import any_of, build_call_schemas, build_tool_list_schema, refer_to_versions
from codegen.ir.contract import Contract, Example, Schema, Tool

TOOLS_TAG = "Tools"


def build_tool_operation(contract: Contract, tool: Tool) -> dict[str, Any]:
    """Build the operation whose body is a tool's arguments."""
    shown = [example for example in tool.examples if example.returns is not None]
    requests = name_examples(example.arguments for example in shown)
    responses = name_examples(_build_success_example(contract, tool, example) for example in shown)
    success = build_success_response(any_of(refer_to_versions(tool, "Response")), responses, [tool])
    dialect = contract.dialect
    errors = [*list_tool_errors(dialect, tool), *list_transport_errors(dialect, TRANSPORT_ERRORS)]
    arguments = any_of(refer_to_versions(tool, "Request"))
    return {
        "operationId": tool.name,
        "tags": [TOOLS_TAG],
        "summary": tool.title or tool.name,
        "description": tool.description,
        "parameters": [*_refer_to_headers([tool]), _build_version_parameter(tool)],
        "requestBody": {"required": True, "content": build_content(arguments, requests)},
        "responses": build_responses(contract, success, errors),
    }


def build_list_operation(contract: Contract) -> dict[str, Any]:
    """Build the operation that lists the tools."""
    success = build_success_response(build_tool_list_schema(contract), {}, ())
    errors = list_transport_errors(contract.dialect, TRANSPORT_ERRORS)
    return {
        "operationId": "tools/list",
        "tags": [TOOLS_TAG],
        "summary": "List the tools",
        "description": "List every tool with the schemas of its arguments and its response, as MCP's tools/list does.",
        "parameters": _refer_to_headers([]),
        "responses": build_responses(contract, success, errors),
    }


def build_call_operation(contract: Contract) -> dict[str, Any]:
    """Build the operation that calls a tool by name."""
    requests = name_examples(
        {"name": tool.name, "arguments": example.arguments}
        for tool in contract.tools
        for example in tool.examples
        if example.returns is not None
    )
    dialect = contract.dialect
    errors = [error for tool in contract.tools for error in list_tool_errors(dialect, tool)]
    errors += [describe_unknown_tool_error(dialect), *list_transport_errors(dialect, TRANSPORT_ERRORS)]
    call = any_of([schema for tool in contract.tools for schema in build_call_schemas(tool)])
    response = any_of([schema for tool in contract.tools for schema in refer_to_versions(tool, "Response")])
    return {
        "operationId": "tools/call",
        "tags": [TOOLS_TAG],
        "summary": "Call a tool by name",
        "description": "Call any tool, as MCP's tools/call does; each tool also has its own path. "
        "If the tool takes an idempotency key, the header Idempotency-Key may carry it.",
        "parameters": _refer_to_headers([]),
        "requestBody": {"required": True, "content": build_content(call, requests)},
        "responses": build_responses(contract, build_success_response(response, {}, contract.tools), errors),
    }


def _build_success_example(contract: Contract, tool: Tool, example: Example) -> Any:
    """Build the response of an example that is no error."""
    kinds = {source.name: source.kind for source in contract.sources}
    kind = next((kinds[name] for name in (*tool.reads, *tool.writes)), None)
    values = {**MEASURED, "source": kind, "result": example.returns}
    return fill_template(contract.dialect.success, values, tool.returns, example.arguments)


def _build_version_parameter(tool: Tool) -> Schema:
    """Build the query parameter that selects a tool's version."""
    return {
        "name": "version",
        "in": "query",
        "required": False,
        "description": "Version of the tool; the newest if absent.",
        "schema": {"type": "string", "enum": tool.all_versions},
    }


def _refer_to_headers(tools: Sequence[Tool]) -> list[Schema]:
    """Refer to the headers that a request may carry."""
    names = ["CorrelationId", "TraceParent", "TraceState"]
    if any(tool.window_s is not None for tool in tools):
        names.append("IdempotencyKey")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
