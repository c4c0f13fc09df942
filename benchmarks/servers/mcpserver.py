"""The measured tools on the SDK's MCPServer: Pydantic validates arguments and results."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

from benchmarks.servers.contract import CACHED, copies
from benchmarks.servers.functions import candles, top_strategies
from benchmarks.servers.options import options


def main() -> None:
    """Serve by the options of the command line."""
    chosen = options()
    served = MCPServer("bench-mcp", log_level="WARNING")
    served.add_tool(top_strategies)
    served.add_tool(candles)
    served.add_tool(top_strategies, name=CACHED["top_strategies"])
    served.add_tool(candles, name=CACHED["candles"])
    for name in copies(chosen.more):
        served.add_tool(top_strategies, name=name)
    if chosen.transport == "stdio":
        served.run("stdio")
    else:
        from benchmarks.servers import listening  # noqa: PLC0415 - not for stdio

        listening.serve(served.streamable_http_app(stateless_http=True, json_response=True), chosen.port)


if __name__ == "__main__":
    main()
