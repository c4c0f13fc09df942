"""Sessions in a real Redis, which several real processes serve."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
import pytest_asyncio

from tests.services.valkey import Valkey
from tests.toolaccord.asks.conftest import KEY
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, call, request
from tests.toolaccord.transports.http.sessions.test_open_sessions import (
    DESK,
    as_caller,
    break_call,
    cancel,
    open_session,
    ping,
    start_waiting,
)

MUSEUM = "tests.toolaccord.demo.museum"
PIECE = "museum://pieces/north/1"
TOKENS = {"MCP_AUTH_TOKEN": "first,second", "MCP_STATE_KEY": KEY}
FORM = {"name": "Ann", "seats": 2, "class": "first"}
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@asynccontextmanager
async def replicas(valkey: Valkey, module: str = DESK) -> AsyncIterator[tuple[Listener, Listener]]:
    """Give two processes that serve the same sessions."""
    environ = TOKENS | {"MCP_SESSION_STORE_URL": valkey.url}
    async with AsyncExitStack() as stack:
        both = [listening(module=module, environ=environ) for _ in range(2)]
        first, second = await asyncio.gather(*map(stack.enter_async_context, both))
        yield first, second


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desks(valkey: Valkey) -> AsyncIterator[tuple[Listener, Listener]]:
    async with replicas(valkey) as both:
        yield both


async def lines_of(response: httpx.Response) -> AsyncIterator[str]:
    """Yield the messages in a stream."""
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            yield line.removeprefix("data: ")


async def next_line(response: httpx.Response) -> str:
    """Return the first message in a stream."""
    return await anext(lines_of(response))


async def test_any_replica_serves_a_session_of_its_caller(desks: tuple[Listener, Listener]) -> None:
    first, second = desks
    headers = await open_session(first)
    assert [await ping(each, headers) for each in (second, first)] == [200, 200]
    assert await ping(second, headers | {"Authorization": "Bearer second"}) == 404
    assert (await second.client.delete("/mcp", headers=headers)).status_code == 200
    assert [await ping(each, headers) for each in desks] == [404, 404]


async def test_an_ask_of_one_replica_is_answered_through_another(desks: tuple[Listener, Listener]) -> None:
    first, second = desks
    hello = request(
        "hello",
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={"elicitation": {}},
        clientInfo={"name": "test", "version": "1"},
    )
    opened = await second.client.post("/mcp", json=hello, headers=as_caller("first"))
    headers = as_caller("first", opened.headers["mcp-session-id"])
    message = call(1, "book_trip", city="Rome")
    async with first.client.stream("POST", "/mcp", json=message, headers=headers) as response:
        lines = lines_of(response)
        for content in (FORM, {"yes": True}):
            ask = json.loads(await anext(lines))
            answer = {"jsonrpc": "2.0", "id": ask["id"], "result": {"action": "accept", "content": content}}
            assert (await second.client.post("/mcp", json=answer, headers=headers)).status_code == 202
        assert "Ann: 2 first to Rome" in await anext(lines)


async def test_a_cancellation_and_an_end_reach_the_call_at_another_replica(desks: tuple[Listener, Listener]) -> None:
    first, second = desks
    headers = await open_session(first)
    waiting = start_waiting(first, headers, "Ida")
    await first.process.log_has("Ida waits")
    await cancel(second, headers)
    assert '"code":-32800' in (await waiting).text
    waiting = start_waiting(first, headers, "Jon")
    await first.process.log_has("Jon waits")
    await second.client.delete("/mcp", headers=headers)
    await first.process.log_has("Jon left")
    assert "data" not in (await waiting).text.partition("retry")[2]


async def test_a_broken_stream_is_resumed_at_another_replica(desks: tuple[Listener, Listener]) -> None:
    first, second = desks
    headers = await open_session(first)
    resuming = await break_call(first, headers, "Kim")
    for again in range(2):
        async with second.client.stream("GET", "/mcp", headers=resuming) as stream:
            if not again:
                await cancel(first, headers)  # the event comes while the client waits, and then from the store
            assert '"id":7,"error":{"code":-32800' in await anext(lines_of(stream))
    stolen = resuming | {"Authorization": "Bearer second"}
    for strange, status in ((stolen, 404), (resuming | {"Last-Event-ID": "7-7"}, 400)):
        assert (await second.client.get("/mcp", headers=strange)).status_code == status


async def test_a_call_ends_with_its_replica_and_its_client_is_told(valkey: Valkey) -> None:
    async with replicas(valkey) as (first, second):
        headers = await open_session(first)
        resuming = await break_call(first, headers, "Lea")
        first.process.signal(signal.SIGKILL)
        async with second.client.stream("GET", "/mcp", headers=resuming) as stream:
            error = json.loads(await anext(lines_of(stream)))
        assert error["id"] == 7
        assert error["error"]["message"] == "The process that ran this request is gone: send it again."
        assert await ping(second, headers) == 200


async def test_without_an_answer_of_redis_a_request_is_rejected_soon_and_a_call_goes_on(
    valkey: Valkey, desks: tuple[Listener, Listener]
) -> None:
    first, _ = desks
    headers = await open_session(first)
    waiting = start_waiting(first, headers, "Mia")
    await first.process.log_has("Mia waits")
    with valkey.frozen():
        rejected = await first.client.post("/mcp", json=request(1, "ping"), headers=headers)
        assert (rejected.status_code, rejected.headers["retry-after"]) == (503, "1")
        assert "The store of sessions does not answer" in rejected.text
        assert not waiting.done()
        ready = await first.client.get("/ready")
        assert (ready.status_code, ready.json()["sources"]) == (200, {"MCP_SESSION_STORE_URL": "unavailable"})
    async with asyncio.timeout(PATIENCE_S):
        while await ping(first, headers) == 503:
            pass
    await cancel(first, headers)
    assert '"code":-32800' in (await waiting).text


async def test_a_change_at_one_replica_reaches_the_stream_at_another(valkey: Valkey) -> None:
    async with replicas(valkey, MUSEUM) as (first, second):
        headers = await open_session(first)
        async with second.client.stream("GET", "/mcp", headers=headers) as stream:
            subscription = request(1, "resources/subscribe", uri=PIECE)
            await first.client.post("/mcp", json=subscription, headers=headers)
            notified = asyncio.create_task(next_line(stream))
            while not notified.done():  # the news of the subscription takes its time
                move = call(2, "move_piece", room="north", number=1, place="door")
                await first.client.post("/mcp", json=move, headers=headers)
            assert json.loads(notified.result())["params"]["uri"] == PIECE
