"""Who may ask a server over HTTP, and what nobody is told."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.toolpact.listener import Listener, listening
from tests.toolpact.process import PATIENCE_S, started

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "open-5e5ame"
ROUTES = [
    ("POST", "/mcp"),
    ("POST", "/mcp/tools/list"),
    ("POST", "/mcp/tools/call"),
    ("POST", "/mcp/tools/get_book"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/docs"),
    ("GET", "/docs/viewer.js"),
    ("GET", "/nowhere"),
]
MCP = {"Accept": "application/json, text/event-stream"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[Listener]:
    environ = {
        "MCP_AUTH_TOKEN": f"{TOKEN}, the-other-one",
        "MCP_ALLOWED_HOSTS": "books.example.org,shelf.example.org:8080",
        "MCP_ALLOWED_ORIGINS": "https://reader.example.org",
        "MCP_MAX_BODY_BYTES": "100000",
    }
    async with listening(environ=environ) as running:
        running.client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield running


def code(answer: httpx.Response) -> str:
    found: str = answer.json()["error"]["code"]
    return found


async def raw(server: Listener, *parts: bytes, end: bool = False) -> bytes:
    """Send bytes as they are, and return all that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    if end:
        writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    return answer


def head(method: str, path: str, **headers: str) -> bytes:
    """Return the head of a request that has the token and is the last on its connection."""
    given = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}", "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    return "\r\n".join(lines).encode()


# --- the token -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method, path", ROUTES)
async def test_without_a_token_nothing_is_served(server: Listener, method: str, path: str) -> None:
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as stranger:
        answer = await stranger.request(method, path)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    if path == "/mcp":
        assert answer.json() == {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32600, "message": "A valid bearer token is needed."},
        }
    else:
        assert code(answer) == "UNAUTHORIZED"


@pytest.mark.parametrize(
    "given",
    ["Bearer wrong", "Bearer", "Basic b3BlbjpzZXNhbWU=", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
     f"Bearer {TOKEN}, the-other-one", "Bearer \xff"],
)  # fmt: skip
async def test_a_wrong_token_opens_nothing(server: Listener, given: str) -> None:
    answer = await server.client.get("/health", headers=[(b"Authorization", given.encode("latin-1"))])
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_two_tokens_at_once_are_none(server: Listener) -> None:
    twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer the-other-one")]
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as stranger:
        assert (await stranger.get("/health", headers=twice)).status_code == 401


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer {TOKEN}", "Bearer the-other-one"])
async def test_each_token_opens_everything(server: Listener, given: str) -> None:
    answer = await server.client.post("/mcp/tools/get_book", json={"id": 7}, headers={"Authorization": given})
    assert answer.status_code == 200


async def test_no_token_is_ever_logged(server: Listener) -> None:
    await server.client.get(f"/{TOKEN}", headers={"Authorization": "Bearer guess-of-mine"})
    await server.client.get(f"/{TOKEN}")
    await server.process.log_has('"path":"/***"')
    for secret in (TOKEN, "the-other-one", "guess-of-mine", "s3cr3t"):
        assert secret.encode() not in server.process.logged


async def test_beyond_this_machine_a_server_without_a_token_does_not_start() -> None:
    async with started("--transport", "http", "--host", "0.0.0.0", "--port", "0") as process:
        assert await process.exit_code() == 2
        assert b"set MCP_AUTH_TOKEN, or listen on 127.0.0.1" in process.logged
        assert b"listening" not in process.logged.lower().replace(b"listening on 0.0.0.0, beyond", b"")


@pytest.mark.parametrize("given", [",", "two words", "ümlaut"])
async def test_what_cannot_be_a_token_is_refused_and_not_shown(given: str) -> None:
    async with started("--transport", "http", "--port", "0", environ={"MCP_AUTH_TOKEN": given}) as process:
        assert await process.exit_code() == 2
        assert b"MCP_AUTH_TOKEN" in process.logged
        assert given == "," or given.encode() not in process.logged


