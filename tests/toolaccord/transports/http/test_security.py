"""Access to a server over HTTP, and the secrets that no response and no log contains."""

import httpx
import pytest

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import started
from tests.toolaccord.transports.http.secured_server import (
    ACCEPT,
    ROUTES,
    TOKEN,
    error_code,
    exchange_bytes,
    request_head,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBES = ("/health", "/ready")


@pytest.mark.parametrize("method, path", ROUTES)
async def test_without_a_token_every_route_is_answered_401(server: Listener, method: str, path: str) -> None:
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as client:
        response = await client.request(method, path)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    if path in {"/mcp", "/mcp/"}:
        assert response.json() == {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32600, "message": "Send a valid token in the header Authorization: Bearer TOKEN."},
        }
    else:
        assert error_code(response) == "UNAUTHORIZED"


@pytest.mark.parametrize(
    "given",
    ["Bearer wrong", "Bearer", "Basic b3BlbjpzZXNhbWU=", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
     f"Bearer {TOKEN}, the-other-one", "Bearer \xff"],
)  # fmt: skip
async def test_a_wrong_token_is_answered_401(server: Listener, given: str) -> None:
    response = await server.client.get("/health", headers=[(b"Authorization", given.encode("latin-1"))])
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_a_request_with_two_tokens_is_answered_401(server: Listener) -> None:
    headers = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer the-other-one")]
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as client:
        assert (await client.get("/health", headers=headers)).status_code == 401


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer {TOKEN}", "Bearer the-other-one"])
async def test_each_token_allows_calls(server: Listener, given: str) -> None:
    response = await server.client.post("/mcp/tools/get_book", json={"id": 7}, headers={"Authorization": given})
    assert response.status_code == 200


async def test_no_token_is_logged(server: Listener) -> None:
    await server.client.get(f"/{TOKEN}", headers={"Authorization": "Bearer guess-of-mine"})
    await server.client.get(f"/{TOKEN}")
    await server.process.log_has('"path":"/***"')
    for secret in (TOKEN, "the-other-one", "guess-of-mine", "s3cr3t"):
        assert secret.encode() not in server.process.logged


async def test_a_server_without_a_token_does_not_start_on_an_address_that_others_can_reach() -> None:
    async with started("--transport", "http", "--host", "0.0.0.0", "--port", "0") as process:
        assert await process.exit_code() == 2
        assert b"set MCP_AUTH_TOKEN, or listen on 127.0.0.1" in process.logged
        assert b"listening" not in process.logged.lower().replace(b"listening on 0.0.0.0, beyond", b"")


@pytest.mark.parametrize("given", [",", "two words", "ümlaut"])
async def test_an_invalid_token_in_the_environment_stops_the_start_and_is_not_logged(given: str) -> None:
    async with started("--transport", "http", "--port", "0", environ={"MCP_AUTH_TOKEN": given}) as process:
        assert await process.exit_code() == 2
        assert b"MCP_AUTH_TOKEN" in process.logged
        assert given == "," or given.encode() not in process.logged


