"""Command that runs risk-mcp: `python -m generated.platform.risk`.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve risk-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("risk-mcp"):
        from generated.platform.risk.server import server
        from handlers.platform import risk
        from toolpact.server.main import run
    return run(server(risk), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
