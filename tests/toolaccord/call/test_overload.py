"""Calls that a busy server rejects: their answer on every transport, and what they cost."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Book, GetBookRequest, Librarian, LibraryCall, WoodenShelf
from tests.toolaccord.open_access import OPEN
from tests.toolaccord.overload import saturate
from tests.toolaccord.telemetry.test_metrics import value
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT
from tests.toolaccord.twins import answers, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.contract.dialects import StandardCode
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.timing.deadline import settle
from toolaccord.transports.http.app import HttpApp, Pages
from toolaccord.transports.mcp import request_shapes

TIMEOUT_S = 5.0
BUSY = StandardCode(http=503, description="Busy", retryable=True)


class Slow(Librarian):
    """A librarian who brings a book when a test allows it."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.started = 0

    async def get_book(self, request: GetBookRequest, call: LibraryCall, /) -> Book:
        self.started += 1
        await self.may_answer.wait()
        return await super().get_book(request, call)


class Desk:
    """A library with a code for overload, of which one tool may be slow."""

    def __init__(self, *, has_code: bool = True) -> None:
        self.clock, self.handlers = ManualClock(), Slow()
        declared = library.server(self.handlers, timeout_ms=int(1000 * TIMEOUT_S))
        if has_code:
            known = declared.dialect
            occasions = replace(known.occasions, overload="BUSY")
            details = {**known.details, "overload": ("retry_after_s",)}
            dialect = replace(known, occasions=occasions, codes={**known.codes, "BUSY": BUSY}, details=details)
            declared = replace(declared, dialect=dialect)
        sources = {"shelf": WoodenShelf("shelf")}
        self.metrics = Metrics(declared, sources)
        self.pipeline: Pipeline = pipeline(
            declared, sources=sources, settings={"shelf_url": "s3cr3t"}, clock=self.clock, metrics=self.metrics
        )

    def saturate(self) -> None:
        saturate(self.pipeline, "get_book", self.clock, TIMEOUT_S)

    async def call(self, tool: str = "get_book", **arguments: Any) -> Answer:
        return await self.pipeline.call(tool, arguments or {"id": 7})


async def test_a_rejected_call_has_the_code_of_the_dialect_and_the_seconds_to_wait() -> None:
    desk = Desk()
    desk.saturate()
    answer = await desk.call()
    assert (answer.code, answer.http, answer.retry_after_s) == ("BUSY", 503, 20)
    assert answer.body["error"]["details"] == {"retry_after_s": 20}
    assert answer.body["error"]["message"] == "The server is busy: get_book was not run; call again in 20 s."
    assert desk.handlers.started == 0


async def test_without_a_code_for_overload_a_dialect_uses_that_of_a_failed_source() -> None:
    desk = Desk(has_code=False)
    desk.saturate()
    answer = await desk.call()
    assert (answer.code, answer.retry_after_s) == (desk.pipeline.server.dialect.occasions.source, 20)


async def test_a_call_is_rejected_in_the_turn_in_which_it_arrives_and_makes_no_task() -> None:
    desk = Desk()
    desk.saturate()
    before = asyncio.all_tasks()
    started = desk.pipeline.start(desk.pipeline.receive("get_book", {"id": 7}), lambda _: None)
    assert isinstance(started, Answer)
    assert started.code == "BUSY"
    assert asyncio.all_tasks() == before


