"""The operations of a server over HTTP, as OpenAPI has them: what may be sent, and everything that may be answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codegen.emit.openapi.error_responses import (
    TRANSPORT,
    Refusal,
    any_of,
    by_code,
    by_status,
    of_tool,
    of_transport,
    of_unknown_tool,
)
from codegen.emit.openapi.examples import MEASURED, filled
from codegen.ir.contract import Contract, Example, Schema, Tool
from codegen.naming import end_sentence

JSON = "application/json"
TOOLS, OPERATIONS = "Tools", "Operations"
OF_ANY_REQUEST = (401, 403, 421, 500, 503)
"""The statuses with which the transport refuses requests of every kind."""
UNAUTHORIZED = 401
"""The status whose answer says how to say who asks."""
KEY: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,128}$"}
"""What an idempotency key looks like."""
CORRELATION: Mapping[str, Any] = {"X-Correlation-ID": {"$ref": "#/components/headers/CorrelationId"}}
DEPRECATION: Mapping[str, Any] = {
    name: {"$ref": f"#/components/headers/{name}"} for name in ("Deprecation", "Sunset", "Link")
}
"""What an answer in a version that is to be left says."""
CHALLENGE: Mapping[str, Any] = {"WWW-Authenticate": {"$ref": "#/components/headers/Challenge"}}


def tool_operation(contract: Contract, tool: Tool) -> dict[str, Any]:
    """The operation whose body is a tool's arguments."""
    shown = [example for example in tool.examples if example.returns is not None]
    requests = [example.arguments for example in shown]
    answers = [success_example(contract, tool, example) for example in shown]
    refused = [*of_tool(contract.dialect, tool), *of_transport(contract.dialect, TRANSPORT)]
    return {
        "operationId": tool.name,
        "tags": [TOOLS],
        "summary": tool.title or tool.name,
        "description": tool.description,
        "parameters": [*headers([tool]), version_parameter(tool)],
        "requestBody": {"required": True, "content": content(any_version(tool, "Request"), examples(requests))},
        "responses": responses(contract, answered(any_version(tool, "Answer"), examples(answers), [tool]), refused),
    }


def list_operation(contract: Contract) -> dict[str, Any]:
    """The operation that lists the tools."""
    return {
        "operationId": "tools/list",
        "tags": [TOOLS],
        "summary": "List the tools",
        "description": "Every tool with the schemas of its arguments and of its answer, as MCP's tools/list shows them.",
        "parameters": headers([]),
        "responses": responses(
            contract, answered(listing_schema(contract), {}, ()), of_transport(contract.dialect, TRANSPORT)
        ),
    }


def call_operation(contract: Contract) -> dict[str, Any]:
    """The operation that calls a tool by its name."""
    requests = [
        {"name": tool.name, "arguments": example.arguments}
        for tool in contract.tools
        for example in tool.examples
        if example.returns is not None
    ]
    refused = [each for tool in contract.tools for each in of_tool(contract.dialect, tool)]
    refused += [of_unknown_tool(contract.dialect), *of_transport(contract.dialect, TRANSPORT)]
    answer = any_of([form for tool in contract.tools for form in in_versions(tool, "Answer")])
    return {
        "operationId": "tools/call",
        "tags": [TOOLS],
        "summary": "Call a tool by its name",
        "description": "The same calls as those of the tools' own paths, as MCP's tools/call has them. "
        "An idempotency key may stand in the header Idempotency-Key too, where the tool that is called takes one.",
        "parameters": headers([]),
        "requestBody": {
            "required": True,
            "content": content(any_of([form for tool in contract.tools for form in calls(tool)]), examples(requests)),
        },
        "responses": responses(contract, answered(answer, {}, contract.tools), refused),
    }


def health_operation(contract: Contract) -> dict[str, Any]:
    """The operation that says whether the process lives."""
    schema = record({"status": {"const": "ok"}})
    return probe(contract, "health", "Whether the process lives", content(schema, {}))


def ready_operation(contract: Contract) -> dict[str, Any]:
    """The operation that says whether the server can work."""
    state = {"type": "string", "enum": ["ok", "unavailable"]}
    sources = record({source.name: state for source in contract.sources})
    ready, unready = (record({"status": {"const": status}, "sources": sources}) for status in ("ready", "not ready"))
    found = probe(contract, "ready", "Whether the sources answer", content(ready, {}))
    stopping = {"$ref": f"#/components/schemas/{contract.dialect.occasions['internal']}"}
    description = "A source does not answer, or the server is stopping."
    found["responses"]["503"] = {"description": description, "content": content(any_of([unready, stopping]), {})}
    return found


def metrics_operation(contract: Contract) -> dict[str, Any]:
    """The operation that shows what was measured."""
    text = {"text/plain": {"schema": {"type": "string"}}}
    return probe(contract, "metrics", "What was measured, for Prometheus", text)