async def test_only_the_paths_that_are_named_are_open() -> None:
    environ = {"MCP_AUTH_TOKEN": TOKEN, "MCP_OPEN_PATHS": "/health, /docs"}
    async with listening(environ=environ) as server:
        del server.client.headers["Authorization"]
        answers = {path: (await server.client.request(method, path)).status_code for method, path in ROUTES}
        opened = {path for path, status in answers.items() if status != 401}
        assert opened == {"/health", "/docs", "/docs/viewer.js"}


# --- Host and Origin -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:1", "127.0.0.1:9999", "[::1]:80", "books.example.org", "Books.example.org:443",
     "shelf.example.org:8080"],
)  # fmt: skip
async def test_a_known_host_is_served(server: Listener, host: str) -> None:
    assert (await server.client.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("method, path", ROUTES)
@pytest.mark.parametrize(
    "host", ["evil.example.com", "localhost.evil.example.com", "shelf.example.org", "127.0.0.1@evil.example.com"]
)
async def test_a_foreign_host_is_not_served(server: Listener, method: str, path: str, host: str) -> None:
    answer = await server.client.request(method, path, headers={"Host": host})
    assert answer.status_code == 421
    assert "evil" not in answer.text


async def test_the_address_that_was_reached_is_a_known_host_as_a_probe_knows_no_other() -> None:
    environ = {"MCP_AUTH_TOKEN": TOKEN}
    async with listening("--host", "0.0.0.0", environ=environ) as server:
        for address, host, status in (
            ("127.0.0.2", "127.0.0.2", 200),
            ("127.0.0.2", "127.0.0.3", 421),
            ("127.0.0.2", "0.0.0.0", 421),
            ("127.0.0.1", "localhost", 200),
        ):
            headers = {"Host": f"{host}:{server.port}"}
            answer = await server.client.get(f"http://{address}:{server.port}/health", headers=headers)
            assert answer.status_code == status


async def test_a_request_without_a_host_is_not_served(server: Listener) -> None:
    assert b" 421 " in await raw(server, b"GET /health HTTP/1.0\r\n\r\n")
    assert b" 400 " in await raw(server, b"GET /health HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize("method, path", ROUTES)
@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://localhost:1", "", "http://["])
async def test_pages_of_a_foreign_origin_may_not_call(server: Listener, method: str, path: str, origin: str) -> None:
    assert (await server.client.request(method, path, headers={"Origin": origin})).status_code == 403


async def test_two_origins_at_once_are_none(server: Listener) -> None:
    twice = [("Origin", "https://reader.example.org"), ("Origin", "https://evil.example.com")]
    for origins in (twice, twice[::-1], twice[:1] * 2):
        answer = await server.client.get("/health", headers=origins)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


async def test_pages_of_its_own_and_of_an_allowed_origin_may_call(server: Listener) -> None:
    for origin in (str(server.client.base_url), "https://reader.example.org"):
        assert (await server.client.get("/health", headers={"Origin": origin})).status_code == 200


async def test_a_page_of_an_allowed_origin_may_ask_first_and_read_the_answer(server: Listener) -> None:
    asked = {
        "Origin": "https://reader.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as browser:  # sends no token yet
        leave = await browser.options("/mcp", headers=asked)
        refused = await browser.options("/mcp", headers=asked | {"Origin": "https://evil.example.com"})
    assert leave.status_code == 204
    assert leave.headers["access-control-allow-origin"] == "https://reader.example.org"
    assert "authorization" in leave.headers["access-control-allow-headers"].lower()
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers
    answer = await server.client.post("/mcp/tools/get_book", json={"id": 7}, headers={"Origin": asked["Origin"]})
    assert answer.headers["access-control-allow-origin"] == "https://reader.example.org"
    assert answer.headers["vary"] == "Origin"


# --- the body ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/list", "/mcp/tools/call", "/mcp/tools/get_book"])
async def test_fifty_megabytes_are_refused_however_they_come(server: Listener, path: str) -> None:
    body = b"x" * 50_000_000
    headers = {"Content-Type": "application/json"} | MCP

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 1_000_000):
            yield body[start : start + 1_000_000]

    whole = await server.client.post(path, content=body, headers=headers)
    assert whole.status_code == 413
    streamed = await server.client.post(path, content=pieces(), headers=headers)
    assert streamed.status_code == 413
    assert (await server.client.get("/health")).status_code == 200


async def test_a_body_of_just_the_limit_is_read(server: Listener) -> None:
    body = json.dumps({"id": 7}).encode().ljust(100_000)
    headers = {"Content-Type": "application/json"}
    assert (await server.client.post("/mcp/tools/get_book", content=body, headers=headers)).status_code == 200
    assert (await server.client.post("/mcp/tools/get_book", content=body + b" ", headers=headers)).status_code == 413


async def test_a_request_that_tells_its_end_in_two_ways_is_refused_and_nothing_after_it_is_read(
    server: Listener,
) -> None:
    request = head("POST", "/mcp/tools/list", Content_Length="4", Transfer_Encoding="chunked", Connection="keep-alive")
    answer = await raw(server, request + b"0\r\n\r\n" + head("GET", "/health"))
    assert b" 400 " in answer
    assert b"connection: close" in answer.lower()
    assert answer.count(b"HTTP/1.1") == 1


async def test_a_chunk_that_is_none_ends_the_connection_and_is_no_fault_of_the_server(server: Listener) -> None:
    request = head("POST", "/nowhere", Content_Type="application/json", Transfer_Encoding="chunked")
    before = len(server.process.logged)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request.replace(b"Connection: close\r\n", b""))
    assert b" 404 " in await reader.readline()
    writer.write(b"no chunk\r\n")
    await writer.drain()
    await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    await server.client.get("/after-the-chunk")
    await server.process.log_has("/after-the-chunk")
    assert b"Traceback" not in server.process.logged[before:]


async def test_an_offer_of_another_protocol_is_passed_over(server: Listener) -> None:
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__"}
    before = len(server.process.logged)
    assert (await server.client.get("/health", headers=offer)).status_code == 200
    await server.client.get("/after-the-offer")
    await server.process.log_has("/after-the-offer")
    assert b"pgrade" not in server.process.logged[before:]


async def test_a_length_that_lies_is_refused_before_anything_is_read(server: Listener) -> None:
    request = head("POST", "/mcp/tools/get_book", Content_Type="application/json", Content_Length="99999999999")
    assert b" 413 " in await raw(server, request)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/call", "/mcp/tools/get_book"])
@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
async def test_only_json_is_read(server: Listener, path: str, media_type: str) -> None:
    answer = await server.client.post(path, content=b"{}", headers={"Content-Type": media_type} | MCP)
    assert answer.status_code == 415


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/call", "/mcp/tools/get_book"])
@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[" * 50_000, b'"\\ud800', b"{'id': 7}", b'{"id": 7} {}', b"Infinit"]
)
async def test_what_is_not_json_is_refused_without_the_text_of_a_parser(
    server: Listener, path: str, body: bytes
) -> None:
    answer = await server.client.post(path, content=body, headers={"Content-Type": "application/json"} | MCP)
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message in {"The body is not JSON.", "Parse error: the body is not JSON"}


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"7",
        b"null",
        b"{}",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        b'{"jsonrpc":"1.0","id":1}',
        *(b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % given for given in (b"null", b"1.5", b"[]", b"true")),
    ],
)
async def test_json_that_is_no_message_is_refused_on_the_mcp_endpoint(server: Listener, body: bytes) -> None:
    answer = await server.client.post("/mcp", content=body, headers={"Content-Type": "application/json"} | MCP)
    assert answer.status_code == 400
    assert answer.json()["error"] == {"code": -32600, "message": "Invalid request: not one JSON-RPC message"}


