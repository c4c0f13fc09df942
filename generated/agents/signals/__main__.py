"""Command that runs signal-mcp. Start it by `python -m generated.agents.signals`.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve signal-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("signal-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return signal-mcp with its handlers."""
    from generated.agents.signals.server import server
    from handlers.agents import signals

    return server(signals)


if __name__ == "__main__":
    raise SystemExit(main())
