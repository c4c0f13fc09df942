"""The measured tools on FastMCP: typed functions, arguments validated by Pydantic.

With a return annotation, FastMCP serialises every row by its type, which takes longer than plain dicts. The functions
have an explicit output schema instead, the one that FastMCP would derive. Schemas keep their references, because
inlining them costs as much as a call. In the stateless era FastMCP lists the tools on every call to check its headers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.tools import Tool

from benchmarks.servers.contract import CACHED, copies
from benchmarks.servers.functions import candles, top_strategies
from benchmarks.servers.options import options


def server(more: int, *, cache: bool) -> FastMCP:
    """Return a server of the measured tools and *more* others; *cache* adds FastMCP's own cache."""
    served = FastMCP("bench-mcp", dereference_schemas=False)
    tools: dict[Callable[..., Any], list[str]] = {
        top_strategies: ["top_strategies", CACHED["top_strategies"], *copies(more)],
        candles: ["candles", CACHED["candles"]],
    }
    for function, names in tools.items():
        schema = Tool.from_function(function).output_schema
        function.__annotations__["return"] = dict
        for name in names:
            served.add_tool(Tool.from_function(function, name=name, output_schema=schema))
    if cache:
        served.add_middleware(ResponseCachingMiddleware(call_tool_settings={"included_tools": list(CACHED.values())}))
    return served


def main() -> None:
    """Serve by the options of the command line."""
    chosen = options()
    served = server(chosen.more, cache=chosen.cache)
    if chosen.transport == "stdio":
        served.run("stdio", show_banner=False)
    else:
        from benchmarks.servers import listening  # noqa: PLC0415 - not for stdio

        listening.serve(served.http_app(stateless_http=True, json_response=True), chosen.port)


if __name__ == "__main__":
    main()
