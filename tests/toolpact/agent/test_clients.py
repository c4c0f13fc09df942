"""Opening of an agent's clients."""

import socket
from collections.abc import Iterator

import pytest

from tests.toolpact.scout import agent
from toolpact.agent import clients
from toolpact.agent.clients import ClientOptions, create_client, open_clients
from toolpact.client.base import ServerClient
from toolpact.client.policies import CallObserver
from toolpact.testing import ManualClock, capture_logs


@pytest.fixture
def silent_url() -> Iterator[str]:
    """The endpoint of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"


def make_clients(url: str) -> dict[str, ServerClient]:
    """Return the clients of the scout, whose library is at *url*."""
    scout = agent()
    options = ClientOptions(
        settings={"library_url": url, "library_token": "", "library_command": "", "redis_url": "redis://127.0.0.1:9"},
        environ={},
        arguments=(),
        observer=CallObserver(),
        clock=ManualClock(),
    )
    return {use.name: create_client(scout, use, options) for use in scout.uses}


async def test_a_server_that_hangs_does_not_keep_the_agent_from_starting(
    monkeypatch: pytest.MonkeyPatch, silent_url: str
) -> None:
    monkeypatch.setattr(clients, "_OPEN_TIMEOUT_S", 0.1)
    with capture_logs() as lines:
        async with open_clients(make_clients(silent_url)):
            pass
    (line,) = (line.getMessage() for line in lines if "later" in line.getMessage())
    assert line == f"calls will connect to library-mcp later: library-mcp at {silent_url} was not ready within 0.1 s."
