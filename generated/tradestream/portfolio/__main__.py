"""Command that runs portfolio-mcp: `python -m generated.tradestream.portfolio`.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve portfolio-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("portfolio-mcp"):
        from generated.tradestream.portfolio.server import server
        from handlers.tradestream import portfolio
        from toolpact.server.main import run
    return run(server(portfolio), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
