"""Command that runs moex-iss-mcp. Start it by `python -m generated.moex.iss`.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolaccord.server.loading import loading

if TYPE_CHECKING:
    from toolaccord.declarations.tool import Server


def main() -> int:
    """Serve moex-iss-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("moex-iss-mcp", "0.1"):
        served = create_server()
        from toolaccord.server.main import run
    return run(served, sandbox="sandbox", package=__package__)


def create_server() -> Server[Any]:
    """Return moex-iss-mcp with its handlers."""
    from generated.moex.iss.server import server
    from handlers.moex import iss

    return server(iss)


if __name__ == "__main__":
    raise SystemExit(main())
