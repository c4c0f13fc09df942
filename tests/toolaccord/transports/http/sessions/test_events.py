"""Events of sessions in memory: what is sent again, in which order, and what is dropped."""

import asyncio

import pytest

from toolaccord.testing import ManualClock
from toolaccord.transports.http.sessions import events
from toolaccord.transports.http.sessions.events import MAX_AGE_S, StoredEvents
from toolaccord.transports.http.sessions.store import Event, StreamKey

FIRST, SECOND = StreamKey("session", "a1"), StreamKey("session", "b2")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def stored(clock: ManualClock) -> StoredEvents:
    return StoredEvents(clock)


def add(stored: StoredEvents, key: StreamKey, *texts: bytes, is_last: bool = True) -> None:
    """Start a stream, and store events, of which the last one may be the response."""
    stored.start(key)
    for number, text in enumerate(texts, 1):
        stored.append(key, number, text, is_last=is_last and number == len(texts))


async def replay(stored: StoredEvents, event_id: str, session: str = "session") -> list[Event]:
    """Return what a client receives after an event, to the end of its stream."""
    return [event async for event in stored.follow(session, event_id)]


async def test_a_client_gets_the_events_of_its_stream_after_the_last_that_it_saw(stored: StoredEvents) -> None:
    add(stored, FIRST, b"note", b"response")
    add(stored, SECOND, b"other")
    assert await replay(stored, "a1-0") == [Event("a1-1", b"note"), Event("a1-2", b"response")]
    assert await replay(stored, "a1-1") == [Event("a1-2", b"response")]
    assert await replay(stored, "a1-2") == []
    assert await replay(stored, "b2-0") == [Event("b2-1", b"other")]


async def test_a_client_that_resumes_early_waits_for_the_rest_and_misses_nothing(stored: StoredEvents) -> None:
    add(stored, FIRST, b"0", is_last=False)
    resumed = [asyncio.create_task(replay(stored, each)) for each in ("a1-0", "a1-1")]
    for number in range(1, 20):
        stored.append(FIRST, number + 1, b"%d" % number, is_last=number == 19)
        if number % 3 == 0:
            await asyncio.sleep(0)
    texts = [[event.text for event in await each] for each in resumed]
    assert texts == [[b"%d" % number for number in range(start, 20)] for start in (0, 1)]


async def test_the_end_of_a_session_ends_its_streams_and_drops_their_events(stored: StoredEvents) -> None:
    add(stored, FIRST, b"note", is_last=False)
    resumed = asyncio.create_task(replay(stored, "a1-1"))
    await asyncio.sleep(0)
    stored.end("session")
    assert await resumed == []
    stored.append(FIRST, 2, b"late", is_last=True)
    assert (stored.size, stored.find("session", "a1-0")) == (0, None)


@pytest.mark.parametrize("event_id", ["", "7", "a1-x", "-1", "c3-1", "a1-" + "9" * 60, "a1--1", "ä1-1", "a1-²"])
async def test_nothing_is_replayed_after_an_unknown_event(stored: StoredEvents, event_id: str) -> None:
    add(stored, FIRST, b"response")
    assert stored.find("session", event_id) is None
    assert await replay(stored, event_id) == []
    assert await replay(stored, "a1-0", "another session") == []


async def test_old_events_are_dropped_beyond_each_limit(
    stored: StoredEvents, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_EVENTS", 3)
    monkeypatch.setattr(events, "MAX_BYTES", 5000)
    add(stored, FIRST, *[b"%d" % number for number in range(5)])
    assert [event.text for event in await replay(stored, "a1-0")] == [b"2", b"3", b"4"]
    add(stored, SECOND, b"x" * 3000, b"x" * 9000)
    assert [len(event.text) for event in await replay(stored, "b2-0")] == [9000]
    assert stored.find("session", "a1-0") is None
    clock.advance(MAX_AGE_S + 1)
    assert stored.find("session", "b2-0") is None
    assert stored.size == 0


async def test_the_greediest_session_loses_its_oldest_events_first(
    stored: StoredEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_TOTAL_BYTES", 12_000)
    add(stored, StreamKey("modest", "m"), b"x" * 1000)
    add(stored, StreamKey("greedy", "g"), *[b"x" * 3000] * 5, b"response")
    assert [len(event.text) for event in await replay(stored, "m-0", "modest")] == [1000]
    assert [len(event.text) for event in await replay(stored, "g-0", "greedy")] == [3000, 3000, 8]
    assert stored.size <= 12_000
