"""The vault as a process whose callers come from a real authorization server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from tests.toolaccord.callers.authorization_server import serving_as
from tests.toolaccord.callers.oauth_server import Client, OAuthServer
from tests.toolaccord.listener import Listener, listening

SCOPES = "vault:enter vault:audit vault:write"
ROBOT = "robot"
SECRET = "s3cret-of-robot"


def url_of(port: int) -> str:
    """Return the URL of the vault."""
    return f"http://127.0.0.1:{port}/mcp"


@contextmanager
def authorizing(port: int) -> Iterator[OAuthServer]:
    """Yield an authorization server of the vault on *port*, with a program that has all scopes."""
    state = OAuthServer(resources={url_of(port)}, scopes=SCOPES, clients={ROBOT: Client(ROBOT, SECRET, SCOPES)})
    with serving_as(state):
        yield state


@asynccontextmanager
async def guarded(oauth: OAuthServer, port: int) -> AsyncIterator[Listener]:
    """Yield the vault on *port*."""
    environ = {
        "MCP_JWT_ISSUER": oauth.issuer,
        "MCP_JWT_KEYS_URL": oauth.keys_url,
        "MCP_RESOURCE_URL": url_of(port),
    }
    async with listening("--port", str(port), module="tests.toolaccord.demo.vault", environ=environ) as running:
        yield running
