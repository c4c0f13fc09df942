"""Command that runs signal-mcp: `python -m generated.agents.signals`.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve signal-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("signal-mcp"):
        from generated.agents.signals.server import server
        from handlers.agents import signals
        from toolpact.server.main import run
    return run(server(signals), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
