"""Command that runs execution-mcp: `python -m generated.platform.execution`.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve execution-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("execution-mcp"):
        from generated.platform.execution.server import server
        from handlers.platform import execution
        from toolpact.server.main import run
    return run(server(execution), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
