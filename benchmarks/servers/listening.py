"""Settings of uvicorn that all measured servers have, which are those of toolaccord's."""

from __future__ import annotations

from typing import Any

import uvicorn

SETTINGS: dict[str, Any] = {
    "http": "httptools",
    "loop": "asyncio",
    "ws": "none",
    "log_level": "warning",
    "access_log": False,
    "proxy_headers": False,
    "server_header": False,
}


def serve(app: Any, port: int) -> None:
    """Serve *app* on *port* of loopback until a signal arrives."""
    uvicorn.run(app, port=port, **SETTINGS)
