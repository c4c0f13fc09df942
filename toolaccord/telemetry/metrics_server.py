"""HTTP endpoint for the metrics of a process that does not serve HTTP, on loopback."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, start_http_server


def listen(registry: CollectorRegistry, port: int) -> str:
    """Serve the metrics of *registry* on loopback until the process ends; return the URL.

    Port 0 selects any free port. Raises OSError.
    """
    server, _ = start_http_server(port, addr="127.0.0.1", registry=registry)
    return f"http://127.0.0.1:{server.server_port}/metrics"
