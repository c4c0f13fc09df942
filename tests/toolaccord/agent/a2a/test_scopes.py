"""Scopes that an agent demands of its callers, in each binding."""

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from a2a.client.errors import A2AClientError
from a2a.types import Part

from tests.toolaccord.agent.a2a.guide import Guide, declare, serving
from tests.toolaccord.agent.a2a.served import BINDINGS, Served, describe, events, message, say, serve
from toolaccord.config.process_settings import UnprotectedServer

pytestmark = pytest.mark.asyncio(loop_scope="module")
SCOPES = ("guide:ask", "guide:follow")
CALLERS = {"stranger": [], "visitor": ["guide:ask"], "friend": [*SCOPES, "of another agent"]}
"""Scopes by the name of the caller, which is its token."""
JWT: dict[str, Any] = {
    "MCP_JWT_ISSUER": "https://id.example",
    "MCP_JWT_KEYS_URL": "https://id.example/keys",
    "MCP_RESOURCE_URL": "https://guide.example/a2a/v1",
}
METADATA = "/.well-known/oauth-protected-resource"
PLAIN = {"input": {"messages": [{"role": "user", "content": "hi"}]}}
REQUESTS: list[tuple[str, str, Any]] = [
    ("POST", "/a2a", PLAIN),
    ("POST", "/a2a/v1", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": say("hi")}}),
    ("POST", "/a2a/v1/", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": say("hi")}}),
    ("POST", "/a2a/v1/message:send", {"message": say("hi")}),
    ("GET", "/a2a/v1/tasks", None),
]


@pytest.fixture(scope="module")
def callers_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file with the callers."""
    file: Path = tmp_path_factory.mktemp("callers") / "callers.json"
    entries = {name: {"sha256": [sha256(name.encode()).hexdigest()], "scopes": each} for name, each in CALLERS.items()}
    file.write_text(json.dumps({"callers": entries}))
    return file


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(callers_file: Path) -> AsyncIterator[Served]:
    """Give an agent that knows its callers by a file, by a token and by an authorization server."""
    async with serving(scopes=SCOPES, MCP_TOKEN_FILE=str(callers_file), MCP_AUTH_TOKEN="master", **JWT) as (agent, _):
        yield agent


@pytest.mark.parametrize("method, path, body", REQUESTS)
@pytest.mark.parametrize("caller", ["stranger", "visitor"])
async def test_a_caller_without_all_scopes_is_told_them_before_its_body_is_read(
    served: Served, caller: str, method: str, path: str, body: Any
) -> None:
    headers = {"Authorization": f"Bearer {caller}", "A2A-Version": "1.0", "Content-Type": "application/json"}
    for content in (None if body is None else json.dumps(body), "{"):
        response = await served.http.request(method, path, content=content, headers=headers)
        missing = "scopes guide:ask guide:follow" if caller == "stranger" else "scope guide:follow"
        error = response.json()["error"]
        assert response.status_code == 403
        assert error["message"] == f"The token lacks the {missing}, which this request needs."
        assert response.headers["www-authenticate"] == (
            'Bearer error="insufficient_scope", scope="guide:ask guide:follow", '
            f'resource_metadata="https://guide.example{METADATA}/a2a/v1"'
        )


@pytest.mark.parametrize("method, path, body", REQUESTS)
@pytest.mark.parametrize("caller", ["friend", "master"])
async def test_a_caller_with_all_scopes_is_answered(
    served: Served, caller: str, method: str, path: str, body: Any
) -> None:
    headers = {"Authorization": f"Bearer {caller}", "A2A-Version": "1.0", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body)
    response = await served.http.request(method, path, content=content, headers=headers)
    assert response.status_code == 200
    assert "error" not in response.json()


@pytest.mark.parametrize("binding, version", BINDINGS)
async def test_a_client_of_the_sdk_needs_the_scopes_of_the_card(served: Served, binding: str, version: str) -> None:
    card = await served.card()
    assert [{name: each.list for name, each in need.schemes.items()} for need in card.security_requirements] == [
        {"bearer": list(SCOPES)}
    ]
    friend = await served.client(binding, version, token="friend")
    assert describe((await events(friend, message(Part(text="hi"))))[-1]) == "completed"
    stranger = await served.client(binding, version, token="stranger")
    with pytest.raises(A2AClientError, match="403"):
        await events(stranger, message(Part(text="hi")))


async def test_pages_of_operators_and_the_card_need_no_scopes(served: Served) -> None:
    headers = {"Authorization": "Bearer stranger"}
    for path in ("/metrics", "/health", "/ready", "/.well-known/agent-card.json"):
        assert (await served.http.get(path, headers=headers)).status_code == 200


async def test_the_metadata_of_the_resource_and_a_challenge_name_the_scopes(served: Served) -> None:
    metadata = (await served.http.get(METADATA)).json()
    assert metadata["scopes_supported"] == list(SCOPES)
    response = await served.post("/a2a", PLAIN, Authorization="Bearer nobody's")
    assert response.status_code == 401
    assert 'error="invalid_token", scope="guide:ask guide:follow"' in response.headers["www-authenticate"]


async def test_an_agent_with_scopes_does_not_start_over_a2a_without_tokens() -> None:
    with pytest.raises(UnprotectedServer, match="MCP_AUTH_TOKEN, MCP_TOKEN_FILE or MCP_JWT_ISSUER"):
        async with serve(declare(Guide(), scopes=SCOPES), {}):
            pass
