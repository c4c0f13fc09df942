"""A generated server on the MCP SDK alone: the SDK's low-level server on its own transports, as its documentation has it.

Ours is what a call is answered, and what the list of tools says; how either is asked for and sent is all the SDK's.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as McpServer
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.types import ASGIApp

from tests.toolpact.twins import comparable
from toolpact.call.pipeline import Pipeline
from toolpact.errors import UnknownTool
from toolpact.transports.mcp.tool_list import CACHE_TTL_MS, ToolList

PATIENCE_S = 20


def server(pipeline: Pipeline) -> McpServer[Any]:
    """Return the SDK's server of the tools that *pipeline* answers."""
    ours = pipeline.server
    tools = ToolList(pipeline, lambda tools: types.ListToolsResult.model_validate({"tools": tools}, by_name=False))

    async def list_tools(_context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "There is one page of tools and no cursor")
        return tools.current()

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        said = context.params or {}
        try:
            answer = await pipeline.call(
                params.name, params.arguments or {}, said.get("_meta"), version=said.get("version")
            )
        except UnknownTool:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:128]}") from None
        structured = not answer.is_error or ours.dialect.errors_in_output_schema
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.body if structured else None,
            is_error=answer.is_error,
            _meta={"corr_id": answer.corr_id},
        )

    return McpServer(
        ours.name,
        version=ours.version,
        title=ours.title,
        description=ours.description,
        instructions=ours.instructions,
        cache_hints={"tools/list": CacheHint(CACHE_TTL_MS, "public")},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def answers(pipeline: Pipeline, sent: Sequence[bytes]) -> list[Any]:
    """Return what the SDK's server on standard input and output answers to the lines *sent*, as `twins.answers` does."""
    served, host = server(pipeline), _Host(sent)
    async with asyncio.timeout(PATIENCE_S):
        async with stdio_server(cast("Any", host), cast("Any", host)) as (reading, writing):
            await served.run(reading, writing, served.create_initialization_options())
    return sorted(map(comparable, host.heard), key=json.dumps)


class _Host:
    """Standard input and output at once: says its lines, hears the answers, and ends the input when it has all that are due.

    The SDK gives up whatever still runs when its input ends.
    """

    def __init__(self, sent: Sequence[bytes]) -> None:
        self.heard: list[Any] = []
        self._sent = sent
        self._due = Counter(given for each in sent if (given := _asked(each)) is not None)
        self._more = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        for each in self._sent:
            yield each.decode("utf-8", "replace") + "\n"
        while self._due - Counter(json.dumps(answer.get("id")) for answer in self.heard):
            self._more.clear()
            await self._more.wait()

    async def write(self, text: str) -> None:
        """Hear an answer."""
        self.heard.append(json.loads(text))
        self._more.set()

    async def flush(self) -> None:
        """Keep nothing back."""


def _asked(line: bytes) -> str | None:
    """Return the id of the request that the SDK reads in *line*, as JSON; None where it reads none."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False)
    except ValidationError:
        return None
    return json.dumps(message.id) if isinstance(message, types.JSONRPCRequest) else None


@asynccontextmanager
async def application(pipeline: Pipeline) -> AsyncIterator[ASGIApp]:
    """Give the SDK's server as the SDK's application for HTTP, whose sessions are not kept."""
    app = server(pipeline).streamable_http_app(stateless_http=True)
    async with app.router.lifespan_context(app):
        yield app
