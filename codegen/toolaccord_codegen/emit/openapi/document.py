"""OpenAPI 3.1 document of a server: openapi.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from toolaccord.contract.tools import Example
from toolaccord.semantics.envelope_schemas import build_success_schema, omit_replayed
from toolaccord_codegen.emit.openapi.content import build_content_schema
from toolaccord_codegen.emit.openapi.error_responses import (
    TRANSPORT_ERRORS,
    ErrorResponse,
    build_failure_schema,
    build_violations_schema,
    describe_errors,
    describe_missing_scope_error,
    describe_unknown_tool_error,
    group_by_status,
    list_task_errors,
    list_tool_errors,
    list_transport_errors,
    merge_by_code,
    share_responses,
)
from toolaccord_codegen.emit.openapi.examples import MEASURED, fill_template
from toolaccord_codegen.emit.openapi.mcp_description import describe_mcp
from toolaccord_codegen.emit.openapi.schemas import (
    IDEMPOTENCY_KEY,
    admit_nulls,
    any_of,
    build_call_schemas,
    list_components,
)
from toolaccord_codegen.emit.openapi.tasks import list_task_schemas
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.schema_parts import PartStyle, share_parts
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.references import subschemas
from toolaccord_codegen.naming import ClassName, end_sentence

PROBE_ERRORS = (401, 403, 421, 500, 503)
"""Statuses with which the transport rejects requests of every kind."""
COMPONENTS = PartStyle(
    join=lambda words: "".join(map(ClassName, words)), refer=lambda name: {"$ref": f"#/components/schemas/{name}"}
)
"""Names and references of the schemas of a document."""


def build_openapi_files(contracts: Iterable[Contract]) -> Tree:
    """Build the openapi.json of each server over HTTP."""
    served = [contract.on("http") for contract in contracts if "http" in contract.transports]
    return {f"{contract.system}/{contract.module}/openapi.json": _format_document(contract) for contract in served}


def _format_document(contract: Contract) -> str:
    """Format the OpenAPI document of one server."""
    tools, errors = contract.tools, _group_errors(contract)
    of_tasks = [errors["look_errors"], errors["answer_errors"]] if any(tool.task for tool in tools) else []
    shared = share_responses(errors["transport"], [*errors["tool_errors"].values(), errors["call_errors"], *of_tasks])
    shown = {tool.name: [each for each in tool.examples if each.error is None] for tool in tools}
    return render_template(
        "openapi.json",
        contract=contract,
        description="\n\n".join(
            filter(None, [end_sentence(contract.description), contract.instructions, *describe_mcp(contract)])
        ),
        requests={name: [example.arguments for example in examples] for name, examples in shown.items()},
        results={tool.name: _fill_results(contract, tool, shown[tool.name]) for tool in tools},
        calls=[{"name": name, "arguments": each.arguments} for name, examples in shown.items() for each in examples],
        all_responses=[name for tool in tools for name in list_components(tool, "Response")],
        idempotency_key=IDEMPOTENCY_KEY,
        list_components=list_components,
        describe_errors=describe_errors,
        schemas=share_parts(dict(_list_schemas(contract, errors["errors"])), COMPONENTS),
        shared_responses=shared,
        response_names={(status, describe_errors(group)): name for name, (status, group) in shared.items()},
        **errors,
    )


def _group_errors(contract: Contract) -> dict[str, Any]:
    """Group the errors of each operation by status, and all errors by code."""
    dialect = contract.dialect
    transport = list(list_transport_errors(dialect, TRANSPORT_ERRORS))
    lacking = describe_missing_scope_error(dialect)
    own = {
        tool.name: [*list_tool_errors(dialect, tool), *([lacking] if contract.demand(tool) else [])]
        for tool in contract.tools
    }
    of_tasks = list(list_task_errors(dialect)) if any(tool.task for tool in contract.tools) else []
    call = [*(error for errors in own.values() for error in errors), describe_unknown_tool_error(dialect), *transport]
    return {
        "transport": group_by_status(transport),
        "tool_errors": {name: group_by_status([*errors, *transport]) for name, errors in own.items()},
        "call_errors": group_by_status(call),
        "probe_errors": group_by_status(list_transport_errors(dialect, PROBE_ERRORS)),
        "look_errors": group_by_status([*of_tasks, *list_transport_errors(dialect, PROBE_ERRORS)]),
        "answer_errors": group_by_status([*of_tasks, *transport]),
        "errors": merge_by_code([*call, *of_tasks]),
    }


def _fill_results(contract: Contract, tool: Tool, examples: Iterable[Example]) -> list[Any]:
    """Fill the envelope with the result of each example; none for a tool with content."""
    return [] if tool.content else [fill_result(contract, tool, each) for each in examples]


def fill_result(contract: Contract, tool: Tool, example: Example) -> Any:
    """Fill the envelope with the result of an example."""
    kinds = {source.name: source.kind for source in contract.sources}
    kind = next((kinds[name] for name in (*tool.reads, *tool.writes)), None)
    values = {**MEASURED, "source": kind, "result": example.returns}
    return fill_template(omit_replayed(contract.dialect.success), values, tool.returns, example.arguments)


def _list_schemas(contract: Contract, errors: Mapping[str, ErrorResponse]) -> Iterator[tuple[str, Schema]]:
    """List the schemas of tools, calls by name, events and errors, by component name."""
    yield from _list_tool_schemas(contract)
    yield "ToolCall", any_of([schema for tool in contract.tools for schema in build_call_schemas(tool)])
    if tasked := [tool for tool in contract.tools if tool.task]:
        codes = [error.code for tool in tasked for error in list_tool_errors(contract.dialect, tool)]
        responses = [name for tool in tasked for name in list_components(tool, "Response")]
        yield from list_task_schemas(dict.fromkeys([*responses, *codes]))
    for event in contract.events:
        yield f"{event.class_name}Payload", _drop_draft(event.payload)
    yield "Violations", build_violations_schema(contract.dialect)
    for code, error in errors.items():
        yield code, build_failure_schema(contract.dialect, error)


def _list_tool_schemas(contract: Contract) -> Iterator[tuple[str, Schema]]:
    """List the schemas of each tool's arguments and responses, by component name."""
    for tool in contract.tools:
        older = ((each.parameters, each.returns) for each in tool.versions)
        schemas = [(tool.parameters, tool.returns), *older]
        names = zip(list_components(tool, "Request"), list_components(tool, "Response"), strict=True)
        for (request, response), (parameters, returns) in zip(names, schemas, strict=True):
            yield request, admit_nulls(_drop_draft(parameters))
            success = build_success_schema(contract.dialect, tool, _drop_draft(returns))
            yield response, build_content_schema(tool, success) if tool.content else success


def _drop_draft(schema: Schema) -> dict[str, Any]:
    """Copy a schema without `$schema`: the contract language means the same in every draft."""
    copied = deepcopy(dict(schema))
    for _, part in [*subschemas(copied, "")]:
        part.pop("$schema", None)
    return copied
