"""Command that runs backtest-mcp. Start it by `python -m generated.tradestream.backtest`.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve backtest-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("backtest-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return backtest-mcp with its handlers."""
    from generated.tradestream.backtest.server import server
    from handlers.tradestream import backtest

    return server(backtest)


if __name__ == "__main__":
    raise SystemExit(main())
