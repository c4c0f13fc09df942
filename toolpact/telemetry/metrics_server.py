"""HTTP endpoint for the metrics of a stdio server, on loopback."""

from __future__ import annotations

from prometheus_client import start_http_server

from toolpact.telemetry.metrics import Metrics


def listen(metrics: Metrics, port: int) -> str:
    """Serve *metrics* on loopback until the process ends; return the URL. Raises OSError.

    Port 0 selects any free port.
    """
    server, _ = start_http_server(port, addr="127.0.0.1", registry=metrics.registry)
    return f"http://127.0.0.1:{server.server_port}/metrics"
