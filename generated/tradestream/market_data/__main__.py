"""Command that runs market-data-mcp.

Start it by `python -m generated.tradestream.market_data`.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve market-data-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("market-data-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return market-data-mcp with its handlers."""
    from generated.tradestream.market_data.server import server
    from handlers.tradestream import market_data

    return server(market_data)


if __name__ == "__main__":
    raise SystemExit(main())