async def test_over_rest_a_rejection_is_503_with_retry_after() -> None:
    desk = Desk()
    desk.saturate()
    transport = httpx.ASGITransport(HttpApp(desk.pipeline, {}, OPEN, Pages(None, None)), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.post("/mcp/tools/get_book", json={"id": 7})
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        params = {"name": "get_book", "arguments": {"id": 7}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        over_mcp = await client.post("/mcp", json=call, headers=headers)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "20")
    assert response.json()["error"]["code"] == "BUSY"
    assert '"BUSY"' in over_mcp.text.replace("\\", "")
    assert "20" in over_mcp.text


@pytest.mark.parametrize("reference", [False, True])
async def test_over_stdio_a_rejection_is_an_error_result(*, reference: bool) -> None:
    desk = Desk()
    desk.saturate()
    meta = {
        request_shapes.PROTOCOL_VERSION: "2026-07-28",
        request_shapes.CLIENT_CAPABILITIES: {},
        request_shapes.CLIENT_INFO: CLIENT,
    }
    params = {"name": "get_book", "arguments": {"id": 7}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    (answered,) = await answers(desk.pipeline, [line(call)], reference=reference)
    assert answered["result"]["isError"]
    assert json.loads(answered["result"]["content"][0]["text"])["error"]["code"] == "BUSY"


async def test_the_calls_of_a_tool_that_run_or_wait_are_a_metric() -> None:
    desk = Desk()
    assert value(desk.metrics, "mcp_calls_in_flight", tool="get_book") == 0
    desk.saturate()
    assert (
        value(desk.metrics, "mcp_calls_in_flight", tool="get_book")
        == desk.pipeline.tools["get_book"].queue.in_flight
        > 0
    )
    assert value(desk.metrics, "mcp_calls_in_flight", tool="list_books") == 0


async def test_rejections_are_counted_by_tool_from_0_on() -> None:
    desk = Desk()
    assert value(desk.metrics, "mcp_overload_rejections_total", tool="get_book") == 0
    assert value(desk.metrics, "mcp_errors_total", tool="get_book", error_code="BUSY") == 0
    desk.saturate()
    with capture_logs() as records:
        for _ in range(5):
            await desk.call()
    assert value(desk.metrics, "mcp_overload_rejections_total", tool="get_book") == 5
    assert value(desk.metrics, "mcp_errors_total", tool="get_book", error_code="BUSY") == 5
    assert len([each for each in records if "is overloaded" in each.getMessage()]) == 1


async def test_a_slow_tool_does_not_reject_calls_of_a_quick_one() -> None:
    desk = Desk()
    desk.saturate()
    assert (await desk.call()).code == "BUSY"
    assert all([(await desk.call("list_books", shelf="A")).code is None for _ in range(50)])


async def test_a_caller_who_fills_the_queue_is_rejected_before_another_proven_one() -> None:
    desk = Desk()
    queue = desk.pipeline.tools["get_book"].queue
    tickets = [queue.enter("greedy") for _ in range(100)]
    desk.clock.advance(0.9 * TIMEOUT_S)
    while queue.wait_s == 0 or queue.wait_s > 0.78 * TIMEOUT_S:
        queue.leave(tickets.pop(), is_finished=True)

    def start(identity: str) -> Any:
        return desk.pipeline.start(desk.pipeline.receive("get_book", {"id": 7}, identity=identity), lambda _: None)

    assert start("greedy").code == "BUSY"
    call = start("modest")
    assert not isinstance(call, Answer)
    call.abandon()


async def test_cached_results_are_answered_under_overload() -> None:
    desk = Desk()
    assert (await desk.call("list_books", shelf="A")).code is None
    saturate(desk.pipeline, "list_books", desk.clock, TIMEOUT_S)
    assert (await desk.call("list_books", shelf="B")).code == "BUSY"
    assert (await desk.call("list_books", shelf="A")).code is None


async def test_every_call_leaves_the_queue_whatever_its_outcome() -> None:
    desk = Desk()
    queue = desk.pipeline.tools["get_book"].queue
    waiting = [asyncio.create_task(desk.call()) for _ in range(3)]
    await asyncio.sleep(0)
    assert queue.in_flight == 3
    waiting[0].cancel()
    await asyncio.gather(waiting[0], return_exceptions=True)
    assert queue.in_flight == 2
    desk.clock.advance(TIMEOUT_S)
    assert {each.code for each in await asyncio.gather(*waiting[1:])} == {"TIMEOUT"}
    assert queue.in_flight == 0
    desk.handlers.may_answer.set()
    assert [(await desk.call()).code, (await desk.call(id=999)).code] == [None, "BOOK_NOT_FOUND"]
    assert queue.in_flight == 0


async def test_a_call_whose_deadline_passed_before_its_turn_does_not_run() -> None:
    desk = Desk()
    found: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    desk.pipeline.start(desk.pipeline.receive("get_book", {"id": 7}), partial(settle, found))
    desk.clock._elapsed += TIMEOUT_S + 1
    assert (await found).code == "TIMEOUT"
    assert desk.handlers.started == 0
