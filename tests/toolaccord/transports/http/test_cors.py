"""Requests of pages of the own, of allowed and of foreign origins."""

import httpx
import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.transports.http.secured_server import ROUTES

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("method, path", ROUTES)
@pytest.mark.parametrize("origin", ["https://evil.example.com", "null", "http://localhost:1", "", "http://["])
async def test_pages_of_a_foreign_origin_may_not_call(server: Listener, method: str, path: str, origin: str) -> None:
    assert (await server.client.request(method, path, headers={"Origin": origin})).status_code == 403


async def test_the_own_host_with_another_scheme_is_a_foreign_origin(server: Listener) -> None:
    for scheme in ("https", "ftp", "x"):
        origin = str(server.client.base_url).replace("http", scheme)
        assert (await server.client.get("/health", headers={"Origin": origin})).status_code == 403


async def test_a_request_with_two_origins_is_answered_403(server: Listener) -> None:
    headers = [("Origin", "https://reader.example.org"), ("Origin", "https://evil.example.com")]
    for origins in (headers, headers[::-1], headers[:1] * 2):
        response = await server.client.get("/health", headers=origins)
        assert response.status_code == 403
        assert "access-control-allow-origin" not in response.headers


async def test_pages_of_the_own_and_of_an_allowed_origin_may_call(server: Listener) -> None:
    for origin in (str(server.client.base_url), "https://reader.example.org"):
        assert (await server.client.get("/health", headers={"Origin": origin})).status_code == 200


async def test_a_page_of_an_allowed_origin_passes_preflight_and_may_read_the_response(server: Listener) -> None:
    preflight = {
        "Origin": "https://reader.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with httpx.AsyncClient(base_url=server.client.base_url, trust_env=False) as browser:  # sends no token yet
        allowed = await browser.options("/mcp", headers=preflight)
        rejected = await browser.options("/mcp", headers=preflight | {"Origin": "https://evil.example.com"})
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "https://reader.example.org"
    assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
    assert rejected.status_code == 403
    assert "access-control-allow-origin" not in rejected.headers
    response = await server.client.post("/mcp/tools/get_book", json={"id": 7}, headers={"Origin": preflight["Origin"]})
    assert response.headers["access-control-allow-origin"] == "https://reader.example.org"
    assert response.headers["vary"] == "Origin"