@pytest.mark.parametrize(
    "given,opened",
    [
        ("", {"/health", "/ready"}),
        ("none", set()),
        ("/health, /docs", {"/health", "/docs", "/docs/viewer.js"}),
    ],
)
async def test_only_open_paths_need_no_token_and_by_default_those_are_the_probes(given: str, opened: set[str]) -> None:
    environ = {"MCP_AUTH_TOKEN": TOKEN, "MCP_OPEN_PATHS": given}
    async with listening(environ=environ) as server:
        del server.client.headers["Authorization"]
        responses = {path: (await server.client.request(method, path)).status_code for method, path in ROUTES}
        assert {path for path, status in responses.items() if status != 401} == opened


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:1", "127.0.0.1:9999", "[::1]:80", "books.example.org", "Books.example.org:443",
     "shelf.example.org:8080"],
)  # fmt: skip
async def test_an_allowed_host_is_served(server: Listener, host: str) -> None:
    assert (await server.client.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("method, path", [route for route in ROUTES if route[1] not in PROBES])
@pytest.mark.parametrize(
    "host", ["evil.example.com", "localhost.evil.example.com", "shelf.example.org", "127.0.0.1@evil.example.com"]
)
async def test_a_foreign_host_is_answered_421_on_every_route_but_those_of_probes(
    server: Listener, method: str, path: str, host: str
) -> None:
    response = await server.client.request(method, path, headers={"Host": host})
    assert response.status_code == 421
    assert "evil" not in response.text


async def test_the_local_address_of_the_connection_is_an_allowed_host() -> None:
    environ = {"MCP_AUTH_TOKEN": TOKEN}
    async with listening("--host", "0.0.0.0", environ=environ) as server:
        for address, host, status in (
            ("127.0.0.2", "127.0.0.2", 200),
            ("127.0.0.2", "127.0.0.3", 421),
            ("127.0.0.2", "0.0.0.0", 421),
            ("127.0.0.1", "localhost", 200),
        ):
            headers = {"Host": f"{host}:{server.port}"}
            response = await server.client.get(f"http://{address}:{server.port}/metrics", headers=headers)
            assert response.status_code == status


@pytest.mark.parametrize("path", PROBES)
async def test_a_probe_is_answered_for_any_host_and_for_none(server: Listener, path: str) -> None:
    named = await server.client.get(path, headers={"Host": "evil.example.com"})
    unnamed = await exchange_bytes(
        server, b"GET %b HTTP/1.0\r\nAuthorization: Bearer %b\r\n\r\n" % (path.encode(), TOKEN.encode())
    )
    assert [named.status_code, int(unnamed.split(b" ")[1])] == [200, 200]


async def test_a_request_without_a_host_is_rejected(server: Listener) -> None:
    assert b" 421 " in await exchange_bytes(server, b"GET /openapi.json HTTP/1.0\r\n\r\n")
    assert b" 400 " in await exchange_bytes(server, b"GET /health HTTP/1.1\r\n\r\n")


async def test_a_request_with_two_hosts_is_answered_400(server: Listener) -> None:
    for first, second in (
        ("localhost", "evil.example.com"),
        ("evil.example.com", "localhost"),
        ("localhost", "localhost"),
    ):
        request = request_head("GET", "/health", Host=first).replace(
            b"\r\n\r\n", b"\r\nHost: %b\r\n\r\n" % second.encode()
        )
        assert (await exchange_bytes(server, request)).split(b" ")[1] == b"400"


async def test_an_absolute_url_is_served_as_its_path_if_the_host_header_is_allowed(server: Listener) -> None:
    for target, host, status in (
        ("http://localhost/health", "localhost", b"200"),
        ("HTTPS://books.example.org/health?probe", "books.example.org", b"200"),
        ("http://localhost/%6dcp/tools/list", "localhost", b"405"),
        ("http://localhost", "localhost", b"400"),
        ("http://evil.example.com/docs", "evil.example.com", b"421"),
        ("http://localhost/docs", "evil.example.com", b"421"),
    ):
        assert (await exchange_bytes(server, request_head("GET", target, Host=host))).split(b" ")[1] == status


@pytest.mark.parametrize("how", ["crash", "undeclared", "source", "stranger", "break", "cancel"])
async def test_no_text_of_an_exception_reaches_a_client(server: Listener, how: str) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "misbehave", "arguments": {"how": how}},
    }
    for response in (
        await server.client.post("/mcp/tools/misbehave", json={"how": how}),
        await server.client.post("/mcp", json=call, headers=ACCEPT),
    ):
        for text in ("s3cr3t", "the effect", "the cause", "Traceback", "Error:", "fell on", "word", "dict"):
            assert text not in response.text
        assert "SHELF_GONE" in response.text if how == "source" else "INTERNAL_ERROR" in response.text


@pytest.mark.parametrize("method, path", ROUTES)
async def test_every_response_forbids_sniffing_and_storing(server: Listener, method: str, path: str) -> None:
    response = await server.client.request(method, path, json={} if method == "POST" else None)
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == ("private, max-age=3600" if path == "/docs/viewer.js" else "no-store")
    assert "server" not in response.headers
