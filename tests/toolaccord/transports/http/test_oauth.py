"""A host that logs in: the SDK's client, a real authorization server, and the vault."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp import Client
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from mcp_types import CallToolResult
from pydantic import AnyUrl

from tests.services.served import free_port
from tests.toolaccord.callers.guarded_vault import authorizing, guarded, url_of
from tests.toolaccord.callers.oauth_server import USER, OAuthServer
from tests.toolaccord.listener import Listener

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODES = ["legacy", "2026-07-28"]
EVERYTHING = {"vault:audit", "vault:enter", "vault:write"}


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def authorization(port: int) -> Iterator[OAuthServer]:
    with authorizing(port) as found:
        found.keys["two"] = rsa.generate_private_key(65537, 2048)
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def vault(authorization: OAuthServer, port: int) -> AsyncIterator[Listener]:
    async with guarded(authorization, port) as running:
        yield running


@pytest.fixture
def oauth(authorization: OAuthServer, vault: Listener, monkeypatch: pytest.MonkeyPatch) -> Iterator[OAuthServer]:  # noqa: ARG001 - it runs
    """Give the authorization server as it is at first."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    authorization.asked.clear()
    authorization.paths.clear()
    resources = {*authorization.resources}
    yield authorization
    authorization.resources, authorization.iss, authorization.key = resources, None, "one"