@pytest.mark.parametrize(
    "body",
    [
        [],
        7,
        {},
        {"name": 7},
        {"arguments": {}},
        {"name": "get_book", "_meta": 7},
        {"name": "get_book", "args": {}},
        {"name": "get_book", "\ud800": {}},
    ],
)
async def test_a_body_that_names_no_call_is_refused(server: Listener, body: Any) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await server.client.post("/mcp/tools/call", content=json.dumps(body), headers=headers)
    assert (answer.status_code, code(answer)) == (400, "INVALID_PARAMETER")


# --- paths and methods ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/../etc/passwd", "/docs/../../process.py", "/docs/%2e%2e/README.md", "/docs/..%2f..%2fprocess.py", "/docs/README.md",
     "/docs/", "//docs", "/mcp/tools/..%2fcall", "/mcp/tools/", "/mcp/", "/openapi.json/", "/docs/viewer.js%00", "/%"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_path_is_known_or_it_leads_nowhere(server: Listener, path: str, method: str) -> None:
    answer = await raw(server, head(method, path, Content_Length="0"))
    assert answer.split(b" ")[1] == b"404"
    assert b"passwd" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize("method, path", ROUTES[:-1])
async def test_another_method_is_told_which_ones_there_are(server: Listener, method: str, path: str) -> None:
    if path == "/openapi.json":
        return  # the library has none
    others = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}
    allowed = {"POST"} if method == "POST" else {"GET", "HEAD"}
    for other in sorted(others - allowed):
        answer = await server.client.request(other, path)
        assert answer.status_code == 405
        assert {each.strip() for each in answer.headers["allow"].split(",")} == allowed
        if other != "HEAD":
            assert answer.json()["error"]["message"] == ("Use POST." if method == "POST" else "Use GET or HEAD.")


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics", "/docs", "/docs/viewer.js"])
async def test_head_is_answered_like_get_without_the_body(server: Listener, path: str) -> None:
    full, bare = await server.client.get(path), await server.client.head(path)
    assert (bare.status_code, bare.content) == (full.status_code, b"")
    assert bare.headers["content-type"] == full.headers["content-type"]


