"""Command that runs swimmy-mcp: `python -m generated.gateway.swimmy`.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve swimmy-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("swimmy-mcp"):
        from generated.gateway.swimmy.server import server
        from handlers.gateway import swimmy
        from toolpact.server.main import run
    return run(server(swimmy), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
