"""Log messages reach the clients that want them, in order, before the result."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.toolaccord.demo import gallery
from tests.toolaccord.listener import listening
from tests.toolaccord.process import call, request, started, stateless_call
from tests.toolaccord.transports.mcp.test_progress import events
from tests.toolaccord.twins import both
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.reports import MessageSender
from toolaccord.handler import LEVELS, ClientLog
from toolaccord.telemetry.redaction import Redactor
from toolaccord.testing import Era, capture_logs, pipeline
from toolaccord.transports.mcp.request_shapes import LOG_LEVEL

ERAS = get_args(Era)
MODULE = "tests.toolaccord.demo.gallery"
SENDABLE = LEVELS[:-1]
"""The severities of messages that are JSON; the gallery's emergency is none."""
HELLO = request(
    "hello", "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"}
)
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def gallery_pipeline() -> Pipeline:
    return pipeline(gallery.server())


def tell(era: Era, level: str | None = None) -> dict[str, Any]:
    """Return a call of the tool that sends messages; a stateless one wants those of *level*."""
    message = (call if era == "handshake" else stateless_call)("told", "tell")
    if level is not None:
        message["params"]["_meta"][LOG_LEVEL] = level
    return message


def split_messages(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parameters of the log messages before the answer, which is the last message."""
    *before, answer = messages
    assert {message["method"] for message in before} <= {"notifications/message"}
    assert answer["result"]["content"] == [{"type": "text", "text": "Told"}]
    return [message["params"] for message in before]


def levels(messages: Sequence[dict[str, Any]]) -> list[str]:
    return [params["level"] for params in split_messages(messages)]


async def test_a_handshake_client_receives_messages_from_its_level_on() -> None:
    async with started(module=MODULE) as server:
        await server.shake_hands()
        await server.send(tell("handshake"))
        assert levels([await server.receive() for _ in range(7)]) == [*SENDABLE[1:]]
        for level in ("error", "debug"):
            await server.send(request("level", "logging/setLevel", level=level))
            assert await server.receive() == {"jsonrpc": "2.0", "id": "level", "result": {}}
            wanted = [*SENDABLE[SENDABLE.index(level) :]]
            await server.send(tell("handshake"))
            assert levels([await server.receive() for _ in range(len(wanted) + 1)]) == wanted
        server.close_input()
        assert await server.rest() == []


@pytest.mark.parametrize(
    "level, wanted", [(None, 0), ("debug", 7), ("warning", 4), ("alert", 1), ("emergency", 0), ("loud", None)]
)
async def test_a_stateless_client_receives_the_messages_of_the_level_that_its_request_names(
    level: str | None, wanted: int | None
) -> None:
    for answers in await both(gallery_pipeline, [json.dumps(tell("stateless", level)).encode()]):
        sent = [answer["params"] for answer in answers if "method" in answer]
        assert len(sent) == (wanted or 0)
        assert [answer["error"]["code"] for answer in answers if "error" in answer] == (
            [-32602] if wanted is None else []
        )
        assert {each["logger"] for each in sent} <= {"tell"}
        assert "s3cr3t" not in json.dumps(sent)


async def test_a_message_carries_its_data_without_secrets() -> None:
    answers, _ = await both(gallery_pipeline, [json.dumps(tell("stateless", "debug")).encode()])
    data = [answer["params"]["data"] for answer in answers if "method" in answer]
    assert {"message": "Looked for ***"} in data
    assert {"message": "Found it", "at": ["*** shelf", 1]} in data


async def test_secrets_are_redacted_wherever_data_hold_them() -> None:
    sent = []

    async def send(_level: str, message: str, data: Any) -> None:
        sent.append((message, data))

    sender = MessageSender(send, Redactor(["s3cr3t"]).redact)
    row = Row(owner="s3cr3t", size=2)
    await sender("info", "s3cr3t", {"row": row, "raw": b"s3cr3t", "path": Path("/s3cr3t"), "of": {"s3cr3t"}})
    assert sent == [("***", {"row": {"owner": "***", "size": 2}, "raw": "***", "path": "/***", "of": ["***"]})]


@dataclass
class Row:
    """A record that a handler may log."""

    owner: str
    size: int


async def test_messages_travel_in_the_stream_of_the_answer_over_http_and_a_session_has_its_level() -> None:
    headers = {"Accept": "application/json, text/event-stream"}
    stateless = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "tell"}
    async with listening(module=MODULE) as server:
        answer = await server.client.post("/mcp", json=tell("stateless", "error"), headers=headers | stateless)
        rest = await server.client.post("/mcp/tools/tell", json={})
        opened = await server.client.post("/mcp", json=HELLO, headers=headers)
        session = headers | {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        await server.client.post("/mcp", json=INITIALIZED, headers=session)
        await server.client.post("/mcp", json=request("level", "logging/setLevel", level="critical"), headers=session)
        in_session = await server.client.post("/mcp", json=tell("handshake"), headers=session)
    assert levels(events(answer.text)) == [*SENDABLE[4:]]
    assert levels(events(in_session.text)) == [*SENDABLE[5:]]
    assert rest.json() == {"content": [{"type": "text", "text": "Told"}]}


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_with_logging_declares_the_capability(era: Era) -> None:
    discover = request("hello", "server/discover", _meta=stateless_call(1, "tell")["params"]["_meta"])
    set_level = request("level", "logging/setLevel", level="error")
    sent = [HELLO, INITIALIZED, set_level] if era == "handshake" else [discover]
    fast_path, sdk = await both(gallery_pipeline, [json.dumps(each).encode() for each in sent])
    assert fast_path == sdk
    declared = next(answer for answer in fast_path if answer["id"] == "hello")["result"]["capabilities"]
    assert declared == {"tools": {"listChanged": False}, "logging": {}}


async def test_a_message_that_is_no_json_is_a_warning_and_the_call_succeeds() -> None:
    calls, sent = gallery_pipeline(), []

    async def send(level: str, _message: str, data: Any) -> None:
        json.dumps(data)
        sent.append(level)

    with capture_logs() as records:
        answer = await calls.answer(calls.receive("tell", {})._replace(send_log=send))
    assert sent == [*SENDABLE]
    assert not answer.is_error
    assert "a log message could not be sent to the client" in [record.message for record in records]


async def test_a_log_without_a_client_discards_messages() -> None:
    sent: list[str] = []

    async def send(level: str, _message: str, _data: Any) -> None:
        sent.append(level)

    await ClientLog().warning("Nobody hears this", loudness=3)
    await ClientLog(send).warning("Somebody does")
    assert sent == ["warning"]
