"""A server with tokens, allowed hosts and origins, and raw requests to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S

TOKEN = "open-5e5ame"
ROUTES = [
    ("POST", "/mcp"),
    ("POST", "/mcp/"),
    ("POST", "/mcp/tools/list"),
    ("POST", "/mcp/tools/call"),
    ("POST", "/mcp/tools/get_book"),
    ("GET", "/"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/docs"),
    ("GET", "/docs/viewer.js"),
    ("GET", "/nowhere"),
]
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def secured_server() -> AsyncIterator[Listener]:
    """Yield the server; its client sends the token."""
    environ = {
        "MCP_AUTH_TOKEN": f"{TOKEN}, the-other-one",
        "MCP_OPEN_PATHS": "none",
        "MCP_ALLOWED_HOSTS": "books.example.org,shelf.example.org:8080",
        "MCP_ALLOWED_ORIGINS": "https://reader.example.org",
        "MCP_MAX_BODY_BYTES": "100000",
    }
    async with listening(environ=environ) as running:
        running.client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield running


def error_code(response: httpx.Response) -> str:
    """Return the code in an envelope of failure."""
    code: str = response.json()["error"]["code"]
    return code


async def exchange_bytes(server: Listener, request: bytes) -> bytes:
    """Send *request*, and return the bytes received until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    await writer.drain()
    response = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    return response


def request_head(method: str, path: str, **headers: str) -> bytes:
    """Return the head of a request that has the token and is the last one on its connection."""
    all_headers = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}", "Connection": "close"}
    all_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items()), "", ""]
    return "\r\n".join(lines).encode()
