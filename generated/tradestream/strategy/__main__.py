"""Command that runs strategy-mcp: `python -m generated.tradestream.strategy`.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve strategy-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("strategy-mcp"):
        from generated.tradestream.strategy.server import server
        from handlers.tradestream import strategy
        from toolpact.server.main import run
    return run(server(strategy), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
