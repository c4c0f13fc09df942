"""The fast path answers as the SDK does, for messages of hosts and for broken ones."""

import copy
import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tests.toolaccord.demo import library_versions
from tests.toolaccord.demo.library import WoodenShelf
from tests.toolaccord.twins import both, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import pipeline
from toolaccord.transports.mcp import fast_path, request_shapes
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.requests import Client, Request

CLIENT = {"name": "test", "version": "1"}
CAPABILITIES: list[Any] = [
    {},
    {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}},
    {"roots": {}, "sampling": {"context": {}, "tools": {}}, "experimental": {"x": {"y": [1, {"z": None}]}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}, "elicitation": {}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": "text/html;profile=mcp-app"}}},
    {
        "tasks": {
            "list": {},
            "cancel": {},
            "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}},
        }
    },
    {"roots": {"listChanged": 1}},
    {"roots": []},
    {"sampling": None},
    {"unknown": "capability"},
    [],
    None,
]
CLIENTS: list[Any] = [
    CLIENT,
    {"name": "test", "version": "1", "title": "T", "description": "D", "websiteUrl": "https://example.org"},
    {"name": "test", "version": "1", "icons": [{"src": "data:,"}]},
    {"name": "test"},
    {"name": 5, "version": "1"},
    {},
    None,
]
ARGUMENTS: list[tuple[str, Any]] = [
    ("get_book", {"id": 7}),
    ("get_book", {"id": 700}),
    ("get_book", {"id": 7.0, "reason": "a \u00fc\u2028"}),
    ("get_book", {"id": 7, "reason": None}),
    ("get_book", {"id": None, "reason": None}),
    ("get_book", {"id": "7"}),
    ("get_book", {"id": 10**30}),
    ("get_book", {"id": 7, "reason": "x" * 30, "unknown": [[[]]]}),
    ("list_books", {"shelf": "A", "limit": 100}),
    ("list_books", {"shelf": "\ud800"}),
    ("list_loans", {}),
    ("list_loans", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}),
    ("list_loans", None),
    ("get_book", []),
    ("misbehave", {"how": "crash"}),
    ("misbehave", {"how": "undeclared"}),
    ("misbehave", {"how": "source"}),
    ("misbehave", {"how": "nan"}),
    ("misbehave", {"how": "stranger"}),
    ("misbehave", {"how": float("nan")}),
    ("no_such_tool", {}),
    ("\ud800", {}),
]
VERSIONS: list[tuple[Any, Any]] = [
    ("1.0.0", {"id": 7}),
    ("0.9.0", {"number": 7}),
    ("0.9.0", {"number": "7", "why": "x" * 30}),
    ("0.8.0", {"code": "B7"}),
    ("0.8.0", {"code": "?"}),
    ("0.7.0", {}),
    ("0.1.0", {"id": 7}),
    (None, {"id": 7}),
    (1, {"id": 7}),
    ({"x": []}, {"id": 7}),
]
PARAMS: list[tuple[str, Any]] = [
    *(("tools/call", {"name": name, "arguments": arguments}) for name, arguments in ARGUMENTS),
    ("tools/call", {"name": "list_loans"}),
    *(
        ("tools/call", {"name": "get_book", "arguments": arguments, "version": version})
        for version, arguments in VERSIONS
    ),
    ("tools/call", {"name": "list_books", "arguments": {"row": "A"}, "version": "0.9.0"}),
    ("tools/call", {"name": "no_such_tool", "version": "0.9.0"}),
    ("tools/call", {}),
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": None}),
    ("ping", {}),
    ("server/discover", {}),
    ("prompts/list", {}),
    ("prompts/list", {"cursor": 5}),
    ("prompts/get", {"name": "x"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "file:///x"}),
    ("resources/read", {"uri": "ui://library-mcp/list_books"}),
    ("resources/subscribe", {"uri": "file:///x"}),
    ("logging/setLevel", {"level": "info"}),
    ("logging/setLevel", {"level": "loud"}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "x"}, "argument": {"name": "a", "value": "b"}}),
    ("completion/complete", {"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": "b"}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}}),
    ("subscriptions/listen", 5),
    ("no/such/method", {}),
    ("no/such/method", {"x": 1}),
]
NOTIFICATIONS: list[Any] = [
    {"method": "notifications/initialized"},
    {"method": "notifications/initialized", "params": {}},
    {"method": "notifications/roots/list_changed"},
    {"method": "notifications/cancelled", "params": {"requestId": "nobody"}},
    {"method": "notifications/cancelled", "params": {"requestId": True}},
    {"method": "notifications/cancelled"},
    {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 0.5}},
    {"method": "notifications/unheard-of", "params": {"x": 1}},
    {"method": 5},
]
BROKEN = [b"{", b"[]", b"5", b"null", b'{"jsonrpc":"2.0","id":"b","method":"ping"', b'{"id":NaN}', b"\xff", b'"text"']
ODD: list[Any] = [None, True, False, 0, -1, 1.5, 2**70, "", "x", [], [1], {}, {"x": {}}]

