"""Command that runs swimmy-mcp. Start it by `python -m generated.gateway.swimmy`.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve swimmy-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("swimmy-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return swimmy-mcp with its handlers."""
    from generated.gateway.swimmy.server import server
    from handlers.gateway import swimmy

    return server(swimmy)


if __name__ == "__main__":
    raise SystemExit(main())