async def test_a_method_that_http_does_not_know_is_refused(server: Listener) -> None:
    answer = await raw(server, head("BREW", "/health"))
    assert answer.split(b" ")[1] == b"400"
    assert b"connection: close" in answer.lower()


async def test_a_whole_url_is_served_as_its_path_where_the_host_header_is_known(server: Listener) -> None:
    for target, host, status in (
        ("http://localhost/health", "localhost", b"200"),
        ("HTTPS://books.example.org/health?probe", "books.example.org", b"200"),
        ("http://localhost/%6dcp/tools/list", "localhost", b"405"),
        ("http://localhost", "localhost", b"400"),
        ("http://evil.example.com/health", "evil.example.com", b"421"),
        ("http://localhost/health", "evil.example.com", b"421"),
    ):
        assert (await raw(server, head("GET", target, Host=host))).split(b" ")[1] == status


async def test_two_hosts_are_none(server: Listener) -> None:
    for first, second in (
        ("localhost", "evil.example.com"),
        ("evil.example.com", "localhost"),
        ("localhost", "localhost"),
    ):
        request = head("GET", "/health", Host=first).replace(b"\r\n\r\n", b"\r\nHost: %b\r\n\r\n" % second.encode())
        assert (await raw(server, request)).split(b" ")[1] == b"400"


async def test_an_unknown_tool_has_a_code_of_its_own(server: Listener) -> None:
    for answer in (
        await server.client.post("/mcp/tools/burn_book", json={}),
        await server.client.post("/mcp/tools/call", json={"name": "burn_book"}),
    ):
        assert (answer.status_code, code(answer)) == (404, "NOT_FOUND")
        assert "burn" not in answer.text


