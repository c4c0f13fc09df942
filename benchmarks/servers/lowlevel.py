"""The measured tools on the SDK's low-level server: schemas and results written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import mcp_types as types
import pydantic_core
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from benchmarks.servers.contract import contract, inline_references
from benchmarks.servers.options import options
from benchmarks.servers.rows import Row, every_candle, every_strategy, page, pagination


def top_strategies(arguments: Row) -> Row:
    """Return the best strategies."""
    return _page(every_strategy(), arguments.get("limit", 5), arguments.get("offset", 0))


def candles(arguments: Row) -> Row:
    """Return the candles."""
    return _page(every_candle(), arguments.get("limit", 100), arguments.get("offset", 0))


def _page(rows: tuple[Row, ...], limit: int, offset: int) -> Row:
    return {"items": page(rows, limit, offset), "pagination": pagination(rows, limit, offset)}


def server(more: int) -> Server[Any]:
    """Return a server of the measured tools and *more* others."""
    whole = contract(more)
    answering: dict[str, Callable[[Row], Row]] = {
        tool["name"]: candles if "candles" in tool["name"] else top_strategies for tool in whole["tools"]
    }
    listed = types.ListToolsResult(
        tools=[
            types.Tool(
                name=tool["name"],
                title=tool["title"],
                description=tool["description"],
                input_schema=inline_references(tool["parameters"], whole["$defs"]),
                output_schema=inline_references(tool["returns"], whole["$defs"]),
            )
            for tool in whole["tools"]
        ]
    )

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        result = pydantic_core.to_jsonable_python(answering[params.name](params.arguments or {}))
        text = types.TextContent(type="text", text=pydantic_core.to_json(result).decode())
        return types.CallToolResult(content=[text], structured_content=result)

    return Server(whole["server"]["name"], version="1.0.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio(served: Server[Any]) -> None:
    """Serve over stdio until the input ends."""
    async with stdio_server() as (reading, writing):
        await served.run(reading, writing, served.create_initialization_options())


def main() -> None:
    """Serve by the options of the command line."""
    chosen = options()
    served = server(chosen.more)
    if chosen.transport == "stdio":
        asyncio.run(serve_stdio(served))
        return
    from benchmarks.servers import listening  # noqa: PLC0415 - not for stdio

    listening.serve(served.streamable_http_app(stateless_http=True, json_response=True), chosen.port)


if __name__ == "__main__":
    main()
