"""Command that runs strategy-db-mcp: `python -m generated.tradestream.strategy_db`.

Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve strategy-db-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("strategy-db-mcp"):
        from generated.tradestream.strategy_db.server import server
        from handlers.tradestream import strategy_db
        from toolpact.server.main import run
    return run(server(strategy_db), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
