"""Command that runs moex-iss-mcp: `python -m generated.moex.iss`.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve moex-iss-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("moex-iss-mcp"):
        from generated.moex.iss.server import server
        from handlers.moex import iss
        from toolpact.server.main import run
    return run(server(iss), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