Requests = st.SearchStrategy[tuple[str, Any]]
"""Method and parameters of a request."""
requests: Requests = st.sampled_from(PARAMS)
metas: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        {},
        {"progressToken": 1},
        {"progressToken": "t", "corr_id": "abc"},
        {"progressToken": True},
        {"version": "0.9.0"},
        {"version": {}},
    ]
)


@st.composite
def streams(draw: st.DrawFn, drawn: Requests = requests) -> list[bytes]:
    """Draw the lines that a host sends on one connection."""
    opening = draw(st.sampled_from(["handshake", "stateless", "nothing"]))
    sent: list[bytes] = []
    if opening == "handshake":
        sent = [line(message) for message in draw(openings())]
    for number in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["request"] * 6 + ["notification", "broken", "odd", "batch", "initialize"]))
        if kind == "broken":
            sent.append(draw(st.sampled_from(BROKEN)))
            continue
        message = draw(messages(number, kind, opening, drawn))
        sent.append(line([message, message] if kind == "batch" else message))
    return sent


@st.composite
def openings(draw: st.DrawFn) -> list[Any]:
    """Draw a handshake, which may fail."""
    versions = [*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-01-01", "", 5]
    hello = {
        "protocolVersion": draw(st.sampled_from(versions)),
        "capabilities": draw(st.sampled_from(CAPABILITIES)),
        "clientInfo": draw(st.sampled_from(CLIENTS)),
    }
    opened = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return draw(st.sampled_from([[opened, ready], [opened, ready], [opened], [ready, opened]]))


@st.composite
def messages(draw: st.DrawFn, number: int, kind: str, opening: str, drawn: Requests = requests) -> Any:
    """Draw a message, valid or invalid."""
    if kind == "notification":
        return {"jsonrpc": "2.0"} | draw(st.sampled_from(NOTIFICATIONS))
    if kind == "initialize":
        return draw(openings())[0] | {"id": number}
    method, params = draw(drawn)
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": draw(st.sampled_from([number, f"r{number}"])), "method": method}
    message |= {"params": copy.deepcopy(params)} if params or draw(st.booleans()) else {}
    meta = draw(metas)
    era = draw(st.sampled_from([opening] * 5 + ["handshake", "stateless"]))
    if era == "stateless":
        meta = draw(stateless_metas()) | (meta or {})
    if meta is not None and isinstance(message.setdefault("params", {}), dict):
        message["params"]["_meta"] = meta
    return draw(altered(message)) if kind == "odd" else message


@st.composite
def stateless_metas(draw: st.DrawFn) -> Any:
    """Draw the `_meta` of a request of the stateless era; mostly valid."""
    members = {
        request_shapes.PROTOCOL_VERSION: draw(st.sampled_from(["2026-07-28"] * 8 + ["2025-11-25", "", 5])),
        request_shapes.CLIENT_CAPABILITIES: draw(st.sampled_from([{}] * 8 + CAPABILITIES)),
        request_shapes.CLIENT_INFO: draw(st.sampled_from([CLIENT] * 8 + CLIENTS)),
        "io.modelcontextprotocol/logLevel": draw(st.sampled_from(["info", "loud", None])),
    }
    removed = draw(
        st.sampled_from([{"io.modelcontextprotocol/logLevel"}] * 8 + [set[str](), *({name} for name in members)])
    )
    return {name: value for name, value in members.items() if name not in removed}


@st.composite
def altered(draw: st.DrawFn, message: Any) -> Any:
    """Draw *message* with a member removed, added, or replaced."""
    targets = [(message, name) for name in message]
    if isinstance(params := message.get("params"), dict):
        targets += [(params, name) for name in params]
    target, name = draw(st.sampled_from(targets))
    how = draw(st.sampled_from(["removed", "added", "replaced"]))
    if how == "removed":
        del target[name]
    else:
        target[name if how == "replaced" else "extra"] = draw(st.sampled_from(ODD))
    return message


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def served() -> Pipeline:
    return pipeline(
        library_versions.server(), sources={"shelf": WoodenShelf("s3cr3t")}, settings={"shelf_url": "s3cr3t"}
    )


def uncached() -> Pipeline:
    """Return a pipeline without caches.

    Timing decides whether the second of two equal calls shares the first one's load or gets its cached result.
    """
    server = library_versions.server()
    tools = tuple(dataclasses.replace(tool, cache=None) for tool in server.tools)
    return pipeline(
        dataclasses.replace(server, tools=tools),
        sources={"shelf": WoodenShelf("s3cr3t")},
        settings={"shelf_url": "s3cr3t"},
    )


@settings(max_examples=150)
@given(sent=streams())
async def test_a_stream_is_answered_as_the_sdk_answers_it(sent: list[bytes]) -> None:
    fast_path_answers, sdk_answers = await both(uncached, sent)
    assert fast_path_answers == sdk_answers


@pytest.mark.parametrize("method,params", PARAMS)
@pytest.mark.parametrize("era", ["handshake", "stateless", "before the handshake"])
async def test_each_request_is_answered_as_the_sdk_answers_it(method: str, params: Any, era: str) -> None:
    initialize = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": initialize}
    stateless_meta = {
        request_shapes.PROTOCOL_VERSION: "2026-07-28",
        request_shapes.CLIENT_CAPABILITIES: {},
        request_shapes.CLIENT_INFO: CLIENT,
    }
    full_params = params | {"_meta": stateless_meta} if era == "stateless" and isinstance(params, dict) else params
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": full_params}
    fast_path_answers, sdk_answers = await both(served, [*([line(hello)] if era == "handshake" else []), line(request)])
    assert fast_path_answers == sdk_answers
    assert len(sdk_answers) == (2 if era == "handshake" else 1)


@pytest.mark.parametrize("first", [{"how": float("nan")}, {"how": 10**400}])
async def test_a_first_line_that_only_the_sdk_can_read_decides_the_era(first: Any) -> None:
    odd = {"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "misbehave", "arguments": first}}
    stateless_meta = {
        request_shapes.PROTOCOL_VERSION: "2026-07-28",
        request_shapes.CLIENT_CAPABILITIES: {},
        request_shapes.CLIENT_INFO: CLIENT,
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": stateless_meta}}
    fast_path_answers, sdk_answers = await both(served, [line(odd), line(request)])
    assert fast_path_answers == sdk_answers


@pytest.mark.parametrize("arguments", [[{}], 5, "x", True])
def test_arguments_that_are_no_object_are_rejected_without_the_sdk(arguments: Any) -> None:
    meta = {request_shapes.PROTOCOL_VERSION: "2026-07-28", request_shapes.CLIENT_CAPABILITIES: {}}
    params = {"name": "get_book", "arguments": arguments}
    for front, given_meta in ((fast_path.HandshakeFastPath, None), (fast_path.StatelessFastPath, meta)):
        with pytest.raises(ProtocolError, match="Invalid request parameters"):
            front(served()).answer(Request(1, "tools/call", params, given_meta), Client(), lambda _: None)


def test_the_front_knows_the_versions_of_the_sdk() -> None:
    assert fast_path.HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert (request_shapes.STATELESS_VERSION,) == MODERN_PROTOCOL_VERSIONS
    assert request_shapes.PROTOCOL_VERSION == types.PROTOCOL_VERSION_META_KEY
    assert request_shapes.CLIENT_CAPABILITIES == types.CLIENT_CAPABILITIES_META_KEY
    assert request_shapes.CLIENT_INFO == types.CLIENT_INFO_META_KEY
