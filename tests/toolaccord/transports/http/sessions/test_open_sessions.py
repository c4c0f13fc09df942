"""Sessions of the handshake era over HTTP, as clients use them."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx
import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, call, request
from tests.toolaccord.transports.http.secured_server import ACCEPT

DESK = "tests.toolaccord.demo.desk"
TOKENS = {"MCP_AUTH_TOKEN": "first,second", "MCP_ALLOWED_ORIGINS": "https://app.example.org"}
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk() -> AsyncIterator[Listener]:
    """A server with sessions and two tokens."""
    async with listening(module=DESK, environ=TOKENS) as running:
        yield running


def as_caller(token: str, session: str | None = None) -> dict[str, str]:
    """Return the headers of a caller, in a session if it has one."""
    return {**ACCEPT, "Authorization": f"Bearer {token}"} | ({"Mcp-Session-Id": session} if session else {})


async def initialize(server: Listener, token: str = "first") -> httpx.Response:
    message = request(
        "hello",
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "test", "version": "1"},
    )
    return await server.client.post("/mcp", json=message, headers=as_caller(token))


async def open_session(server: Listener, token: str = "first") -> dict[str, str]:
    """Open a session; return the headers of its requests."""
    opened = await initialize(server, token)
    assert opened.status_code == 200
    headers = as_caller(token, opened.headers["mcp-session-id"])
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await server.client.post("/mcp", json=noted, headers=headers)).status_code == 202
    return headers


async def ping(server: Listener, headers: dict[str, str]) -> int:
    """Return the status of a ping."""
    return (await server.client.post("/mcp", json=request(1, "ping"), headers=headers)).status_code


def start_waiting(server: Listener, headers: dict[str, str], name: str) -> asyncio.Task[httpx.Response]:
    """Start a call with the id 7 that lasts until it is cancelled."""
    return asyncio.create_task(server.client.post("/mcp", json=call(7, "wait", name=name), headers=headers))


async def cancel(server: Listener, headers: dict[str, str]) -> None:
    """Cancel the call with the id 7."""
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert (await server.client.post("/mcp", json=cancelled, headers=headers)).status_code == 202


async def test_a_session_lasts_from_initialize_to_delete(desk: Listener) -> None:
    headers = await open_session(desk)
    assert await ping(desk, headers) == 200
    assert (await desk.client.delete("/mcp", headers=headers)).status_code == 200
    assert await ping(desk, headers) == 404


async def test_a_session_does_not_exist_for_callers_with_another_token(desk: Listener) -> None:
    headers = await open_session(desk, "first")
    stolen = headers | {"Authorization": "Bearer second"}
    assert await ping(desk, stolen) == 404
    assert (await desk.client.delete("/mcp", headers=stolen)).status_code == 404
    assert await ping(desk, headers) == 200


async def test_a_cancellation_over_http_stops_the_call_that_it_names(desk: Listener) -> None:
    headers = await open_session(desk)
    waiting = start_waiting(desk, headers, "Ann")
    await desk.process.log_has("Ann waits")
    await cancel(desk, headers)
    await desk.process.log_has("Ann left")
    response = await asyncio.wait_for(waiting, PATIENCE_S)
    assert '"result"' not in response.text
    assert await ping(desk, headers) == 200


async def test_a_cancellation_stops_no_call_of_another_session(desk: Listener) -> None:
    own, other = await open_session(desk), await open_session(desk)
    first, second = start_waiting(desk, own, "Bob"), start_waiting(desk, other, "Cleo")
    await desk.process.log_has("Bob waits")
    await desk.process.log_has("Cleo waits")
    await cancel(desk, other)
    await asyncio.wait_for(second, PATIENCE_S)
    assert await ping(desk, own) == 200
    assert b"Bob left" not in desk.process.logged
    await cancel(desk, own)
    await asyncio.wait_for(first, PATIENCE_S)


async def test_a_session_has_a_hundred_requests_at_once_although_their_clients_disconnect(desk: Listener) -> None:
    headers = await open_session(desk)
    for number in range(100):
        message = call(number, "wait", name="Emil")
        async with desk.client.stream("POST", "/mcp", json=message, headers=headers) as response:
            assert response.status_code == 200
    async with asyncio.timeout(PATIENCE_S):
        while desk.process.logged.count(b"Emil waits") < 100:
            await desk.client.get("/health")
    rejected = await desk.client.post("/mcp", json=call(100, "wait", name="Emil"), headers=headers)
    assert "A session has at most 100 requests at once" in rejected.text
    assert await ping(desk, await open_session(desk)) == 200
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
    await desk.client.post("/mcp", json=cancelled, headers=headers)
    await desk.process.log_has("Emil left")
    assert "error" not in (await desk.client.post("/mcp", json=request(1000, "ping"), headers=headers)).text
    await desk.client.delete("/mcp", headers=headers)


async def test_running_requests_of_a_session_a_caller_and_the_server_are_bounded_in_bytes() -> None:
    async with listening(module=DESK, environ=TOKENS | {"MCP_MAX_BODY_BYTES": "10000"}) as desk:

        async def start(headers: dict[str, str], count: int) -> list[str]:
            """Start *count* calls of 9,900 bytes and more that last; return the errors."""
            errors = []
            for number in range(count):
                message = call(number, "wait", name="Flora")
                message["params"]["_meta"] = {"padding": "x" * 9000}
                before = desk.process.logged.count(b"Flora waits")
                async with desk.client.stream("POST", "/mcp", json=message, headers=headers) as response:
                    lines = asyncio.create_task(_next_error(response))
                    while not lines.done() and desk.process.logged.count(b"Flora waits") == before:
                        await desk.client.get("/health")
                    if lines.done():
                        errors.append(lines.result())
                    lines.cancel()
            return errors

        first = await open_session(desk, "first")
        assert await start(first, 3) == [
            "The running requests of this session would take more than 151072 bytes: wait for a response."
        ]
        for _ in range(3):
            assert await start(await open_session(desk, "first"), 2) == []
        assert "of this caller" in (await start(await open_session(desk, "first"), 1))[0]
        for _ in range(4):
            assert await start(await open_session(desk, "second"), 2) == []
        assert "of this " in (await start(await open_session(desk, "second"), 1))[0]
        assert await ping(desk, first) == 200
        await desk.client.delete("/mcp", headers=first)
        await desk.process.log_has("Flora left")
        assert await start(await open_session(desk, "first"), 1) == []


async def _next_error(response: httpx.Response) -> str:
    """Return the message of the next error in a stream."""
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            return str(json.loads(line.removeprefix("data: "))["error"]["message"])
    raise AssertionError("no error")


async def test_a_caller_with_few_sessions_takes_the_place_of_an_idle_one_of_the_greediest() -> None:
    async with listening(module=DESK, environ=TOKENS | {"MCP_MAX_SESSIONS": "3"}) as desk:
        greedy = [await open_session(desk, "first") for _ in range(3)]
        waiting = start_waiting(desk, greedy[0], "Gina")
        await desk.process.log_has("Gina waits")
        assert (await initialize(desk, "first")).status_code == 503
        modest = await open_session(desk, "second")
        assert [await ping(desk, each) for each in (*greedy, modest)] == [200, 404, 200, 200]
        assert (await initialize(desk, "second")).status_code == 503  # two of the three are a fair share
        await cancel(desk, greedy[0])
        await waiting


async def some_log_has(servers: Iterable[Listener], text: str) -> None:
    """Wait until one of *servers* has logged *text*."""
    waiting = [asyncio.create_task(each.process.log_has(text)) for each in servers]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()


async def break_call(
    server: Listener, headers: dict[str, str], name: str, replicas: Iterable[Listener] = ()
) -> dict[str, str]:
    """Break the connection of a call with the id 7; return the headers that resume it."""
    version = {"MCP-Protocol-Version": "2025-11-25"}
    message = call(7, "wait", name=name)
    async with server.client.stream("POST", "/mcp", json=message, headers=headers | version) as stream:
        lines = stream.aiter_lines()
        priming = [await anext(lines) for _ in range(4)]
        await some_log_has(replicas or [server], f"{name} waits")
    assert [each.partition(": ")[0] for each in priming] == ["id", "data", "retry", ""]
    return headers | version | {"Last-Event-ID": priming[0].removeprefix("id: ")}


async def test_a_client_whose_connection_broke_resumes_the_stream_of_its_call(desk: Listener) -> None:
    headers = await open_session(desk)
    resuming = await break_call(desk, headers, "Gus")
    for again in range(2):
        async with desk.client.stream("GET", "/mcp", headers=resuming) as stream:
            if not again:
                await cancel(desk, headers)  # the event comes while the client waits, and then from the store
            text = (await stream.aread()).decode()
        assert '"id":7,"error":{"code":-32800' in text


async def test_a_stream_is_resumed_by_its_caller_alone_and_while_it_is_known(desk: Listener) -> None:
    headers = await open_session(desk)
    resuming = await break_call(desk, headers, "Hal")
    stolen = resuming | {"Authorization": "Bearer second"}
    for strange, status in (
        (stolen, 404),
        (stolen | {"Last-Event-ID": "7"}, 404),
        (resuming | {"Last-Event-ID": "7"}, 400),
    ):
        assert (await desk.client.get("/mcp", headers=strange)).status_code == status
    async with desk.client.stream("GET", "/mcp", headers=resuming) as stream:
        assert (await desk.client.delete("/mcp", headers=headers)).status_code == 200
        assert await stream.aread() == b""


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01"])
async def test_only_versions_with_sessions_have_streams_and_ends_of_sessions(desk: Listener, version: str) -> None:
    headers = await open_session(desk)
    for method in ("GET", "DELETE"):
        response = await desk.client.request(method, "/mcp", headers=headers | {"MCP-Protocol-Version": version})
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
        assert response.json()["error"]["message"].startswith(f"Use POST: a {method} belongs to a session")
    assert await ping(desk, headers) == 200


async def test_a_request_without_a_session_is_answered_as_by_a_server_without_sessions(desk: Listener) -> None:
    listed = await desk.client.post("/mcp", json=request(1, "tools/list"), headers=as_caller("first"))
    assert listed.status_code == 200
    assert '"name":"wait"' in listed.text
    assert "mcp-session-id" not in listed.headers


async def test_a_stream_without_a_session_is_rejected_with_advice(desk: Listener) -> None:
    for method in ("GET", "DELETE"):
        response = await desk.client.request(method, "/mcp", headers=as_caller("first"))
        assert response.status_code == 400
        assert (
            response.json()["error"]["message"] == f"{method} needs the header Mcp-Session-Id that initialize returned."
        )


async def test_pages_of_an_allowed_origin_may_use_sessions(desk: Listener) -> None:
    page = {"Origin": "https://app.example.org"}
    preflight = page | {"Access-Control-Request-Method": "DELETE"}
    allowed = await desk.client.request("OPTIONS", "/mcp", headers=preflight)
    assert "DELETE" in allowed.headers["access-control-allow-methods"]
    health = await desk.client.get("/health", headers=page)
    assert "Mcp-Session-Id" in health.headers["access-control-expose-headers"]


async def test_sessions_are_bounded_and_end_when_they_are_idle() -> None:
    async with listening(module=DESK, environ={"MCP_MAX_SESSIONS": "1", "MCP_SESSION_IDLE_S": "0.3"}) as server:
        headers = await open_session(server)
        assert (await initialize(server)).status_code == 503
        async with asyncio.timeout(PATIENCE_S):
            while (await initialize(server)).status_code == 503:
                pass
        assert await ping(server, headers) == 404


@pytest.mark.parametrize("version", [7, None])
async def test_an_invalid_initialize_opens_no_session(desk: Listener, version: Any) -> None:
    message = request("hello", "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test"})
    response = await desk.client.post("/mcp", json=message, headers=as_caller("first"))
    assert '"code":-32602' in response.text
    assert "mcp-session-id" not in response.headers


async def test_a_stop_ends_open_streams_at_once() -> None:
    async with listening(module=DESK, environ={"MCP_GRACE_S": "3600"}) as server:
        headers = await open_session(server)
        async with server.client.stream("GET", "/mcp", headers=headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            server.process.signal(signal.SIGTERM)
            assert [line async for line in stream.aiter_lines() if line.startswith("data")] == []
        assert await server.process.exit_code() == 0
        assert b"were abandoned" not in server.process.logged


async def test_a_client_of_the_sdk_can_use_a_session(desk: Listener) -> None:
    async with httpx2.AsyncClient(headers=as_caller("first")) as http_client:
        transport: Any = streamable_http_client(f"{desk.client.base_url}/mcp", http_client=http_client)
        async with Client(transport, mode="legacy") as client:
            assert "wait" in [tool.name for tool in (await client.list_tools()).tools]
            calling = asyncio.create_task(client.call_tool("wait", {"name": "Dora"}))
            await desk.process.log_has("Dora waits")
            calling.cancel()
            await desk.process.log_has("Dora left")
            await asyncio.wait({calling})