def probe(contract: Contract, name: str, summary: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """An operation that takes nothing and calls no tool."""
    answer = {"description": "The answer.", "content": body}
    return {
        "operationId": f"server/{name}",
        "tags": [OPERATIONS],
        "summary": summary,
        "responses": responses(contract, answer, of_transport(contract.dialect, OF_ANY_REQUEST)),
    }


def answered(schema: Schema, shown: Mapping[str, Any], tools: Iterable[Tool]) -> dict[str, Any]:
    """What one of the *tools* answers when all is well."""
    leaving = DEPRECATION if any(older.deprecated_on for tool in tools for older in tool.versions) else {}
    return {"description": "The answer.", "headers": {**CORRELATION, **leaving}, "content": content(schema, shown)}


def responses(contract: Contract, answer: Mapping[str, Any], refused: Iterable[Refusal]) -> dict[str, Any]:
    """The responses of an operation, by status: *answer* when all is well."""
    found: dict[str, Any] = {"200": answer}
    shared = list(of_transport(contract.dialect, TRANSPORT))
    for status, refusals in by_status(refused).items():
        alone = all(each in shared for each in refusals)
        found[str(status)] = (
            {"$ref": f"#/components/responses/Refused{status}"} if alone else failure_response(refusals)
        )
    return found


def shared_responses(contract: Contract) -> dict[str, Any]:
    """What the transport answers whatever the tool, by name."""
    refusals = by_status(of_transport(contract.dialect, TRANSPORT))
    return {f"Refused{status}": failure_response(alike) for status, alike in refusals.items()}


def all_refusals(contract: Contract) -> dict[str, Refusal]:
    """Everything that the server can refuse a request with, by code."""
    of_tools = [each for tool in contract.tools for each in of_tool(contract.dialect, tool)]
    return by_code([*of_tools, of_unknown_tool(contract.dialect), *of_transport(contract.dialect, TRANSPORT)])


def failure_response(refusals: Sequence[Refusal]) -> dict[str, Any]:
    """What is answered at one status that is an error's."""
    shown = {each.code: {"$ref": f"#/components/examples/{each.code}"} for each in refusals}
    challenged = any(each.status == UNAUTHORIZED for each in refusals)
    return {
        "description": "\n".join(f"- `{each.code}`: {end_sentence(each.why)}" for each in refusals),
        "headers": {**CORRELATION, **(CHALLENGE if challenged else {})},
        "content": content(any_of([{"$ref": f"#/components/schemas/{each.code}"} for each in refusals]), shown),
    }


def success_example(contract: Contract, tool: Tool, example: Example) -> Any:
    """What a tool answers in an example that is no error."""
    kinds = {source.name: source.kind for source in contract.sources}
    kind = next((kinds[name] for name in (*tool.reads, *tool.writes)), None)
    values = {**MEASURED, "source": kind, "result": example.returns}
    return filled(contract.dialect.success, values, tool.returns, example.arguments)


def listing_schema(contract: Contract) -> Schema:
    """The schema of the list of tools."""
    text: Schema = {"type": "string"}
    days: Schema = {"type": "object", "additionalProperties": {"type": "string", "format": "date"}}
    several: Mapping[str, Schema] = {
        "versions": {"type": "array", "minItems": 1, "items": text},
        "latest": text,
        "deprecated": {"type": "array", "items": text},
        "sunset": days,
    }
    tool = record(
        {
            "name": {"type": "string", "enum": [tool.name for tool in contract.tools]},
            "description": {"type": "string"},
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"},
            "annotations": {"type": "object"},
        },
        title=text,
        **(several if any(tool.versions for tool in contract.tools) else {}),
    )
    count = len(contract.tools)
    return record({"tools": {"type": "array", "minItems": count, "maxItems": count, "items": tool}})


def calls(tool: Tool) -> Iterator[Schema]:
    """The schemas of a call of one tool by its name, in each of its versions; the newest need not be named."""
    key = {"idempotency_key": KEY} if tool.window_s is not None else {}
    meta: Schema = {"type": "object", "description": "What the caller says about the call", "properties": key}
    name: Schema = {"const": tool.name}
    newest: Schema = {"const": tool.version}
    arguments = schema_of(tool, "Request")
    if tool.parameters.get("required"):
        yield record({"name": name, "arguments": arguments}, version=newest, _meta=meta)
    else:
        yield record({"name": name}, version=newest, arguments=arguments, _meta=meta)
    for older, form in zip(tool.versions, older_schemas(tool, "Request"), strict=True):
        version: Schema = {"const": older.version}
        yield record({"name": name, "version": version, "arguments": form}, _meta=meta)


def record(required: Mapping[str, Schema], **optional: Schema) -> dict[str, Any]:
    """The schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def schema_of(tool: Tool, suffix: str) -> Schema:
    """A reference to a tool's schema."""
    return {"$ref": f"#/components/schemas/{tool.class_name}{suffix}"}


def older_schemas(tool: Tool, suffix: str) -> list[Schema]:
    """References to a tool's schemas in its older versions, the newest of them first."""
    return [schema_of(tool, f"{suffix}_{older.constant}") for older in tool.versions]


def in_versions(tool: Tool, suffix: str) -> list[Schema]:
    """References to a tool's schemas in all of its versions, the newest first."""
    return [schema_of(tool, suffix), *older_schemas(tool, suffix)]


def any_version(tool: Tool, suffix: str) -> Schema:
    """The schema of what a tool takes or answers, whichever version is asked for."""
    return any_of(in_versions(tool, suffix))


def version_parameter(tool: Tool) -> Schema:
    """The query parameter that says in which version a tool is called."""
    return {
        "name": "version",
        "in": "query",
        "required": False,
        "description": "The version of the tool whose arguments these are; without it, the newest.",
        "schema": {"type": "string", "enum": tool.all_versions},
    }


def content(schema: Schema, shown: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON body."""
    return {JSON: {"schema": schema, **({"examples": shown} if shown else {})}}


def examples(values: Iterable[Any]) -> dict[str, Any]:
    """Examples by name; a request and its answer bear the same one."""
    return {f"example_{number}": {"value": value} for number, value in enumerate(values, 1)}


def headers(tools: Sequence[Tool]) -> list[Schema]:
    """The headers that a request may carry."""
    names = ["CorrelationId", "TraceParent", "TraceState"]
    if any(tool.window_s is not None for tool in tools):
        names.append("IdempotencyKey")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
