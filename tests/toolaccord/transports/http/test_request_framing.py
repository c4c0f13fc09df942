"""Requests that are too large, of another media type, or not valid HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.toolaccord.listener import Listener
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.http.secured_server import ACCEPT, exchange_bytes, request_head

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/list", "/mcp/tools/call", "/mcp/tools/get_book"])
async def test_a_body_of_fifty_megabytes_is_answered_413_with_and_without_a_length(server: Listener, path: str) -> None:
    body = b"x" * 50_000_000
    headers = {"Content-Type": "application/json"} | ACCEPT

    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 1_000_000):
            yield body[start : start + 1_000_000]

    whole = await server.client.post(path, content=body, headers=headers)
    assert whole.status_code == 413
    streamed = await server.client.post(path, content=parts(), headers=headers)
    assert streamed.status_code == 413
    assert (await server.client.get("/health")).status_code == 200


async def test_a_body_of_exactly_the_limit_is_read(server: Listener) -> None:
    body = json.dumps({"id": 7}).encode().ljust(100_000)
    headers = {"Content-Type": "application/json"}
    assert (await server.client.post("/mcp/tools/get_book", content=body, headers=headers)).status_code == 200
    assert (await server.client.post("/mcp/tools/get_book", content=body + b" ", headers=headers)).status_code == 413


async def test_a_content_length_above_the_limit_is_answered_413_before_the_body(server: Listener) -> None:
    request = request_head("POST", "/mcp/tools/get_book", Content_Type="application/json", Content_Length="99999999999")
    assert b" 413 " in await exchange_bytes(server, request)


async def test_a_request_with_length_and_chunks_is_answered_400_and_the_connection_closed(
    server: Listener,
) -> None:
    request = request_head(
        "POST", "/mcp/tools/list", Content_Length="4", Transfer_Encoding="chunked", Connection="keep-alive"
    )
    response = await exchange_bytes(server, request + b"0\r\n\r\n" + request_head("GET", "/health"))
    assert b" 400 " in response
    assert b"connection: close" in response.lower()
    assert response.count(b"HTTP/1.1") == 1


async def test_an_invalid_chunk_closes_the_connection_and_logs_no_traceback(server: Listener) -> None:
    request = request_head("POST", "/nowhere", Content_Type="application/json", Transfer_Encoding="chunked")
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


async def test_an_offer_of_another_protocol_is_ignored_and_not_logged(server: Listener) -> None:
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__"}
    before = len(server.process.logged)
    assert (await server.client.get("/health", headers=offer)).status_code == 200
    await server.client.get("/after-the-offer")
    await server.process.log_has("/after-the-offer")
    assert b"pgrade" not in server.process.logged[before:]


async def test_an_unknown_method_is_answered_400(server: Listener) -> None:
    response = await exchange_bytes(server, request_head("BREW", "/health"))
    assert response.split(b" ")[1] == b"400"
    assert b"connection: close" in response.lower()


@pytest.mark.parametrize("path", ["/mcp", "/mcp/tools/call", "/mcp/tools/get_book"])
@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
async def test_a_body_of_another_media_type_is_answered_415(server: Listener, path: str, media_type: str) -> None:
    response = await server.client.post(path, content=b"{}", headers={"Content-Type": media_type} | ACCEPT)
    assert response.status_code == 415
