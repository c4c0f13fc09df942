"""The numbers of a server that speaks on standard input and output, for a Prometheus on the same machine."""

from __future__ import annotations

from prometheus_client import start_http_server

from toolpact.telemetry.metrics import Metrics


def listen(metrics: Metrics, port: int) -> str:
    """Serve *metrics* on loopback until the process ends; return the address. Port 0 is any that is free. Raises OSError."""
    server, _ = start_http_server(port, addr="127.0.0.1", registry=metrics.registry)
    return f"http://127.0.0.1:{server.server_port}/metrics"
