"""Real servers notify clients of changed resources, on stdio and over HTTP."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import mcp_types as types
import pytest
from mcp import Client

from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.museum.models import MovePieceRequest, MovePieceResult
from tests.toolaccord.generated.demo.museum.server import MuseumCall
from tests.toolaccord.generated.demo.museum.server import server as museum
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, request, started
from tests.toolaccord.transports.http.test_mcp_fast_path import COMMON, stateless_headers
from tests.toolaccord.transports.test_resources import ENVELOPE, INITIALIZE
from toolaccord.testing import pipeline
from toolaccord.transports.mcp.sdk.server import create_mcp_server

MUSEUM = "tests.toolaccord.demo.museum"
PIECE, OTHER = "museum://pieces/north/1", "museum://pieces/north/2"
MOVE: dict[str, Any] = {"name": "move_piece", "arguments": {"room": "north", "number": 1, "place": "door"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def listen(*uris: str) -> dict[str, Any]:
    """Return a request for changes of *uris*."""
    wanted = {"resourceSubscriptions": uris, "toolsListChanged": True}
    return request("watch", "subscriptions/listen", notifications=wanted, _meta=ENVELOPE)


def move() -> dict[str, Any]:
    """Return a call that changes a piece and the catalogue."""
    return request("move", "tools/call", **MOVE, _meta=ENVELOPE)


@pytest.mark.parametrize("arguments", [[], ["--reference"]])
async def test_a_subscriber_on_stdio_hears_of_its_resource_alone_until_it_unsubscribes(arguments: list[str]) -> None:
    async with started(*arguments, module=MUSEUM) as process:
        await process.shake_hands()
        await process.send(request(1, "resources/subscribe", uri=PIECE))
        assert await process.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        await process.send(request(2, "tools/call", **MOVE))
        received = [await process.receive(), await process.receive()]
        notified = [each for each in received if "method" in each]
        assert [each["method"] for each in notified] == ["notifications/resources/updated"]
        assert notified[0]["params"]["uri"] == PIECE
        await process.send(request(3, "resources/unsubscribe", uri=PIECE))
        assert (await process.receive())["id"] == 3
        await process.send(request(4, "tools/call", **MOVE), request(5, "ping"))
        process.close_input()
        assert {each.get("id") for each in await process.rest()} == {4, 5}


async def test_a_listener_on_stdio_hears_of_changes_in_the_response_to_its_request() -> None:
    async with started(module=MUSEUM) as process:
        await process.send(listen(PIECE))
        acknowledged = await process.receive()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == {"resourceSubscriptions": [PIECE]}
        assert acknowledged["params"]["_meta"][SUBSCRIPTION] == "watch"
        await process.send(move())
        received = [await process.receive(), await process.receive()]
        (notified,) = (each["params"] for each in received if "method" in each)
        assert (notified["uri"], notified["_meta"][SUBSCRIPTION]) == (PIECE, "watch")


async def test_a_process_that_ends_closes_its_subscriptions_without_delay() -> None:
    async with started(module=MUSEUM) as process:
        await process.send(listen(PIECE))
        assert "method" in await process.receive()
        process.close_input()
        (closed,) = await process.rest()
        assert (closed["id"], closed["result"]["resultType"]) == ("watch", "complete")
        assert await process.exit_code() == 0
        assert b"abandoned" not in process.logged


async def test_a_listener_that_comes_after_the_end_of_input_does_not_keep_the_process() -> None:
    async with started(module=MUSEUM) as process:
        await process.send(listen(PIECE))
        process.close_input()
        (answer,) = await process.rest()
        assert answer["error"]["message"] == "The server is stopping, and reports no more changes."
        assert await process.exit_code() == 0


async def test_a_listener_over_http_hears_of_its_resource_until_the_server_stops() -> None:
    async with listening(module=MUSEUM, environ={"MCP_GRACE_S": "3600"}) as server:
        async with stream(server, listen(PIECE, OTHER)) as events:
            assert (await anext(events))["method"] == "notifications/subscriptions/acknowledged"
            answer = await server.client.post("/mcp", json=move(), headers=COMMON | stateless_headers(move()))
            assert answer.json()["result"]["isError"] is False
            assert (await anext(events))["params"]["uri"] == PIECE
            server.process.signal(signal.SIGTERM)
            assert (await anext(events))["id"] == "watch"
        assert await server.process.exit_code() == 0


async def test_a_session_over_http_hears_of_its_resource_in_its_stream() -> None:
    async with listening(module=MUSEUM) as server:
        opened = await server.client.post("/mcp", json=request(1, "initialize", **INITIALIZE), headers=COMMON)
        headers = COMMON | {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        await server.client.post("/mcp", json=INITIALIZED, headers=headers)
        async with server.client.stream("GET", "/mcp", headers=headers) as response:
            subscription = request(2, "resources/subscribe", uri=PIECE)
            assert "error" not in (await server.client.post("/mcp", json=subscription, headers=headers)).text
            await server.client.post("/mcp", json=request(3, "tools/call", **MOVE), headers=headers)
            notified = await anext(messages(response))
        assert {"mcp_sessions 1.0", "mcp_subscribers 1.0"} <= await metrics(server)
        for uri in (OTHER, PIECE):
            await server.client.post("/mcp", json=request(4, "resources/unsubscribe", uri=uri), headers=headers)
        assert {"mcp_sessions 1.0", "mcp_subscribers 0.0"} <= await metrics(server)
        assert "error" not in (await server.client.post("/mcp", json=subscription, headers=headers)).text
        assert "mcp_subscribers 1.0" in await metrics(server)
        await server.client.delete("/mcp", headers=headers)
        async with asyncio.timeout(PATIENCE_S):
            while not {"mcp_sessions 0.0", "mcp_subscribers 0.0"} <= await metrics(server):
                pass
    assert (notified["method"], notified["params"]["uri"]) == ("notifications/resources/updated", PIECE)


class Restless(Keeper):
    """Reports a change of the same piece again and again in one call."""

    async def move_piece(self, request: MovePieceRequest, call: MuseumCall, /) -> MovePieceResult:
        for _ in range(1000):
            call.changed.piece(room=request.room, number=request.number)
            call.changed.piece(room="north", number=2)
        return MovePieceResult(place=request.place)


async def test_changes_that_a_client_has_not_heard_of_become_one_notification_of_each_uri() -> None:
    notified: list[str] = []

    async def note(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            notified.append(message.params.uri)

    served = museum(Restless())
    async with Client(create_mcp_server(served, pipeline(served)), mode="legacy", message_handler=note) as client:
        for uri in (PIECE, OTHER):
            params = types.SubscribeRequestParams(uri=uri)
            await client.session.send_request(types.SubscribeRequest(params=params), types.EmptyResult)
        await client.call_tool(**MOVE)
    assert sorted(notified) == [PIECE, OTHER]


async def metrics(server: Listener) -> set[str]:
    """Return the lines of the metrics."""
    return {*(await server.client.get("/metrics")).text.splitlines()}


@asynccontextmanager
async def stream(server: Listener, message: dict[str, Any]) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Give the messages in the response to a request."""
    headers = COMMON | stateless_headers(message)
    async with server.client.stream("POST", "/mcp", json=message, headers=headers) as response:
        yield messages(response)


async def messages(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))
