"""A server as a protected resource, with tokens of others and of a file of callers."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_asyncio

from tests.toolaccord.callers.authorization_server import RESOURCE, AuthorizationServer, serving
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import started

pytestmark = pytest.mark.asyncio(loop_scope="module")

METADATA = "https://desk.example/.well-known/oauth-protected-resource/mcp"
BOOK = {"id": 7}


@pytest.fixture(scope="module")
def authorization() -> Iterator[AuthorizationServer]:
    with serving() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    authorization: AuthorizationServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Listener]:
    file = tmp_path_factory.mktemp("callers") / "callers.json"
    file.write_text(json.dumps({"callers": {"night-job": {"sha256": [sha256(b"night").hexdigest()]}}}))
    environ = {
        "MCP_JWT_ISSUER": authorization.issuer,
        "MCP_JWT_KEYS_URL": authorization.keys_url,
        "MCP_RESOURCE_URL": RESOURCE,
        "MCP_TOKEN_FILE": str(file),
    }
    async with listening(environ=environ) as running:
        yield running


async def test_a_request_without_a_token_learns_where_to_get_one(server: Listener) -> None:
    response = await server.client.post("/mcp/tools/get_book", json=BOOK)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'


async def test_a_wrong_token_is_named_as_the_error(server: Listener) -> None:
    response = await server.client.post("/mcp/tools/get_book", json=BOOK, headers={"Authorization": "Bearer a.b.c"})
    assert response.status_code == 401
    challenge = f'Bearer error="invalid_token", resource_metadata="{METADATA}"'
    assert response.headers["www-authenticate"] == challenge


@pytest.mark.parametrize("path", ["", "/mcp"])
async def test_the_metadata_needs_no_token(server: Listener, authorization: AuthorizationServer, path: str) -> None:
    host = {"Host": "desk.example"}  # by which clients reach it
    response = await server.client.get(f"/.well-known/oauth-protected-resource{path}", headers=host)
    assert response.status_code == 200
    assert response.json() == {
        "resource": RESOURCE,
        "authorization_servers": [authorization.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "Library",
    }


@pytest.mark.parametrize("path", ["/mcp/tools/get_book", "/mcp"])
async def test_a_token_of_the_authorization_server_calls_and_is_logged_by_its_subject(
    server: Listener, authorization: AuthorizationServer, path: str
) -> None:
    subject = f"ada of {path}"
    token = authorization.sign(authorization.claims(time.time(), sub=subject))
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "get_book", "arguments": {"id": 7}},
    }
    response = await server.client.post(
        path,
        json=message if path == "/mcp" else BOOK,
        headers={"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"},
    )
    assert response.status_code == 200
    await server.process.log_has(f'"caller":"{subject}"')
    assert token.encode() not in server.process.logged


async def test_a_token_of_the_file_calls_and_is_logged_by_its_name(server: Listener) -> None:
    response = await server.client.post("/mcp/tools/get_book", json=BOOK, headers={"Authorization": "Bearer night"})
    assert response.status_code == 200
    await server.process.log_has('"caller":"night-job"')


async def test_tokens_that_nobody_can_verify_yet_are_not_called_wrong(authorization: AuthorizationServer) -> None:
    token = authorization.sign(authorization.claims(time.time()))
    environ = {
        "MCP_JWT_ISSUER": authorization.issuer,
        "MCP_JWT_KEYS_URL": "http://127.0.0.1:1/keys",
        "MCP_RESOURCE_URL": RESOURCE,
    }
    async with listening(environ=environ) as running:
        answers = [
            await running.client.post("/mcp/tools/get_book", json=BOOK, headers={"Authorization": f"Bearer {each}"})
            for each in (token, "a.b.c")
        ]
    assert [each.status_code for each in answers] == [503, 401]
    assert answers[0].headers["retry-after"] == "30"


@pytest.mark.parametrize(
    "environ, sentence",
    [
        ({"MCP_JWT_ISSUER": "https://id.example"}, "MCP_JWT_KEYS_URL is missing"),
        (
            {
                "MCP_JWT_ISSUER": "http://id.example",
                "MCP_JWT_KEYS_URL": "https://id.example/keys",
                "MCP_RESOURCE_URL": RESOURCE,
            },
            "MCP_JWT_ISSUER is no https URL",
        ),
        *(
            (
                {"MCP_JWT_ISSUER": "https://id.example", "MCP_JWT_KEYS_URL": url, "MCP_RESOURCE_URL": RESOURCE},
                "MCP_JWT_KEYS_URL is no https URL",
            )
            for url in ("https://[id.example/keys", "https://id.example:100000/keys", "https://me:secret@id.example/")
        ),
        ({"MCP_TOKEN_FILE": "missing.json"}, "MCP_TOKEN_FILE: missing.json cannot be read"),
    ],
    ids=["one of three", "plain HTTP", "no host", "no port", "password", "no file"],
)
async def test_settings_that_do_not_fit_stop_the_start(environ: dict[str, str], sentence: str) -> None:
    async with started("--transport", "http", "--port", "0", environ=environ) as process:
        assert await process.exit_code() == 2
        assert sentence.encode() in process.logged
        assert b"secret" not in process.logged


async def test_a_token_file_is_enough_to_listen_beyond_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "callers.json"
    file.write_text(json.dumps({"callers": {"ada": {"sha256": [sha256(b"a").hexdigest()]}}}))
    async with started(
        "--transport", "http", "--host", "0.0.0.0", "--port", "0", environ={"MCP_TOKEN_FILE": str(file)}
    ) as process:
        await process.log_has(": listening on http://")
