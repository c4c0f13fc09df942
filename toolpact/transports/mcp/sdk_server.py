"""A server as the MCP SDK sees it: its tools listed and called, in both eras of the protocol."""

from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from toolpact.call.pipeline import Pipeline
from toolpact.call.response import Answer
from toolpact.declarations.tool import Server
from toolpact.errors import UnknownTool
from toolpact.json_values import JsonObject
from toolpact.transports.mcp import deprecation, request_meta, tool_list
from toolpact.transports.mcp.tool_list import Listing

_LOG = logging.getLogger(__name__)
_LONGEST_NAME = 128

Context = ServerRequestContext[Any, Any]


def mcp_server(server: Server[Any], pipeline: Pipeline) -> McpServer[Any]:
    """Return the SDK's server whose tools are those of *server*, answered by *pipeline*."""
    tools = Listing(pipeline, lambda tools: types.ListToolsResult.model_validate({"tools": tools}, by_name=False))
    tools.today()  # one that cannot be made is a fault of the start, not of whoever asks for it
    schemas = {tool.name: tool.parameters for tool in server.tools}

    async def list_tools(_context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "There is one page of tools and no cursor")
        return tools.today()

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> JsonObject:
        try:
            meta, caller = _meta(context), _caller(context)
            told = context.session.report_progress  # which tells nobody where the request has no progress token
            arguments, version = (
                params.arguments or {},
                (context.params or {}).get("version"),
            )  # the SDK's record has none
            answer = await pipeline.call(params.name, arguments, meta, version=version, caller=caller, progress=told)
        except UnknownTool:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:_LONGEST_NAME]}") from None
        return _result(answer, structured=not answer.is_error or server.dialect.errors_in_output_schema)

    served: McpServer[Any] = McpServer(
        server.name,
        version=server.version,
        title=server.title,
        description=server.description,
        instructions=server.instructions,
        cache_hints={"tools/list": CacheHint(tool_list.KEPT_MS, "public")},
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
    )
    served.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    served.middleware[:] = [_discreet]  # without the SDK's spans: the pipeline makes one, whatever the transport
    return served


async def _discreet(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Let no exception's text out: the SDK sends it to clients of the handshake era."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):  # the SDK answers these without the text
        raise
    except Exception:
        _LOG.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, "Internal error") from None


def _meta(context: Context) -> dict[str, Any] | None:
    """Return what the caller says about the call, as it stands in the request or in the headers around it."""
    meta = (context.params or {}).get("_meta")
    said = meta if isinstance(meta, dict) else None
    return said if context.request is None else request_meta.meta(context.request.headers, said)


def _caller(context: Context) -> str:
    """Return the name that the client gave itself; empty where it gave none."""
    client = context.session.client_params
    if client:
        return client.client_info.name
    return "" if context.request is None else request_meta.product(context.request.headers)


def _result(answer: Answer, *, structured: bool) -> JsonObject:
    """Return *answer* as the result of tools/call; a plain dict costs a quarter of a model."""
    result: JsonObject = {
        "content": [{"type": "text", "text": answer.text}],
        "isError": answer.is_error,
        "resultType": "complete",
        "_meta": {"corr_id": answer.corr_id, **(deprecation.meta(answer.deprecation) if answer.deprecation else {})},
    }
    if structured:  # some hosts hold it against the output schema even in an error, and drop what does not fit
        result["structuredContent"] = answer.body
    return result
