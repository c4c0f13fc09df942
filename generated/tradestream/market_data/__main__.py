"""Command that runs market-data-mcp: `python -m generated.tradestream.market_data`.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve market-data-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("market-data-mcp"):
        from generated.tradestream.market_data.server import server
        from handlers.tradestream import market_data
        from toolpact.server.main import run
    return run(server(market_data), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
