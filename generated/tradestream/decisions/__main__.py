"""Command that runs decisions-mcp. Start it by `python -m generated.tradestream.decisions`.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve decisions-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("decisions-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return decisions-mcp with its handlers."""
    from generated.tradestream.decisions.server import server
    from handlers.tradestream import decisions

    return server(decisions)


if __name__ == "__main__":
    raise SystemExit(main())
