"""An authorization server for tests, which publishes keys on loopback and signs tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

RESOURCE = "https://desk.example/mcp"


@dataclass(frozen=True, slots=True)
class Received:
    """A request."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Answer:
    """The answer to a request."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def location(self) -> str | None:
        """Return where it leads."""
        return self.headers.get("Location")

    @location.setter
    def location(self, url: str) -> None:
        self.headers["Location"] = url


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

    def answer(self, _request: Received) -> Answer:
        """Return the keys."""
        self.requests += 1
        if self.hold:
            self.hold.wait(10)
        body = json.dumps({"keys": self.published()}).encode() if self.body is None else self.body
        encoding = {"Content-Encoding": "gzip"} if body.startswith(b"\x1f\x8b") else {}
        return Answer(self.status, body, {"Location": "/elsewhere"} | encoding)

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


State = TypeVar("State", bound=AuthorizationServer)


@contextmanager
def serving_as(state: State) -> Iterator[State]:
    """Yield an authorization server that answers requests on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = state.answer(Received(self.command, self.path, dict(self.headers.items()), body))
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def do_GET(self) -> None:
            self.do_POST()

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


@contextmanager
def serving() -> Iterator[AuthorizationServer]:
    """Yield an authorization server that answers requests for its keys."""
    with serving_as(AuthorizationServer()) as state:
        yield state
