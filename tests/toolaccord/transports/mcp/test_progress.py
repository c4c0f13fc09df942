"""Progress notifications reach callers with a progress token, in order, before the result."""

import json
from collections.abc import Sequence
from typing import Any, get_args

import pytest

from tests.toolaccord.demo import counter
from tests.toolaccord.listener import listening
from tests.toolaccord.process import call, started, stateless_call
from toolaccord.testing import Era, connect

ERAS = get_args(Era)
MODULE = "tests.toolaccord.demo.counter"
NOTIFIED = [
    {"progressToken": "token", "progress": number, "total": 3, "message": f"*** {number}"} for number in (1, 2, 3)
]


def count_request(era: Era, tool: str = "count", *, token: bool = True) -> dict[str, Any]:
    """Return a call that counts to three."""
    request = (call if era == "handshake" else stateless_call)("count", tool, to=3)
    meta = request["params"].get("_meta", {}) | ({"progressToken": "token"} if token else {})
    return request | {"params": request["params"] | ({"_meta": meta} if meta else {})}


def split_progress(messages: Sequence[dict[str, Any]]) -> tuple[list[Any], Any]:
    """Return the parameters of progress notifications, and the data of the answer after them."""
    *before, answer = messages
    assert {message["method"] for message in before} <= {"notifications/progress"}
    assert answer["id"] == "count"
    return [message["params"] for message in before], answer["result"]["structuredContent"]["data"]


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_reported_in_memory(era: Era) -> None:
    reports = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    async with connect(counter.server(), era=era) as client:
        result = await client.call_tool("count", {"to": 3}, progress_callback=on_progress)
        assert reports == [(1, 3, "*** 1"), (2, 3, "*** 2"), (3, 3, "*** 3")]
        assert not result.is_error
        await client.call_tool("count_silently", {"to": 3}, progress_callback=on_progress)
        assert len(reports) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_reported_on_stdio_between_calls_on_the_fast_path(era: Era) -> None:
    async with started(module=MODULE) as server:
        if era == "handshake":
            await server.shake_hands()
        for request, notified in (
            (count_request(era, token=False), []),
            (count_request(era), NOTIFIED),
            (count_request(era, "count_silently"), []),
            (count_request(era, token=False), []),
            (count_request(era), NOTIFIED),
        ):
            await server.send(request)
            assert split_progress([await server.receive() for _ in range(len(notified) + 1)]) == (notified, {"to": 3})
        server.close_input()
        assert await server.rest() == []


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_reported_in_the_stream_of_an_answer_over_http(era: Era) -> None:
    version = {"handshake": "2025-11-25", "stateless": "2026-07-28"}[era]
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    async with listening(module=MODULE) as server:
        for tool, token, notified in (("count", True, NOTIFIED), ("count", False, []), ("count_silently", True, [])):
            more = {"Mcp-Method": "tools/call", "Mcp-Name": tool} if era == "stateless" else {}
            answer = await server.client.post(
                "/mcp", json=count_request(era, tool, token=token), headers=headers | more
            )
            assert split_progress(events(answer.text)) == (notified, {"to": 3})


async def test_rest_reports_no_progress() -> None:
    async with listening(module=MODULE) as server:
        answer = await server.client.post("/mcp/tools/count", json={"to": 3})
        assert answer.json()["data"] == {"to": 3}


def events(text: str) -> list[dict[str, Any]]:
    """Return the messages of a body: a stream of events, or one."""
    lines = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line] or [json.loads(text)]
