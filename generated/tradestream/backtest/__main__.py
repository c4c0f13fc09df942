"""Command that runs backtest-mcp: `python -m generated.tradestream.backtest`.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve backtest-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("backtest-mcp"):
        from generated.tradestream.backtest.server import server
        from handlers.tradestream import backtest
        from toolpact.server.main import run
    return run(server(backtest), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
