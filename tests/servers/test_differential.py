"""Prove that the fast path, `--reference` and the SDK alone give equal answers.

The calls of every contract are valid and invalid, in both eras, on stdio and over HTTP. `reference.py` lists the
accepted differences.
"""

import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from starlette.types import ASGIApp

from tests.contracts.reading import contracts, mcp_tools
from tests.servers import reference
from tests.servers.harness import FAILING_PREFIX, Recorder
from tests.servers.reference import HTTP_DIFFERENCES, STDIO_DIFFERENCES, AcceptedDifference, find_difference
from tests.servers.validation.test_requests import generate_requests
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.museum import server as museum
from tests.toolaccord.open_access import OPEN
from tests.toolaccord.transports.http.test_mcp_fast_path import COMMON, exchange, stateless_headers
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT, streams
from tests.toolaccord.transports.mcp.test_fast_path import PARAMS as PROTOCOL
from tests.toolaccord.twins import answers, both, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.semantics.uri_templates import format_value
from toolaccord.testing import Era, pipeline
from toolaccord.transports.http.mcp_endpoint import McpEndpoint
from toolaccord.transports.mcp import request_shapes
from toolaccord_codegen.schema_sets.samples import minimal_value

pytestmark = pytest.mark.usefixtures("without_logs")

STDIO_CALLS, HTTP_CALLS = 20, 2
"""Approximate number of calls of each tool."""
SERVER = "tradestream.strategy"
MUSEUM = "demo.museum"
"""A server of the tests, whose prompts have handlers that fail."""
ENVELOPE = {
    request_shapes.PROTOCOL_VERSION: "2026-07-28",
    request_shapes.CLIENT_CAPABILITIES: {},
    request_shapes.CLIENT_INFO: CLIENT,
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
INITIALIZED = line({"jsonrpc": "2.0", "method": "notifications/initialized"})
HANDSHAKE = [line({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": INITIALIZE}), INITIALIZED]
SHOWS_VIEWS = {"extensions": {EXTENSION_ID: {"mimeTypes": [APP_MIME_TYPE]}}}
"""Capabilities of a host with MCP Apps."""
WATCHING = ("resources/subscribe", "resources/unsubscribe")
LOCAL = {"host": "127.0.0.1:80"}
"""The Host header that the SDK's application accepts."""


def create_pipeline(server: str) -> Pipeline:
    """Return a pipeline without caches that answers calls with the contract's examples.

    The museum has handlers of its own.
    """
    return pipeline(museum.server(Keeper()) if server == MUSEUM else Recorder(server).uncached_server())


def generate_calls(server: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield parameters of `tools/call`: about *count* valid and mutated arguments of each tool."""
    for tool in mcp_tools(server):
        requests = generate_requests(server, tool["name"])
        for number, each in enumerate(requests[:: len(requests) // count + 1]):
            key = {"_meta": {"idempotency_key": f"key-{number}"}} if number % 2 else {}
            yield {"name": tool["name"], "arguments": each.value} | key


def format_request(number: int, method: str, params: dict[str, Any], era: Era) -> dict[str, Any]:
    """Return a request in the form of *era*."""
    meta = {"_meta": ENVELOPE | params.get("_meta", {})} if era == "stateless" else {}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params | meta}


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("server", contracts())
async def test_the_calls_of_a_contract_have_equal_answers_on_stdio(server: str, era: Era) -> None:
    calls = enumerate(generate_calls(server, STDIO_CALLS))
    sent = [line(format_request(number, "tools/call", params, era)) for number, params in calls]
    await assert_equal_on_stdio(server, [*(HANDSHAKE if era == "handshake" else []), *sent])


@pytest.mark.parametrize("server", contracts())
@settings(max_examples=8, deadline=None)  # a busy machine is no fault of the code
@given(data=st.data())
async def test_a_conversation_has_equal_answers_on_stdio(server: str, data: st.DataObject) -> None:
    calls = st.sampled_from([("tools/call", params) for params in generate_calls(server, 5)])
    await assert_equal_on_stdio(server, data.draw(streams(calls | st.sampled_from(PROTOCOL))))


async def assert_equal_on_stdio(server: str, sent: list[bytes]) -> None:
    """Assert that all three give equal answers, apart from the accepted differences."""
    fast, behind = await both(lambda: create_pipeline(server), sent)
    assert fast == behind
    common = [each for each in sent if not find_difference(each, STDIO_DIFFERENCES)]
    answered = fast if common == sent else await answers(create_pipeline(server), common, reference=False)
    assert answered == await reference.serve_lines(create_pipeline(server), common)


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("server", contracts())
async def test_the_calls_of_a_contract_have_equal_answers_over_http(server: str, era: Era) -> None:
    await assert_equal_over_http(server, era, [("tools/call", params) for params in generate_calls(server, HTTP_CALLS)])


def generate_reads(server: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield valid and invalid requests about a server's resources."""
    yield from (("resources/list", {}), ("resources/templates/list", {}), ("resources/list", {"cursor": "x"}))
    for resource in contracts()[server]["resources"]:
        template = resource.get("uri", resource.get("uri_template"))
        for value in ("2026", "SMA_RSI", "%2F", "0", "a/b", ""):
            yield "resources/read", {"uri": re.sub(r"\{\w+\}", value, template)}
        for argument in (*resource.get("parameters", {}).get("properties", {}), "nothing"):
            reference = {"type": "ref/resource", "uri": template}
            yield "completion/complete", {"ref": reference, "argument": {"name": argument, "value": "S"}}
    first = contracts()[server]["tools"][0]["name"]
    yield "resources/read", {"uri": f"contract://{contracts()[server]['server']['name']}/{first}"}
    yield "resources/read", {"uri": 7}


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("server", [name for name, each in contracts().items() if "resources" in each])
async def test_the_resources_of_a_contract_have_equal_answers(server: str, era: Era) -> None:
    reads = [*generate_reads(server)]
    await assert_equal(server, era, reads)
    watched = [(method, params) for read, params in reads for method in WATCHING if read == "resources/read"]
    await assert_equal_on_stdio(server, format_lines(era, watched))  # over HTTP a subscription needs a session


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("server", contracts())
async def test_a_host_that_shows_views_gets_equal_answers(server: str, era: Era) -> None:
    served = create_pipeline(server).server
    reads = [("resources/read", {"uri": f"ui://{served.name}/{tool.name}"}) for tool in served.tools]
    declared = {"_meta": {request_shapes.CLIENT_CAPABILITIES: SHOWS_VIEWS}} if era == "stateless" else {}
    lists: list[tuple[str, dict[str, Any]]] = [("tools/list", {}), ("resources/list", {}), ("server/discover", {})]
    sent = [
        format_request(number, method, params | declared, era) for number, (method, params) in enumerate(lists + reads)
    ]
    hello = line(format_request(-1, "initialize", INITIALIZE | {"capabilities": SHOWS_VIEWS}, "handshake"))
    await assert_equal_on_stdio(server, [*([hello, INITIALIZED] if era == "handshake" else []), *map(line, sent)])


def generate_gets(server: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield valid and invalid requests about a server's prompts and their completions."""
    yield from (("prompts/list", {}), ("prompts/list", {"cursor": "x"}), ("prompts/get", {"name": "none"}))
    for prompt in create_pipeline(server).server.prompts:
        valid = {name: format_value(value) for name, value in minimal_value(prompt.parameters).items()}
        every = dict.fromkeys(prompt.parameters["properties"], "3")
        for arguments in (valid, every, every | {"more": "x"}, {}, dict.fromkeys(valid, ""), dict.fromkeys(valid, 7)):
            yield "prompts/get", {"name": prompt.name, "arguments": arguments}
        yield "prompts/get", {"name": prompt.name}
        for argument, text in itertools.product((*every, "nothing"), ("", "S", "n", FAILING_PREFIX)):
            reference = {"type": "ref/prompt", "name": prompt.name}
            yield "completion/complete", {"ref": reference, "argument": {"name": argument, "value": text}}
    yield "completion/complete", {"ref": {"type": "ref/prompt", "name": "none"}, "argument": {"name": "x", "value": ""}}
    yield "completion/complete", {"ref": {"type": "ref/tool", "name": "none"}, "argument": {"name": "x", "value": ""}}


@pytest.mark.parametrize("era", ["stateless", "handshake"])
@pytest.mark.parametrize("server", [*(name for name, each in contracts().items() if "prompts" in each), MUSEUM])
async def test_the_prompts_of_a_contract_have_equal_answers(server: str, era: Era) -> None:
    failing = [("prompts/get", {"name": "tell", "arguments": {"number": number}}) for number in ("1", "2")]
    await assert_equal(server, era, [*generate_gets(server), *(failing if server == MUSEUM else ())])


async def assert_equal(server: str, era: Era, requests: list[tuple[str, dict[str, Any]]]) -> None:
    """Assert that all three answer each request alike, on stdio and over HTTP."""
    await assert_equal_on_stdio(server, format_lines(era, requests))
    await assert_equal_over_http(server, era, requests)


def format_lines(era: Era, requests: list[tuple[str, dict[str, Any]]]) -> list[bytes]:
    """Return a conversation of *requests* on stdio."""
    sent = [line(format_request(number, method, params, era)) for number, (method, params) in enumerate(requests)]
    return [*(HANDSHAKE if era == "handshake" else []), *sent]


@pytest.mark.parametrize("era", ["stateless", "handshake"])
async def test_every_method_of_the_protocol_has_equal_answers_over_http(era: Era) -> None:
    await assert_equal_over_http(SERVER, era, [each for each in PROTOCOL if isinstance(each[1], dict)])


async def assert_equal_over_http(server: str, era: Era, requests: list[tuple[str, dict[str, Any]]]) -> None:
    """Assert that all three answer each request alike, apart from the accepted differences."""
    async with open_applications(server) as (fast, behind, sdk):
        for number, (method, params) in enumerate(requests):
            message = format_request(number, method, params, era)
            headers = LOCAL | (stateless_headers(message) if era == "stateless" else COMMON)
            body = json.dumps(message).encode()
            answered = await exchange(fast, headers, body)
            accepted = find_difference(body, HTTP_DIFFERENCES)
            if not (accepted and accepted.only_fast_path):
                assert answered == await exchange(behind, headers, body)
            if not accepted:
                assert answered == await exchange(sdk, headers, body)


@asynccontextmanager
async def open_applications(server: str) -> AsyncIterator[tuple[ASGIApp, ASGIApp, ASGIApp]]:
    """Give the HTTP applications of the fast path, of `--reference` and of the SDK alone."""
    fast = McpEndpoint(create_pipeline(server), OPEN)
    behind = McpEndpoint(create_pipeline(server), OPEN, reference=True)
    async with fast.open(), behind.open(), reference.open_application(create_pipeline(server)) as sdk:
        yield fast, behind, sdk


@pytest.mark.parametrize("accepted", STDIO_DIFFERENCES, ids=lambda accepted: accepted.reason[:40])
async def test_every_accepted_difference_on_stdio_exists(accepted: AcceptedDifference) -> None:
    sent = [*HANDSHAKE, accepted.example]
    assert find_difference(accepted.example, STDIO_DIFFERENCES) == accepted
    fast, behind = await both(lambda: create_pipeline(SERVER), sent)
    assert accepted.only_fast_path == (fast != behind)
    assert fast != await reference.serve_lines(create_pipeline(SERVER), sent)


@pytest.mark.parametrize("accepted", HTTP_DIFFERENCES, ids=lambda accepted: accepted.reason[:40])
async def test_every_accepted_difference_over_http_exists(accepted: AcceptedDifference) -> None:
    assert find_difference(accepted.example, HTTP_DIFFERENCES) == accepted
    async with open_applications(SERVER) as applications:
        fast, behind, sdk = [await exchange(each, LOCAL | COMMON, accepted.example) for each in applications]
    assert accepted.only_fast_path == (fast != behind)
    assert fast != sdk
