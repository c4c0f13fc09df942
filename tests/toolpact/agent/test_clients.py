"""Opening of an agent's clients."""

import socket

import pytest

from tests.toolpact.scout import agent
from toolpact.agent import clients
from toolpact.agent.clients import ClientOptions, create_client, open_clients
from toolpact.client.policies import CallObserver
from toolpact.testing import ManualClock, capture_logs


async def test_a_server_that_hangs_does_not_keep_the_agent_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "_OPEN_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        scout = agent()
        options = ClientOptions(
            settings={
                "library_url": f"http://127.0.0.1:{silent.getsockname()[1]}/mcp",
                "library_token": "",
                "library_command": "",
                "redis_url": "redis://127.0.0.1:9",
            },
            environ={},
            arguments=(),
            observer=CallObserver(),
            clock=ManualClock(),
        )
        with capture_logs() as lines:
            async with open_clients({use.name: create_client(scout, use, options) for use in scout.uses}):
                pass
    (line,) = (line.getMessage() for line in lines if "later" in line.getMessage())
    assert line.startswith("calls will connect to library-mcp later: library-mcp at http://127.0.0.1")
    assert line.endswith("was not ready within 0.1 s.")
