"""Who sends a progress token hears how far its call is, in order, before the result; nobody else does."""

import json
from collections.abc import Sequence
from typing import Any, get_args

import pytest

from tests.toolpact import counter
from tests.toolpact.listener import listening
from tests.toolpact.process import call, started, stateless_call
from toolpact.testing import Era, connect

ERAS = get_args(Era)
MODULE = "tests.toolpact.counter"
TOLD = [{"progressToken": "token", "progress": number, "total": 3, "message": f"*** {number}"} for number in (1, 2, 3)]


def counting(era: Era, tool: str = "count", *, token: bool = True) -> dict[str, Any]:
    """Return a call that counts to three."""
    asked = (call if era == "handshake" else stateless_call)("asked", tool, to=3)
    meta = asked["params"].get("_meta", {}) | ({"progressToken": "token"} if token else {})
    return asked | {"params": asked["params"] | ({"_meta": meta} if meta else {})}


def said(messages: Sequence[dict[str, Any]]) -> tuple[list[Any], Any]:
    """Return what the notifications of progress say, and the data of the answer behind them."""
    *before, answer = messages
    assert {message["method"] for message in before} <= {"notifications/progress"}
    assert answer["id"] == "asked"
    return [message["params"] for message in before], answer["result"]["structuredContent"]["data"]


@pytest.mark.parametrize("era", ERAS)
async def test_in_memory(era: Era) -> None:
    heard = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with connect(counter.server(), era=era) as client:
        result = await client.call_tool("count", {"to": 3}, progress_callback=hear)
        assert heard == [(1, 3, "*** 1"), (2, 3, "*** 2"), (3, 3, "*** 3")]
        assert not result.is_error
        await client.call_tool("count_silently", {"to": 3}, progress_callback=hear)
        assert len(heard) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_on_stdio_beside_calls_that_the_front_answers(era: Era) -> None:
    async with started(module=MODULE) as server:
        if era == "handshake":
            await server.shake_hands()
        for asked, told in (
            (counting(era, token=False), []),
            (counting(era), TOLD),
            (counting(era, "count_silently"), []),
            (counting(era, token=False), []),
            (counting(era), TOLD),
        ):
            await server.send(asked)
            assert said([await server.receive() for _ in range(len(told) + 1)]) == (told, {"to": 3})
        server.close_input()
        assert await server.rest() == []


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_in_the_stream_of_the_answer(era: Era) -> None:
    version = {"handshake": "2025-11-25", "stateless": "2026-07-28"}[era]
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    async with listening(module=MODULE) as server:
        for tool, token, told in (("count", True, TOLD), ("count", False, []), ("count_silently", True, [])):
            more = {"Mcp-Method": "tools/call", "Mcp-Name": tool} if era == "stateless" else {}
            answer = await server.client.post("/mcp", json=counting(era, tool, token=token), headers=headers | more)
            assert said(events(answer.text)) == (told, {"to": 3})


async def test_over_rest_nothing_is_told() -> None:
    async with listening(module=MODULE) as server:
        answer = await server.client.post("/mcp/tools/count", json={"to": 3})
        assert answer.json()["data"] == {"to": 3}


def events(text: str) -> list[dict[str, Any]]:
    """Return the messages of a body: a stream of events, or one."""
    lines = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line] or [json.loads(text)]
