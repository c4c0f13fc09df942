"""A typed client that gets tokens from a real authorization server by its id and secret."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.services.served import free_port
from tests.toolaccord.callers.guarded_vault import ROBOT, SECRET, authorizing, guarded, url_of
from tests.toolaccord.callers.oauth_server import OAuthServer
from tests.toolaccord.generated.demo.vault.client import VaultClient
from tests.toolaccord.generated.demo.vault.models import FillBoxRequest, OpenBoxRequest, ReadRecordRequest
from tests.toolaccord.listener import Listener
from toolaccord.client.authorizing import CredentialsAuth
from toolaccord.client.connection import Era
from toolaccord.client.credentials import ClientCredentials
from toolaccord.errors import ServerGone, TransportOutage, Unauthorised

pytestmark = pytest.mark.asyncio(loop_scope="module")

A_BOX = OpenBoxRequest(number=1)
FULL = FillBoxRequest(number=2, content="silver")
BOTH = ("vault:enter", "vault:write")
ERAS: list[Era] = ["handshake", "stateless"]


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def authorization(port: int) -> Iterator[OAuthServer]:
    with authorizing(port) as found:
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
    yield authorization
    authorization.failure, authorization.claims_of_tokens, authorization.replaced = 0, {}, {}
    authorization.clients[ROBOT].scopes = authorization.scopes


def client_of(oauth: OAuthServer, port: int, *, era: Era = "auto", **changes: Any) -> VaultClient:
    usual = {"client_id": ROBOT, "client_secret": SECRET, "issuer": oauth.issuer, "scopes": ("vault:enter",)}
    return VaultClient.http(url_of(port), credentials=ClientCredentials(**(usual | changes)), era=era)


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_gets_one_token_for_all_its_calls(oauth: OAuthServer, port: int, era: Era) -> None:
    async with client_of(oauth, port, era=era) as client:
        boxes = await asyncio.gather(*(client.open_box(A_BOX) for _ in range(20)))
    assert {box.caller for box in boxes} == {ROBOT}
    assert oauth.asked == [
        {"grant_type": "client_credentials", "resource": url_of(port), "scope": "vault:enter"},
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_needs_more_scopes_gets_them_and_keeps_the_others(
    oauth: OAuthServer, port: int, era: Era
) -> None:
    async with client_of(oauth, port, era=era) as client:
        await client.open_box(A_BOX)
        boxes = await asyncio.gather(*(client.fill_box(FULL) for _ in range(5)))
        await client.open_box(A_BOX)
        await client.read_record(ReadRecordRequest(number=1))
    assert boxes[0].content == "silver"
    assert [set(each["scope"].split()) for each in oauth.asked] == [
        {"vault:enter"},
        {"vault:enter", "vault:audit", "vault:write"},
    ]


async def test_without_scopes_a_client_asks_for_those_that_the_server_names(oauth: OAuthServer, port: int) -> None:
    async with client_of(oauth, port, scopes=()) as client:
        await client.fill_box(FULL)
        await client.open_box(A_BOX)
    assert [set(each["scope"].split()) for each in oauth.asked] == [
        {"vault:enter"},
        {"vault:enter", "vault:audit", "vault:write"},
    ]


async def test_scopes_that_are_refused_are_named_and_not_asked_for_again(oauth: OAuthServer, port: int) -> None:
    oauth.clients[ROBOT].scopes = "vault:enter"
    async with client_of(oauth, port) as client:
        for _ in range(3):
            with pytest.raises(Unauthorised, match=r"gave no token with the scopes vault:.*: invalid_scope") as caught:
                await client.fill_box(FULL)
            assert set(caught.value.scopes) == {"vault:audit", "vault:enter", "vault:write"}
        assert (await client.open_box(A_BOX)).caller == ROBOT
    assert len(oauth.asked) == 2


async def test_a_token_that_lacks_the_scopes_all_the_same_ends_the_call(oauth: OAuthServer, port: int) -> None:
    async with client_of(oauth, port) as client:
        oauth.claims_of_tokens = {"scope": "vault:enter"}
        for _ in range(3):
            with pytest.raises(
                Unauthorised, match=r"\(403\): .* a token with the scopes vault:audit vault:enter"
            ) as caught:
                await client.fill_box(FULL)
            assert set(caught.value.scopes) == {"vault:audit", "vault:enter", "vault:write"}
    assert len(oauth.asked) == 2


@pytest.mark.parametrize(
    "claims",
    [{"aud": "https://other.example/mcp"}, {"aud": None}, {"exp": 1}, {"iss": "https://evil.example"}],
    ids=["another audience", "no audience", "expired", "another issuer"],
)
async def test_a_token_that_the_server_rejects_is_asked_for_once(
    oauth: OAuthServer, port: int, claims: dict[str, Any]
) -> None:
    oauth.claims_of_tokens = claims
    with pytest.raises(Unauthorised, match=r"rejected the call \(401\)"):
        async with client_of(oauth, port):
            raise AssertionError("it is open")
    assert len(oauth.asked) == 1


async def test_a_wrong_secret_is_told_in_the_words_of_the_authorization_server(
    oauth: OAuthServer, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(
        Unauthorised, match=r"was not called: http://127\.0\.0\.1:.* gave no token: invalid_client"
    ) as caught:
        async with client_of(oauth, port, client_secret="not the secret"):
            raise AssertionError("it is open")
    assert "not the secret" not in f"{caught.value}{caplog.text}"


async def test_an_authorization_server_that_fails_is_an_outage(oauth: OAuthServer, port: int) -> None:
    oauth.failure = 503
    with pytest.raises(TransportOutage, match=r"gave no token: http://127\.0\.0\.1:\d+/token answered 503") as caught:
        async with client_of(oauth, port):
            raise AssertionError("it is open")
    assert caught.value.retryable


async def test_a_secret_is_sent_to_the_named_issuer_alone(oauth: OAuthServer, port: int) -> None:
    with pytest.raises(Unauthorised, match="gave no token: "):
        async with client_of(oauth, port, issuer="https://id.example"):
            raise AssertionError("it is open")
    oauth.replaced = {"issuer": "http://127.0.0.1:1"}
    with pytest.raises(Unauthorised, match=r"gave no token: .*issuer mismatch"):
        async with client_of(oauth, port):
            raise AssertionError("it is open")
    assert oauth.asked == []


async def test_metadata_that_cannot_be_read_is_named(oauth: OAuthServer, port: int) -> None:
    oauth.replaced = {"token_endpoint": 7}
    with pytest.raises(Unauthorised, match="gave no token: "):
        async with client_of(oauth, port):
            raise AssertionError("it is open")
    assert oauth.asked == []


async def test_a_challenge_that_the_provider_does_not_see_ends_the_call() -> None:
    credentials = ClientCredentials(client_id="a", client_secret="b", issuer="https://id.example")
    auth = CredentialsAuth("https://desk.example/mcp", credentials)
    challenge = 'Bearer xerror="b", error="insufficient_scope", scope="a"'
    answers = httpx2.MockTransport(lambda _request: httpx2.Response(403, headers={"WWW-Authenticate": challenge}))
    async with httpx2.AsyncClient(transport=answers, auth=auth) as client:
        answer = await client.post("https://desk.example/mcp")
    assert (answer.status_code, len(answer.history)) == (403, 1)


async def test_no_call_waits_for_the_answer_of_another() -> None:
    credentials = ClientCredentials(client_id="a", client_secret="b", issuer="https://id.example")
    auth = CredentialsAuth("https://desk.example/mcp", credentials)
    flows = [auth.async_auth_flow(httpx2.Request("POST", "https://desk.example/mcp")) for _ in range(3)]
    async with asyncio.timeout(1):
        assert len([await anext(flow) for flow in flows]) == 3
    for flow in flows:
        await flow.aclose()


async def test_an_authorization_server_that_is_gone_is_named(oauth: OAuthServer, port: int) -> None:
    oauth.replaced = {"token_endpoint": "http://127.0.0.1:1/token"}
    with pytest.raises(ServerGone, match=r"http://127\.0\.0\.1:1, which gives its tokens, did not answer"):
        async with client_of(oauth, port):
            raise AssertionError("it is open")


async def test_a_client_gets_a_new_token_when_the_old_one_ends_and_keys_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    port = free_port()
    with authorizing(port) as oauth:
        async with guarded(oauth, port):
            client = client_of(oauth, port, era="stateless")
            await client.__aenter__()
            await client.open_box(A_BOX)
        oauth.keys = {"two": rsa.generate_private_key(65537, 2048), "curve": ec.generate_private_key(ec.SECP256R1())}
        oauth.key = "two"
        async with guarded(oauth, port):  # which knows the new keys alone
            boxes = await asyncio.gather(*(client.open_box(A_BOX) for _ in range(10)))
            assert {box.caller for box in boxes} == {ROBOT}
            await client.__aexit__(None, None, None)
        assert len(oauth.asked) == 2


@pytest.mark.parametrize(
    "issuer", ["http://id.example", "id.example", "https://me@id.example", "ftp://id.example", "https://[", "https://"]
)
async def test_a_secret_is_for_https_alone(issuer: str) -> None:
    with pytest.raises(ValueError, match="is no https URL"):
        ClientCredentials(client_id="a", client_secret="b", issuer=issuer)


async def test_a_secret_is_not_shown() -> None:
    assert SECRET not in repr(ClientCredentials(client_id="a", client_secret=SECRET, issuer="https://id.example"))


async def test_a_client_has_a_token_or_credentials() -> None:
    credentials = ClientCredentials(client_id="a", client_secret="b", issuer="https://id.example")
    with pytest.raises(ValueError, match="give it one of them"):
        VaultClient.http("http://127.0.0.1:1/mcp", token="t", credentials=credentials)
