"""A server of fixed candles: `python -m tests.docs.sample_market`.

Its view is that of market-data-mcp.
"""

from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

from tests.contracts.reading import ROOT
from tests.toolaccord.views.samples import sample
from toolaccord.views import build_document

VIEW = ROOT / "generated/tradestream/market_data/views/get_candles.json"
URI = "ui://market-data-mcp/get_candles"
apps = Apps()
apps.add_html_resource(URI, build_document(VIEW.read_text(encoding="utf-8")))


@apps.tool(resource_uri=URI)
def get_candles(symbol: str, limit: int) -> dict[str, Any]:
    """Get candles of a symbol."""
    assert symbol
    items = sample()["structuredContent"]["data"]["items"]
    return {"data": {"items": items[:limit]}}


if __name__ == "__main__":
    MCPServer("market-data-mcp", extensions=[apps]).run()