class Storage:
    """Tokens and registration of a host, which outlive its connections."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Browser:
    """A browser whose user agrees at once."""

    def __init__(self) -> None:
        self.visited: list[dict[str, str]] = []
        self._answer: dict[str, str] = {}

    async def visit(self, url: str) -> None:
        self.visited.append(dict(parse_qsl(urlsplit(url).query)))
        async with httpx2.AsyncClient() as client:
            answer = await client.get(url)
        assert answer.status_code == 302, answer.text
        self._answer = dict(parse_qsl(urlsplit(answer.headers["location"]).query))

    async def return_code(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(
            code=self._answer["code"], state=self._answer.get("state"), iss=self._answer.get("iss")
        )


class Host:
    """A host with its user, who may call the vault."""

    def __init__(self, port: int, storage: Storage) -> None:
        self.browser = Browser()
        self.url = url_of(port)
        metadata = OAuthClientMetadata(redirect_uris=[AnyUrl("http://127.0.0.1:1/callback")], client_name="host")
        self.provider = OAuthClientProvider(self.url, metadata, storage, self.browser.visit, self.browser.return_code)

    @asynccontextmanager
    async def connected(self, mode: str) -> AsyncIterator[Callable[..., Any]]:
        """Yield what calls a tool."""
        async with (
            httpx2.AsyncClient(auth=self.provider) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode, cache=None) as client,
        ):

            async def call(tool: str, **arguments: Any) -> str:
                answer = await client.call_tool(tool, arguments)
                assert isinstance(answer, CallToolResult)
                assert not answer.is_error
                return str(answer.structured_content["caller"] if answer.structured_content else "")

            yield call


@pytest.mark.parametrize("mode", MODES)
async def test_a_host_registers_logs_in_asks_for_more_and_stays_logged_in(
    oauth: OAuthServer, port: int, mode: str
) -> None:
    storage = Storage()
    host = Host(port, storage)
    async with host.connected(mode) as call:
        assert await call("open_box", number=1) == USER
        assert await call("fill_box", number=2, content="silver") == USER
        host.provider.context.token_expiry_time = 1.0  # the clock of the host passes the end of the token
        oauth.key = "two"
        assert await call("open_box", number=2) == USER
        host.provider.context.token_expiry_time = 1.0
        assert await call("open_box", number=2) == USER
    again = Host(port, storage)
    async with again.connected(mode) as call:
        assert await call("fill_box", number=2, content="gold") == USER
    assert again.browser.visited == []
    assert oauth.paths["/register"] == 1
    assert [each["code_challenge_method"] for each in host.browser.visited] == ["S256", "S256"]
    assert [{*each["scope"].split()} for each in host.browser.visited] == [{"vault:enter"}, EVERYTHING]
    kinds = [each["grant_type"] for each in oauth.asked]
    assert kinds == ["authorization_code", "authorization_code", "refresh_token", "refresh_token"]
    assert {each["resource"] for each in oauth.asked} == {url_of(port)}
    assert oauth.asked[2]["refresh_token"] != oauth.asked[3]["refresh_token"]


async def test_a_refresh_token_that_comes_twice_ends_the_login(oauth: OAuthServer, port: int) -> None:
    storage = Storage()
    host = Host(port, storage)
    async with host.connected("2026-07-28") as call:
        await call("open_box", number=1)
        assert storage.tokens
        stolen = storage.tokens.refresh_token
        host.provider.context.token_expiry_time = 1.0
        await call("open_box", number=1)
        assert storage.client
        form = {"grant_type": "refresh_token", "refresh_token": stolen, "resource": url_of(port)}
        async with httpx2.AsyncClient() as thief:
            credentials = (storage.client.client_id, storage.client.client_secret or "")
            answer = await thief.post(f"{oauth.issuer}/token", data=form, auth=credentials)
        assert answer.json()["error"] == "invalid_grant"
        host.provider.context.token_expiry_time = 1.0
        await call("open_box", number=1)
    assert len(host.browser.visited) == 2


@pytest.mark.parametrize(
    "change, sentence",
    [({"iss": "https://evil.example"}, "iss mismatch"), ({"resources": set()}, "invalid_target")],
    ids=["another issuer", "unknown resource"],
)
async def test_a_login_ends_for_another_issuer_or_resource(
    oauth: OAuthServer, port: int, change: dict[str, Any], sentence: str
) -> None:
    for name, value in change.items():
        setattr(oauth, name, value)
    with pytest.RaisesGroup(pytest.RaisesExc((OAuthFlowError, AssertionError), match=sentence), flatten_subgroups=True):
        async with Host(port, Storage()).connected("2026-07-28") as call:
            await call("open_box", number=1)
    assert oauth.asked == []


def _foreign(_oauth: OAuthServer, claims: dict[str, Any]) -> str:
    key = rsa.generate_private_key(65537, 2048)
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one", "typ": "at+jwt"})


TOKENS: dict[str, tuple[int, Callable[[OAuthServer, dict[str, Any]], str]]] = {
    "right": (200, lambda oauth, claims: oauth.sign(claims)),
    "another audience": (401, lambda oauth, claims: oauth.sign(claims | {"aud": "https://other.example/mcp"})),
    "no audience": (401, lambda oauth, claims: oauth.sign({name: claims[name] for name in claims if name != "aud"})),
    "expired": (401, lambda oauth, claims: oauth.sign(claims | {"exp": time.time() - 60})),
    "foreign key": (401, _foreign),
    "unsigned": (401, lambda _oauth, claims: jwt.encode(claims, "", algorithm="none")),
    "too few scopes": (403, lambda oauth, claims: oauth.sign(claims | {"scope": "vault:audit"})),
}
"""Tokens with the status of the answer."""


@pytest.mark.parametrize("what", list(TOKENS))
async def test_only_the_right_token_gives_access(oauth: OAuthServer, vault: Listener, port: int, what: str) -> None:
    status, make = TOKENS[what]
    claims = oauth.claims(time.time(), aud=url_of(port), scope="vault:enter")
    params = {"name": "open_box", "arguments": {"number": 1}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {make(oauth, claims)}"}
    answer = await vault.client.post("/mcp", json=message, headers=headers)
    assert answer.status_code == status
    challenge = answer.headers.get("www-authenticate", "")
    error = {200: "", 401: 'error="invalid_token"', 403: 'error="insufficient_scope"'}[status]
    assert error in challenge
    assert (f'resource_metadata="http://127.0.0.1:{port}/.well-known/' in challenge) == (status != 200)
