"""Command that runs storage-mcp: `python -m generated.platform.storage`.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from toolpact.server.loading import loading


def main() -> int:
    """Serve storage-mcp until its input ends or a signal stops it; return the exit code."""
    with loading("storage-mcp"):
        from generated.platform.storage.server import server
        from handlers.platform import storage
        from toolpact.server.main import run
    return run(server(storage), sandbox="sandbox", package=__package__)


if __name__ == "__main__":
    raise SystemExit(main())
