"""Requests in sessions: their responses, streams and memory."""

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.toolaccord.demo.desk import Clerk
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.desk.server import server as desk
from tests.toolaccord.generated.demo.museum.server import server as museum
from tests.toolaccord.process import call, request
from tests.toolaccord.transports.http.sessions.asgi_client import Client, serving

ASKS = 40
KIB = 1024
MOST_KIB = 36
"""Most for a question that waits; the client of the test takes 7, and the SDK took 101."""
PIECE = "museum://pieces/north/1"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """Give a client that can be asked, in a session."""
    async with serving(desk(Clerk())) as client:
        await client.initialize(elicitation={})
        yield client


def answer(asked: dict[str, Any], **content: Any) -> dict[str, Any]:
    """Return the response to a question."""
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": content}}


async def test_a_response_that_is_there_at_once_is_one_event_without_an_id(client: Client) -> None:
    listed = await client.send("POST", request(1, "tools/list"))
    assert listed.text.startswith('event: message\r\ndata: {"jsonrpc":"2.0","id":1,')
    assert int(listed.headers["content-length"]) == len(listed.text.encode())


async def test_a_stream_begins_with_its_first_message_and_each_of_its_events_has_an_id(client: Client) -> None:
    asking = client.start("POST", call(1, "book_trip", city="Rome"))
    await asking.has("elicitation/create")
    assert (
        await client.send("POST", answer(asking.messages[0], name="Ann", seats=2, **{"class": "first"}))
    ).status == 202
    await asking.has("yes")
    await client.send("POST", answer(asking.messages[1], yes=True))
    await asking.has_ended.wait()
    assert "Ann: 2 first to Rome" in asking.text
    lines = asking.text.splitlines()
    ids = [line.removeprefix("id: ").partition("-") for line in lines if line.startswith("id: ")]
    assert [number for _, _, number in ids] == ["0", "1", "2", "3"]
    assert len({stream for stream, _, _ in ids}) == 1


async def test_a_refused_and_an_unknown_response_leave_other_questions_alone(client: Client) -> None:
    asking = client.start("POST", call(1, "book_trip", city="Rome"))
    await asking.has("elicitation/create")
    asked = asking.messages[0]
    for other in ({"id": 7, "result": {}}, {"id": "ask-x", "result": {}}, {"id": "other-1", "result": {}}):
        assert (await client.send("POST", {"jsonrpc": "2.0", **other})).status == 202
    error = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": "No"}}
    await client.send("POST", error)
    await asking.has_ended.wait()
    assert "Declined" in asking.text


async def test_a_cancelled_question_is_taken_back(client: Client) -> None:
    asking = client.start("POST", call(1, "book_trip", city="Rome"))
    await asking.has("elicitation/create")
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "1"}}
    await client.send("POST", cancelled)
    await asking.has_ended.wait()
    asked, taken_back, response = asking.messages
    assert taken_back["method"] == "notifications/cancelled"
    assert taken_back["params"]["requestId"] == asked["id"]
    assert response["error"]["code"] == -32800


async def test_a_client_that_left_finds_the_question_in_the_stream_that_it_resumes(client: Client) -> None:
    asking = client.start("POST", call(1, "book_trip", city="Rome"))
    await asking.has("elicitation/create")
    asking.leave()
    first = asking.text.partition("id: ")[2].splitlines()[0]
    resumed = client.start("GET", last_event_id=first)
    await resumed.has("elicitation/create")
    error = {"jsonrpc": "2.0", "id": resumed.messages[0]["id"], "error": {"code": 1, "message": "No"}}
    await client.send("POST", error)
    await resumed.has_ended.wait()
    assert "Declined" in resumed.text


async def test_a_session_that_begins_anew_knows_what_its_client_can_do_now(client: Client) -> None:
    await client.initialize()
    answered = await client.send("POST", call(1, "quote_trip", city="Rome"))
    assert "from 7 EUR" in answered.text


async def test_a_session_keeps_little_of_initialize(client: Client) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {"experimental": {"x": {"y": "z" * 65_536}}}}
    params |= {"clientInfo": {"name": "test", "version": "1"}}
    client.session = {}
    rejected = await client.send("POST", request(1, "initialize", **params))
    assert rejected.status == 400
    assert "A session keeps at most 65536 bytes of initialize" in rejected.text


async def test_the_newest_standalone_stream_tells_of_all_that_may_have_changed() -> None:
    async with serving(museum(Keeper())) as client:
        await client.initialize()
        await client.send("POST", request(1, "resources/subscribe", uri=PIECE))
        first = client.start("GET", last_event_id="")
        await first.has("id: 0-1\r\n")
        second = client.start("GET", last_event_id="0-1")
        await first.has_ended.wait()
        await second.has("id: 0-1\r\n")
        await client.send("POST", call(2, "move_piece", room="north", number=1, place="door"))
        await second.has("id: 0-2\r\n")
        assert [each["params"]["uri"] for each in second.messages] == [PIECE, PIECE]
        assert not second.has_ended.is_set()
        assert (await client.send("GET", accept="application/json")).status == 406


async def test_a_question_that_waits_takes_little_memory(client: Client) -> None:
    async def ask(count: int) -> None:
        asking = [client.start("POST", call(number, "book_trip", city="Rome")) for number in range(count)]
        for each in asking:
            await each.has("elicitation/create")
        await asyncio.sleep(0)

    await ask(5)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        await ask(ASKS)
        gc.collect()
        each_kib = (tracemalloc.get_traced_memory()[0] - before) / ASKS / KIB
    finally:
        tracemalloc.stop()
    assert each_kib < MOST_KIB