# --- headers and texts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", ["a b", "x" * 129, "<script>", "a%0d%0aSet-Cookie: x=1", "a;b", "", 'a"b', "\xe9", "a\tb"]
)
async def test_a_correlation_id_that_is_not_well_formed_is_replaced(server: Listener, given: str) -> None:
    for path, status in (("/mcp/tools/get_book", 200), ("/nowhere", 404)):
        headers = [(b"X-Correlation-ID", given.encode("latin-1"))]
        answer = await server.client.post(path, json={"id": 7}, headers=headers)
        assert answer.status_code == status
        made = answer.headers["x-correlation-id"]
        assert made.isalnum()
        assert len(made) == 32
        assert "set-cookie" not in answer.headers


async def test_a_correlation_id_cannot_end_a_line(server: Listener) -> None:
    body = b'{"id":7}'
    request = head("POST", "/mcp/tools/get_book", Content_Type="application/json", Content_Length=str(len(body)))
    for evil in (b"abc\nSet-Cookie: a=1", b"abc\rSet-Cookie: a=1", b"abc\x00", b"abc\r\n Set-Cookie: a=1"):
        injected = request.replace(b"Host:", b"X-Correlation-ID: " + evil + b"\r\nHost:")
        # Head and body at once: what a closed connection has not read would reset it, and take the answer along.
        answer = await raw(server, injected + body)
        assert b"\nset-cookie" not in answer.lower()


async def test_a_well_formed_correlation_id_comes_back_and_a_trace_goes_before_it(server: Listener) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    parent = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    given = {"X-Correlation-ID": "order-7_b"}
    for headers, said, expected in (
        (given, {}, "order-7_b"),
        (given | parent, {}, trace),
        (given | parent, {"corr_id": "mine"}, "mine"),
        ({}, parent, trace),
    ):
        body = {"name": "get_book", "arguments": {"id": 7}, "_meta": said}
        answer = await server.client.post("/mcp/tools/call", json=body, headers=headers)
        assert answer.headers["x-correlation-id"] == expected
        await server.process.log_has(f'"corr_id":"{expected}"')


@pytest.mark.parametrize("how", ["crash", "undeclared", "source", "stranger", "break", "cancel"])
async def test_no_text_of_an_exception_reaches_a_client(server: Listener, how: str) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "misbehave", "arguments": {"how": how}},
    }
    for answer in (
        await server.client.post("/mcp/tools/misbehave", json={"how": how}),
        await server.client.post("/mcp", json=call, headers=MCP),
    ):
        for told in ("s3cr3t", "the effect", "the cause", "Traceback", "Error:", "fell on", "word", "dict"):
            assert told not in answer.text
        assert "SHELF_GONE" in answer.text if how == "source" else "INTERNAL_ERROR" in answer.text


@pytest.mark.parametrize("method, path", ROUTES)
async def test_every_answer_is_what_it_says_it_is_and_is_not_kept(server: Listener, method: str, path: str) -> None:
    answer = await server.client.request(method, path, json={} if method == "POST" else None)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == ("private, max-age=3600" if path == "/docs/viewer.js" else "no-store")
    assert "server" not in answer.headers


async def test_the_page_of_the_viewer_may_load_nothing_from_elsewhere(server: Listener) -> None:
    answer = await server.client.get("/docs")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert {source for sources in policy.values() for source in sources.split()} <= {"'self'", "'none'", "data:"}
    assert "//" not in answer.text


async def test_the_files_of_the_viewer_are_those_of_swagger_ui(server: Listener) -> None:
    for name, digest in (
        ("swagger-ui-bundle.js", "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2"),
        ("swagger-ui.css", "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d"),
    ):
        answer = await server.client.get(f"/docs/{name}")
        assert hashlib.sha256(answer.content).hexdigest() == digest
