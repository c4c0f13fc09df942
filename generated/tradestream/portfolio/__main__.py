"""Command that runs portfolio-mcp. Start it by `python -m generated.tradestream.portfolio`.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve portfolio-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("portfolio-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return portfolio-mcp with its handlers."""
    from generated.tradestream.portfolio.server import server
    from handlers.tradestream import portfolio

    return server(portfolio)


if __name__ == "__main__":
    raise SystemExit(main())
