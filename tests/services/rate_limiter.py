"""A proxy before a server, which rejects the first calls of each tool with the status 429."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


@contextmanager
def limiting(url: str, rejections: int) -> Iterator[str]:
    """Give the endpoint of a proxy to *url*; it rejects the first *rejections* calls of a tool."""
    calls: Counter[str] = Counter()
    counting = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            message = json.loads(body)
            if message["method"] == "tools/call" and self._count(message["params"]["name"]) <= rejections:
                self._answer(429, b'{"error": {"message": "too many requests"}}', "application/json")
                return
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            answer = client.post(url, content=body, headers=headers)
            self._answer(answer.status_code, answer.content, answer.headers.get("Content-Type", ""))

        def _count(self, tool: str) -> int:
            with counting:
                calls[tool] += 1
                return calls[tool]

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with httpx.Client(trust_env=False) as client, ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()
            thread.join()
