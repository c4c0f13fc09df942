"""Command that runs strategy-mcp. Start it by `python -m generated.tradestream.strategy`.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve strategy-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("strategy-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return strategy-mcp with its handlers."""
    from generated.tradestream.strategy.server import server
    from handlers.tradestream import strategy

    return server(strategy)


if __name__ == "__main__":
    raise SystemExit(main())
