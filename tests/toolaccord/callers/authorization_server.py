"""An authorization server for tests, which publishes keys on loopback and signs tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

RESOURCE = "https://desk.example/mcp"


@dataclass(slots=True)
class AuthorizationServer:
    """Keys, and the answers to requests for them."""

    port: int = 0
    keys: dict[str, Any] = field(default_factory=lambda: {"one": rsa.generate_private_key(65537, 2048)})
    """Private keys by their ids."""
    body: bytes | None = None
    """The answer to a request for the keys; None for the keys."""
    status: int = 200
    requests: int = 0
    hold: threading.Event | None = None
    """Event for which an answer waits."""

    @property
    def issuer(self) -> str:
        """Return its URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def keys_url(self) -> str:
        """Return the URL of its keys."""
        return f"{self.issuer}/keys"

    def published(self) -> list[dict[str, Any]]:
        """Return the public keys as JSON Web Keys."""
        return [{**_to_jwk(key), "kid": name, "use": "sig"} for name, key in self.keys.items()]

    def claims(self, now: float, **others: Any) -> dict[str, Any]:
        """Return the claims of a good token; those that are None are left out."""
        usual = {"iss": self.issuer, "aud": RESOURCE, "sub": "ada", "client_id": "desktop", "exp": now + 600}
        return {name: value for name, value in (usual | others).items() if value is not None}

    def sign(self, claims: Any, *, key: str = "one", algorithm: str = "RS256", **header: Any) -> str:
        """Return a token; members of *header* that are None are left out."""
        usual = {"kid": key, "typ": "at+jwt"}
        headers = {name: value for name, value in (usual | header).items() if value is not None}
        return jwt.encode(claims, self.keys[key], algorithm=algorithm, headers=headers)


def _to_jwk(key: Any) -> dict[str, Any]:
    public = key.public_key()
    if isinstance(public, rsa.RSAPublicKey):
        text = jwt.algorithms.RSAAlgorithm.to_jwk(public)
    elif isinstance(public, ec.EllipticCurvePublicKey):
        text = jwt.algorithms.ECAlgorithm.to_jwk(public)
    else:
        text = jwt.algorithms.OKPAlgorithm.to_jwk(public)
    found: dict[str, Any] = json.loads(text)
    return found


@contextmanager
def serving() -> Iterator[AuthorizationServer]:
    """Yield an authorization server that answers requests for its keys."""
    state = AuthorizationServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests += 1
            if state.hold:
                state.hold.wait(10)
            body = json.dumps({"keys": state.published()}).encode() if state.body is None else state.body
            self.send_response(state.status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
