"""The measured tools on the SDK's MCPServer: typed functions, validated by Pydantic both ways."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

from benchmarks.served.contract import CACHED, copies
from benchmarks.served.functions import candles, top_strategies
from benchmarks.served.options import options


def main() -> None:
    """Serve as the command line says."""
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
        from benchmarks.served import listening  # noqa: PLC0415 - not for stdio

        listening.serve(served.streamable_http_app(stateless_http=True, json_response=True), chosen.port)


if __name__ == "__main__":
    main()
