"""A real nginx on loopback before one server, with connections that requests share."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONFIGURATION = """
daemon off;
master_process off;
pid {home}/pid;
error_log {home}/log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxied;
    fastcgi_temp_path {home}/unused1;
    uwsgi_temp_path {home}/unused2;
    scgi_temp_path {home}/unused3;
    upstream servers {{ server {address}; keepalive 16; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://servers;
            proxy_http_version 1.1;
            proxy_request_buffering off;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Correlation-ID proxied;
        }}
    }}
}}
"""


@contextmanager
def proxy(program: Path, home: Path, port: int, address: str) -> Iterator[str]:
    """Pass requests to the server at *address*, `host:port`; give the URL."""
    file = home / "nginx.conf"
    file.write_text(CONFIGURATION.format(home=home, port=port, address=address), encoding="utf-8")
    running = subprocess.Popen([program, "-e", home / "log", "-p", home, "-c", file])
    try:
        while not (home / "pid").exists():  # written once it listens
            assert running.poll() is None, (home / "log").read_text(encoding="utf-8")
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(timeout=60)
