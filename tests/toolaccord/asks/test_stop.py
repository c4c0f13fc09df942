"""Calls that wait for an answer end as soon as nobody can give it."""

import asyncio
import json
import signal
from typing import Any

import pytest

from tests.toolaccord.asks.conftest import KEY
from tests.toolaccord.listener import listening
from tests.toolaccord.process import PATIENCE_S, call, request, started
from toolaccord.resources.changes import Changes
from toolaccord.transports.mcp.sdk.asking import _Waits

DESK = "tests.toolaccord.demo.desk"
HELLO = request(
    "hello",
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={"elicitation": {}},
    clientInfo={"name": "test", "version": "1"},
)
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOBODY = "Nobody answered traveller within 600 s, or before the connection ended."


@pytest.mark.parametrize("received", [["hello", 1], []], ids=["after the question", "before the question"])
async def test_the_end_of_input_ends_a_call_that_asks(received: list[Any]) -> None:
    async with started(module=DESK) as process:
        await process.send(HELLO, INITIALIZED, call(1, "book_trip", city="Rome"))
        assert [(await process.receive())["id"] for _ in received] == received
        process.close_input()
        answer = (await process.rest())[-1]
        assert answer["id"] == 1
        assert NOBODY in answer["result"]["content"][0]["text"]
        assert await process.exit_code() == 0


async def test_a_stop_ends_a_call_that_asks_although_others_have_time_to_finish() -> None:
    async with listening(module=DESK, environ={"MCP_GRACE_S": "3600", "MCP_STATE_KEY": KEY}) as server:
        headers = {"Accept": "application/json, text/event-stream"}
        opened = await server.client.post("/mcp", json=HELLO, headers=headers)
        headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
        await server.client.post("/mcp", json=INITIALIZED, headers=headers)
        message = call(1, "book_trip", city="Rome")
        async with server.client.stream("POST", "/mcp", json=message, headers=headers) as response:
            lines = (line.removeprefix("data: ") async for line in response.aiter_lines() if line.startswith("data"))
            assert json.loads(await anext(lines))["method"] == "elicitation/create"
            server.process.signal(signal.SIGTERM)
            assert NOBODY in [line async for line in lines][-1]
        assert await server.process.exit_code() == 0


async def test_a_stop_ends_all_else_although_an_expired_ask_still_informs_its_client() -> None:
    """The SDK writes for up to some seconds that it no longer waits for the answer."""
    changes, writing, written, ended = Changes(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    waits = _Waits(0, changes)
    changes.on_end(ended.set)

    async def ask() -> None:
        async with waits.limit():
            try:
                await asyncio.Event().wait()
            finally:
                writing.set()
                await written.wait()

    async with asyncio.timeout(PATIENCE_S):
        asking = asyncio.create_task(ask())
        await writing.wait()
        changes.end()
        written.set()
        with pytest.raises(TimeoutError):
            await asking
    assert ended.is_set()
