"""Command that runs decisions-mcp: `python -m generated.tradestream.decisions`.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve decisions-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("decisions-mcp"):
        from generated.tradestream.decisions.server import server
        from handlers.tradestream import decisions
        from toolpact.server.main import run
    return run(server(decisions), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
