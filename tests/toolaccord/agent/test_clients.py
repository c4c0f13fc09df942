"""Opening of an agent's clients."""

import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.services.served import free_port
from tests.toolaccord.callers.guarded_vault import ROBOT, SECRET, authorizing, guarded, url_of
from tests.toolaccord.demo.scout import agent
from tests.toolaccord.generated.demo.vault.client import VaultClient
from tests.toolaccord.generated.demo.vault.models import OpenBoxRequest
from toolaccord.agent import clients
from toolaccord.agent.clients import ClientOptions, create_client, open_clients
from toolaccord.agent.declarations import Use
from toolaccord.client.base import ServerClient
from toolaccord.client.policies import CallObserver
from toolaccord.contract.agents import Credentials, Retry
from toolaccord.errors import Unauthorised
from toolaccord.testing import ManualClock, capture_logs


@pytest.fixture
def silent_url() -> Iterator[str]:
    """The endpoint of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"


def make_clients(url: str, retry: Retry | None = None) -> dict[str, ServerClient]:
    """Return the clients of the scout, whose library is at *url*."""
    scout = replace(agent(), retry=retry)
    empty = dict.fromkeys((setting.name for setting in scout.settings), "")
    options = use_settings(empty | {"library_url": url, "redis_url": "redis://127.0.0.1:9"})
    return {use.name: create_client(scout, use, options) for use in scout.uses}


def use_settings(settings: Mapping[str, str]) -> ClientOptions:
    """Return options of clients with *settings*."""
    return ClientOptions(settings=settings, environ={}, arguments=(), observer=CallObserver(), clock=ManualClock())


async def test_a_client_gets_its_tokens_with_the_credentials_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    names = Credentials(issuer="issuer", client_id="id", client_secret="secret")
    use = Use(name="vault", client=VaultClient, version="^1", tools=(), environment=(), url="url", credentials=names)
    port = free_port()
    with authorizing(port) as oauth:
        settings = {"url": url_of(port), "issuer": oauth.issuer, "id": ROBOT, "secret": SECRET}
        async with guarded(oauth, port):
            client = create_client(replace(agent(), retry=None), use, use_settings(settings))
            assert isinstance(client, VaultClient)
            async with open_clients({"vault": client}) as opening:
                await opening
                assert (await client.open_box(OpenBoxRequest(number=1))).caller == ROBOT
            assert [each["grant_type"] for each in oauth.asked] == ["client_credentials"]
            refused = create_client(agent(), use, use_settings(settings | {"secret": "wrong"}))
            async with open_clients({"vault": refused}) as opening:
                with pytest.raises(Unauthorised, match="gave no token"):
                    await opening


async def test_a_server_that_hangs_does_not_keep_the_agent_from_starting(
    monkeypatch: pytest.MonkeyPatch, silent_url: str
) -> None:
    monkeypatch.setattr(clients, "_OPEN_TIMEOUT_S", 0.1)
    with capture_logs() as lines:
        async with open_clients(make_clients(silent_url)) as opening:
            assert not opening.done()
            await opening
    (line,) = (line.getMessage() for line in lines if "later" in line.getMessage())
    assert line == f"calls will connect to library-mcp later: library-mcp at {silent_url} was not ready within 0.1 s."


def test_attempts_share_half_of_the_time_if_their_pauses_alone_would_take_it(silent_url: str) -> None:
    retry = Retry(max_attempts=4, initial_delay_ms=5000, max_delay_ms=5000, multiplier=2, jitter=0.1)
    executor: Any = make_clients(silent_url, retry)["library"]._executor
    assert executor._policies.deadline.timeout_s == 8
    assert executor._policies.deadline.attempt_timeout_s == 1


async def test_no_more_calls_of_a_server_run_at_once_than_its_use_admits(silent_url: str) -> None:
    executor: Any = make_clients(silent_url)["library"]._executor
    for _ in range(20):
        assert not executor._slots.locked()
        await executor._slots.acquire()
    assert executor._slots.locked()
