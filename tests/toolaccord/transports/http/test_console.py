"""The console at `/`, and the files that it loads."""

import re
from pathlib import Path

import httpx
import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import exchange_bytes

pytestmark = pytest.mark.asyncio(loop_scope="module")

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FOLDERS = ("console", "views")
LIBRARY = Path(__file__).parents[4] / "toolaccord"
FILES = [
    f"/{path.relative_to(LIBRARY).as_posix()}"
    for folder in FOLDERS
    for path in (LIBRARY / folder).rglob("*")
    if path.suffix in {".css", ".js"}
]
STRANGE_PATHS = (
    *("/console/", "/console/console.html", "/console/__init__.py", "/console/nothing.js", "/console/sub/main.js"),
    *("/console/../metrics", "/console/%2e%2e/errors.py", "/console/..%2fviews%2fstyle.css", "/console/main.js%00"),
    *("/console//main.js", "/console/main.js/", "/views/", "/views/__init__.py", "/views/panels/none.js"),
)


def as_stranger(server: Listener) -> httpx.AsyncClient:
    """Return a client without a token, as a browser is that opens a page."""
    return httpx.AsyncClient(base_url=server.client.base_url, headers=BROWSER, trust_env=False)


async def test_a_browser_gets_the_console_and_other_clients_the_routes(server: Listener) -> None:
    page = await server.client.get("/", headers=BROWSER)
    routes = await server.client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert routes.headers["content-type"] == "application/json"
    assert [each.headers["vary"] for each in (page, routes)] == ["Accept, Origin"] * 2


async def test_the_console_may_reach_its_own_server_alone(server: Listener) -> None:
    response = await server.client.get("/", headers=BROWSER)
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy.pop("default-src") == policy.pop("frame-ancestors") == policy.pop("base-uri") == "'none'"
    assert {source for sources in policy.values() for source in sources.split()} <= {"'self'", "'none'", "data:"}
    assert response.headers["referrer-policy"] == "no-referrer"


async def test_links_of_the_console_are_relative_so_that_a_proxy_may_serve_it_below_a_path(server: Listener) -> None:
    page = (await server.client.get("/", headers=BROWSER)).text
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert links
    assert not [each for each in links if each.startswith("/") or "//" in each]


async def test_the_console_needs_no_token_and_what_holds_data_does(server: Listener) -> None:
    async with as_stranger(server) as stranger:
        opened = [await stranger.get(each) for each in ("/", *FILES)]
        closed = [await stranger.get(each) for each in ("/metrics", "/openapi.json", "/ready", "/docs")]
        closed += [await stranger.post("/mcp", json={}), await stranger.get("/", headers={"Accept": "*/*"})]
    assert {each.status_code for each in opened} == {200}
    assert {each.status_code for each in closed} == {401}


async def test_the_console_says_nothing_of_its_server_to_a_caller_without_a_token(server: Listener) -> None:
    async with as_stranger(server) as stranger:
        page = (await stranger.get("/")).text
    assert "library" not in page.lower()
    assert "1.2.3" not in page


async def test_another_host_gets_no_console(server: Listener) -> None:
    response = await server.client.get("/", headers={**BROWSER, "Host": "evil.example.com"})
    assert response.status_code == 421


async def test_files_have_their_media_types_and_are_asked_for_again_by_their_tags(server: Listener) -> None:
    for path in FILES:
        first = await server.client.get(path)
        again = await server.client.get(path, headers={"If-None-Match": first.headers["etag"]})
        expected = "text/css; charset=utf-8" if path.endswith(".css") else "text/javascript; charset=utf-8"
        assert first.headers["content-type"] == expected
        assert first.headers["cache-control"] == "private, no-cache"
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])


async def test_head_is_answered_like_get_without_the_content(server: Listener) -> None:
    for path in ("/", "/console/main.js", "/views/frame.html"):
        full, bare = [await server.client.request(each, path, headers=BROWSER) for each in ("GET", "HEAD")]
        assert (bare.status_code, bare.content) == (200, b"")
        assert bare.headers["content-length"] == full.headers["content-length"] == str(len(full.content))
        assert bare.headers["content-type"] == full.headers["content-type"]


async def test_the_frame_of_views_never_has_the_origin_of_its_server(server: Listener) -> None:
    response = await server.client.get("/views/frame.html")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"] == "sandbox allow-scripts; frame-ancestors 'self'"


async def test_no_other_file_can_be_reached(server: Listener) -> None:
    for path in STRANGE_PATHS:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        assert (await exchange_bytes(server, head.encode())).split(b" ")[1] == b"404", path


async def test_files_can_only_be_read(server: Listener) -> None:
    response = await server.client.post("/console/main.js")
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD")
