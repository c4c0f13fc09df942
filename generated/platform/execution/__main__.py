"""Command that runs execution-mcp. Start it by `python -m generated.platform.execution`.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve execution-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("execution-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return execution-mcp with its handlers."""
    from generated.platform.execution.server import server
    from handlers.platform import execution

    return server(execution)


if __name__ == "__main__":
    raise SystemExit(main())
