"""Sessions of a server in the process of the test, without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Message

from toolaccord.config.access_rules import read_access_rules
from toolaccord.config.process_settings import list_settings
from toolaccord.config.session_settings import list_session_settings
from toolaccord.declarations.settings import read_settings
from toolaccord.declarations.tool import Server
from toolaccord.testing import pipeline
from toolaccord.transports.http.app import HttpApp, Pages

HEADERS = {
    "host": "127.0.0.1",
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}


class Response:
    """A response while it is received; its client is connected until `leave`."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.text = ""
        self.has_ended = asyncio.Event()
        self._news = asyncio.Event()
        self._has_left = asyncio.Event()

    async def take(self, message: Message) -> None:
        """Take a part."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.text += message["body"].decode()
            if not message.get("more_body"):
                self.has_ended.set()
                self._has_left.set()
        self._news.set()

    async def has(self, text: str) -> None:
        """Wait until *text* was received."""
        while text not in self.text:
            self._news.clear()
            await self._news.wait()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages in its events so far."""
        lines = [line.removeprefix("data: ") for line in self.text.splitlines() if line.startswith("data: {")]
        return [json.loads(line) for line in lines]

    def leave(self) -> None:
        """Break the connection."""
        self._has_left.set()

    async def disconnected(self) -> None:
        """Wait for the end of the connection."""
        await self._has_left.wait()


class Client:
    """A client of one session."""

    def __init__(self, app: HttpApp) -> None:
        self._app = app
        self._requests: set[asyncio.Task[None]] = set()
        self.session: dict[str, str] = {}

    def start(self, method: str, body: Any = None, **headers: str) -> Response:
        """Send a request; return its response, which is still to come."""
        response, raw = Response(), b"" if body is None else json.dumps(body).encode()
        named = {**HEADERS, "content-length": str(len(raw)), **self.session, **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "http_version": "1.1",
            "state": {},
        }
        bodies = [raw]

        async def receive() -> Message:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": False}
            await response.disconnected()
            return {"type": "http.disconnect"}

        task = asyncio.create_task(self._app(scope, receive, response.take))
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)
        return response

    async def send(self, method: str, body: Any = None, **headers: str) -> Response:
        """Send a request; return its whole response."""
        response = self.start(method, body, **headers)
        await response.has_ended.wait()
        return response

    def another(self, token: str) -> Client:
        """Return a client with a token of its own."""
        other = Client(self._app)
        other.session = {"authorization": f"Bearer {token}"}
        return other

    async def initialize(self, **capabilities: Any) -> Response:
        """Open the session."""
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        opened = await self.send("POST", message)
        self.session["mcp-session-id"] = opened.headers["mcp-session-id"]
        return opened


@asynccontextmanager
async def serving(server: Server[Any], environ: Mapping[str, str] | None = None) -> AsyncIterator[Client]:
    """Give a client of *server*, without a session yet."""
    values = read_settings([*list_settings(), *list_session_settings(server)], environ or {})
    app = HttpApp(pipeline(server), {}, read_access_rules(values, "127.0.0.1", server), Pages(None, None))
    opened, is_over = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(_open(app, opened, is_over))  # a fixture may end in another task
    await opened.wait()
    try:
        yield Client(app)
    finally:
        is_over.set()
        await running


async def _open(app: HttpApp, opened: asyncio.Event, is_over: asyncio.Event) -> None:
    async with app.open():
        opened.set()
        await is_over.wait()
