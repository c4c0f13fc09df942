"""Events of sessions: what is replayed, in which order, and what is dropped."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp.server.streamable_http import GET_STREAM_KEY, EventMessage

from toolaccord.testing import ManualClock
from toolaccord.transports.http.sessions import events
from toolaccord.transports.http.sessions.events import MAX_AGE_S, SessionEvents, StoredEvents


def note(number: int, padding: str = "") -> types.JSONRPCNotification:
    return types.JSONRPCNotification(jsonrpc="2.0", method="note", params={"number": number, "padding": padding})


def response(request_id: int, **result: Any) -> types.JSONRPCResponse:
    return types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result=result)


class Client:
    """Receives replayed events."""

    def __init__(self) -> None:
        self.received: list[EventMessage] = []

    async def __call__(self, event: EventMessage) -> None:
        self.received.append(event)
        await asyncio.sleep(0)

    @property
    def messages(self) -> list[types.JSONRPCMessage]:
        return [each.message for each in self.received]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def stored(clock: ManualClock) -> StoredEvents:
    return StoredEvents(clock)


@pytest.fixture
def session(stored: StoredEvents) -> SessionEvents:
    return stored.open_session()


async def replay(session: SessionEvents, last_event_id: str) -> Client:
    """Return what a client receives after an event, to the end of its stream."""
    client = Client()
    await session.replay_events_after(last_event_id, client)
    return client


async def test_a_client_gets_the_events_of_its_stream_after_the_last_that_it_saw(session: SessionEvents) -> None:
    start = await session.store_event("1", None)
    other = await session.store_event("2", None)
    first = await session.store_event("1", note(1))
    await session.store_event("2", note(2))
    await session.store_event("1", response(1))
    assert (await replay(session, start)).messages == [note(1), response(1)]
    assert (await replay(session, first)).messages == [response(1)]
    assert (await replay(session, (await replay(session, first)).received[0].event_id or "")).messages == []
    await session.store_event("2", response(2))
    assert (await replay(session, other)).messages == [note(2), response(2)]


async def test_a_client_that_resumes_early_waits_for_the_rest_and_misses_nothing(session: SessionEvents) -> None:
    start = await session.store_event("1", None)
    await session.store_event("1", note(0))
    client = Client()
    resumed = asyncio.create_task(session.replay_events_after(start, client))
    for number in range(1, 20):
        await session.store_event("1", note(number))
        if number % 3 == 0:
            await asyncio.sleep(0)
    await session.store_event("1", response(1))
    await resumed
    assert client.messages == [*map(note, range(20)), response(1)]


async def test_a_request_with_the_id_of_an_earlier_one_has_a_stream_of_its_own(session: SessionEvents) -> None:
    first = await session.store_event("1", None)
    await session.store_event("1", response(1, call="first"))
    second = await session.store_event("1", None)
    await session.store_event("1", response(1, call="second"))
    assert (await replay(session, first)).messages == [response(1, call="first")]
    assert (await replay(session, second)).messages == [response(1, call="second")]
    abandoned = await session.store_event("1", None)
    await session.store_event("1", None)
    assert not session.can_resume(abandoned)


async def test_the_standalone_stream_goes_on_until_the_session_ends(session: SessionEvents) -> None:
    start = await session.store_event(GET_STREAM_KEY, note(1))
    client = Client()
    resumed = asyncio.create_task(session.replay_events_after(start, client))
    await session.store_event(
        GET_STREAM_KEY, types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=1, message=""))
    )
    await session.store_event(GET_STREAM_KEY, note(2))
    await asyncio.sleep(0)
    session.close()
    await resumed
    assert client.messages[1:] == [note(2)]
    assert start.startswith("0-")


@pytest.mark.parametrize("last_event_id", ["", "7", "x-1", "1-x", "9-1", "1-" + "9" * 40, "-1-1"])
async def test_nothing_is_replayed_after_an_unknown_event(session: SessionEvents, last_event_id: str) -> None:
    await session.store_event("1", None)
    assert not session.can_resume(last_event_id)
    assert (await replay(session, last_event_id)).messages == []


async def test_old_events_are_dropped_beyond_each_limit(
    session: SessionEvents, clock: ManualClock, stored: StoredEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_EVENTS", 3)
    monkeypatch.setattr(events, "MAX_BYTES", 5000)
    start = await session.store_event("1", None)
    for number in range(4):
        await session.store_event("1", note(number))
    await session.store_event("1", response(1))
    assert (await replay(session, start)).messages == [note(2), note(3), response(1)]
    large = await session.store_event("2", None)
    await session.store_event("2", note(0, "x" * 3000))
    await session.store_event("2", response(2, text="x" * 9000))
    assert (await replay(session, large)).messages == [response(2, text="x" * 9000)]
    assert not session.can_resume(start)
    clock.advance(MAX_AGE_S + 1)
    assert not session.can_resume(large)
    assert (session.size, stored.size) == (0, 0)


async def test_the_greediest_session_loses_its_oldest_events_first(
    stored: StoredEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_TOTAL_BYTES", 12_000)
    modest, greedy = stored.open_session(), stored.open_session()
    kept = await modest.store_event("1", None)
    await modest.store_event("1", response(1, text="x" * 1000))
    lost = await greedy.store_event("1", None)
    for number in range(5):
        await greedy.store_event("1", note(number, "x" * 3000))
    await greedy.store_event("1", response(1))
    assert (await replay(modest, kept)).messages == [response(1, text="x" * 1000)]
    assert (await replay(greedy, lost)).messages == [*[note(each, "x" * 3000) for each in (3, 4)], response(1)]
    assert stored.size <= 12_000
    greedy.close()
    await greedy.store_event("2", response(2))
    assert stored.size == modest.size


async def test_a_resumed_stream_ends_after_its_time_and_can_be_resumed_again(clock: ManualClock) -> None:
    session = StoredEvents(clock, max_stream_s=0.01).open_session()
    start = await session.store_event("1", None)
    assert (await replay(session, start)).messages == []
    await session.store_event("1", response(1))
    assert (await replay(session, start)).messages == [response(1)]
