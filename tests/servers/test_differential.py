"""Every contract's calls, sound and faulty, in both eras: the front, the SDK behind it and the SDK alone answer alike."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp

from tests.contracts.reading import contracts
from tests.servers import alone
from tests.servers.departures import BODIES, LINES, Departure, explained
from tests.servers.recorder import Recorder
from tests.servers.test_requests import requests
from tests.toolpact.transports.http.test_mcp_fast_path import COMMON, exchange, stateless_headers
from tests.toolpact.transports.mcp.test_fast_path import CLIENT, streams
from tests.toolpact.transports.mcp.test_fast_path import PARAMS as PROTOCOL
from tests.toolpact.twins import answers, both, line
from toolpact.call.pipeline import Pipeline
from toolpact.testing import Era, pipeline
from toolpact.transports.http.mcp_endpoint import McpEndpoint
from toolpact.transports.mcp import request_shapes

pytestmark = pytest.mark.usefixtures("quiet")

ON_LINES, OVER_HTTP = 20, 2
"""About so many calls of each tool are sent."""
ROOM = "tradestream.strategy"
ENVELOPE = {
    request_shapes.PROTOCOL_VERSION: "2026-07-28",
    request_shapes.CLIENT_CAPABILITIES: {},
    request_shapes.CLIENT_INFO: CLIENT,
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
HANDSHAKE = [
    line({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO}),
    line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
]
LOCAL = {"host": "127.0.0.1:80"}
"""Whom the SDK's application takes itself to be."""


def answering(room: str) -> Pipeline:
    """Return what answers the calls of a room with the contract's examples; whatever comes first is kept for nobody."""
    served = Recorder(room).server()
    return pipeline(replace(served, tools=tuple(replace(tool, cache=None) for tool in served.tools)))


every_request = cache(requests)


def calls(room: str, most: int) -> Iterator[dict[str, Any]]:
    """Yield parameters of `tools/call`: for each tool about *most* of its valid arguments and their mutants."""
    for tool in contracts()[room]["tools"]:
        found = every_request(room, tool["name"])
        for number, each in enumerate(found[:: len(found) // most + 1]):
            key = {"_meta": {"idempotency_key": f"key-{number}"}} if number % 2 else {}
            yield {"name": tool["name"], "arguments": each.value} | key


def asked(number: int, method: str, params: dict[str, Any], era: Era) -> dict[str, Any]:
    """Return a request as it is sent in *era*."""
    told = {"_meta": params.get("_meta", {}) | ENVELOPE} if era == "stateless" else {}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params | told}


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("room", contracts())
async def test_the_calls_of_a_contract_are_answered_alike_on_lines(room: str, era: Era) -> None:
    said = [line(asked(number, "tools/call", params, era)) for number, params in enumerate(calls(room, ON_LINES))]
    await assert_alike(room, [*(HANDSHAKE if era == "handshake" else []), *said])


@pytest.mark.parametrize("room", contracts())
@settings(max_examples=8, deadline=None)  # a busy machine is no fault of the code
@given(data=st.data())
async def test_a_conversation_is_answered_alike_on_lines(room: str, data: st.DataObject) -> None:
    called = st.sampled_from([("tools/call", params) for params in calls(room, 5)])
    await assert_alike(room, data.draw(streams(called | st.sampled_from(PROTOCOL))))


async def assert_alike(room: str, sent: list[bytes]) -> None:
    """Assert that front and SDK answer alike, and what is on no list as the SDK alone does."""
    front, behind = await both(lambda: answering(room), sent)
    assert front == behind
    common = [each for each in sent if not explained(each, LINES)]
    ours = front if common == sent else await answers(answering(room), common, reference=False)
    assert ours == await alone.answers(answering(room), common)


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("room", contracts())
async def test_the_calls_of_a_contract_are_answered_alike_over_http(room: str, era: Era) -> None:
    await assert_alike_over_http(room, era, [("tools/call", params) for params in calls(room, OVER_HTTP)])


@pytest.mark.parametrize("era", ["stateless", "handshake"])
async def test_whatever_the_protocol_has_is_answered_alike_over_http(era: Era) -> None:
    await assert_alike_over_http(ROOM, era, [each for each in PROTOCOL if isinstance(each[1], dict)])


async def assert_alike_over_http(room: str, era: Era, requested: list[tuple[str, dict[str, Any]]]) -> None:
    """Assert of each request alone what `assert_alike` does of a conversation."""
    async with trio(room) as (front, behind, app):
        for number, (method, params) in enumerate(requested):
            message = asked(number, method, params, era)
            headers = LOCAL | (stateless_headers(message) if era == "stateless" else COMMON)
            body = json.dumps(message).encode()
            ours = await exchange(front, headers, body)
            listed = explained(body, BODIES)
            if not (listed and listed.of_the_front):
                assert ours == await exchange(behind, headers, body)
            if not listed:
                assert ours == await exchange(app, headers, body)


@asynccontextmanager
async def trio(room: str) -> AsyncIterator[tuple[ASGIApp, ASGIApp, ASGIApp]]:
    """Give the front, the SDK behind it and the SDK alone, over HTTP."""
    front, behind = McpEndpoint(answering(room), 1 << 22), McpEndpoint(answering(room), 1 << 22, reference=True)
    async with front.open(), behind.open(), alone.application(answering(room)) as app:
        yield front, behind, app


@pytest.mark.parametrize("listed", LINES, ids=lambda listed: listed.reason[:40])
async def test_every_departure_on_the_list_of_lines_is_one(listed: Departure) -> None:
    sent = [*HANDSHAKE, listed.witness]
    assert explained(listed.witness, LINES) == listed
    front, behind = await both(lambda: answering(ROOM), sent)
    assert listed.of_the_front == (front != behind)
    assert front != await alone.answers(answering(ROOM), sent)


@pytest.mark.parametrize("listed", BODIES, ids=lambda listed: listed.reason[:40])
async def test_every_departure_on_the_list_of_bodies_is_one(listed: Departure) -> None:
    assert explained(listed.witness, BODIES) == listed
    async with trio(ROOM) as each:
        front, behind, app = [await exchange(one, LOCAL | COMMON, listed.witness) for one in each]
    assert listed.of_the_front == (front != behind)
    assert front != app
