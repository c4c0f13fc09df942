"""Command that runs features-mcp: `python -m generated.platform.features`.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve features-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("features-mcp"):
        from generated.platform.features.server import server
        from handlers.platform import features
        from toolpact.server.main import run
    return run(server(features), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
