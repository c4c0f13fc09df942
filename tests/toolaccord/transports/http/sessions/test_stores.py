"""Stores of sessions, each as several processes open it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack
from typing import Any, TypeAlias

import pytest

from tests.toolaccord.process import PATIENCE_S
from toolaccord.config.session_settings import SessionLimits
from toolaccord.contract.source_kinds.redis import RedisSource
from toolaccord.errors import SourceError
from toolaccord.pytest.brokers import RedisServer
from toolaccord.sources.redis.api import RedisError
from toolaccord.sources.redis.client import RedisClient
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.sessions import redis_store
from toolaccord.transports.http.sessions.memory_store import MemoryStore
from toolaccord.transports.http.sessions.redis_store import RedisSessionStore
from toolaccord.transports.http.sessions.store import (
    Change,
    Message,
    Session,
    SessionStore,
    StreamKey,
)

FIELDS = {
    "params": '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}',
    "version": "2025-11-25",
}
KEY = StreamKey("one", "a1")


class Process:
    """A process with its sessions."""

    def __init__(self) -> None:
        self.busy: set[str] = set()
        self.ended: list[str] = []
        self.heard: asyncio.Queue[Any] = asyncio.Queue()
        self.faults: list[Exception] = []
        """Errors of the next messages."""

    def is_busy(self, session_id: str) -> bool:
        return session_id in self.busy

    def busy_sessions(self) -> Collection[str]:
        return self.busy

    def end(self, session_id: str) -> None:
        self.ended.append(session_id)
        self.heard.put_nowait(session_id)

    async def heed(self, message: Message) -> None:
        if self.faults:
            raise self.faults.pop()
        self.heard.put_nowait(message)

    def hear(self, uri: str) -> None:
        self.heard.put_nowait(uri)


Open: TypeAlias = Callable[..., Any]
"""Opens a store as another process has it, with limits; gives the store and its process."""


@pytest.fixture
async def in_redis(redis: RedisServer) -> AsyncIterator[Open]:
    """Give a function that opens a store in an empty Redis."""
    server = secrets.token_hex(4)
    async with AsyncExitStack() as stack:

        async def open_store(max_sessions: int = 10, idle_s: float = 60) -> tuple[RedisSessionStore, Process]:
            clock, process = SystemClock(), Process()
            client = RedisClient(RedisSource(name="store", url="", retries=1), redis.url, clock)
            store = RedisSessionStore(client, clock, server, SessionLimits(max_sessions, idle_s))
            await store.open(process)
            stack.push_async_callback(store.close)
            return store, process

        yield open_store


@pytest.fixture(params=["memory", "redis"])
async def open_store(request: pytest.FixtureRequest, in_redis: Open) -> Open:
    """Give a function that opens a store of each kind."""
    if request.param == "redis":
        return in_redis

    async def in_memory(max_sessions: int = 10, idle_s: float = 60) -> tuple[MemoryStore, Process]:
        store, process = MemoryStore(SessionLimits(max_sessions, idle_s), SystemClock()), Process()
        await store.open(process)
        return store, process

    return in_memory


def session(session_id: str, caller: str = "ann") -> Session:
    return Session(id=session_id, caller=caller, fields=FIELDS)


async def add(store: SessionStore, *texts: bytes, key: StreamKey = KEY, is_last: bool = True) -> None:
    """Start a stream, and store events, of which the last one may be the response."""
    await store.start_stream(key, 7)
    for number, text in enumerate(texts, 1):
        await store.append(key, number, text, is_last=is_last and number == len(texts))


async def replay(store: SessionStore, event_id: str) -> list[bytes]:
    return [event.text async for event in store.follow("one", event_id)]


async def test_a_session_is_found_by_its_caller_alone_until_it_is_deleted(open_store: Open) -> None:
    store, process = await open_store()
    assert await store.create(session("one"))
    assert await store.find("one", "ann") == session("one")
    assert await store.find("one", "bob") is None
    assert await store.find("two", "ann") is None
    await store.delete("one")
    assert await store.find("one", "ann") is None
    assert process.ended == ["one"]


async def test_changes_of_a_session_do_not_undo_each_other(open_store: Open) -> None:
    store, _ = await open_store()
    await store.create(session("one"))
    known = session("one")
    await store.change(known, Change.scopes(["read"]))
    await store.change(known, Change.subscribed("box://1"))
    await store.change(known, Change.subscribed("box://2"))
    await store.change(known, Change({"level": "error"}))
    changed = await store.change(known, Change.unsubscribed("box://1"))
    assert changed == await store.find("one", "ann")
    assert (changed.scopes, changed.uris, changed.level) == ({"read"}, {"box://2"}, "error")
    await store.delete("one")
    assert await store.change(known, Change({"level": "debug"})) == known
    assert await store.find("one", "ann") is None


async def test_the_greediest_caller_makes_room_with_an_idle_session(open_store: Open) -> None:
    store, process = await open_store(max_sessions=3)
    for each in ("one", "two", "three"):
        assert await store.create(session(each))
    assert not await store.create(session("four"))
    process.busy = {"one"}
    for each in ("three", "two", "one"):
        await store.find(each, "ann")
    if isinstance(store, RedisSessionStore):
        await store.keep()
    assert await store.create(session("four", "bob"))
    assert not await store.create(session("five", "bob"))
    assert [bool(await store.find(each, "ann")) for each in ("one", "two", "three")] == [True, True, False]


async def test_an_idle_session_ends_and_one_in_use_does_not() -> None:
    clock, process = ManualClock(), Process()
    store = MemoryStore(SessionLimits(2, 10), clock)
    await store.open(process)
    for each in ("one", "two"):
        await store.create(session(each))
    process.busy = {"one"}
    clock.advance(10)
    assert store.count() == 1
    assert process.ended == ["two"]
    clock.advance(9)
    process.busy = set()
    store.touch("one")
    clock.advance(9)
    assert await store.find("one", "ann")
    clock.advance(10)
    assert store.count() == 0


async def test_events_are_read_again_by_whoever_follows_their_stream(open_store: Open) -> None:
    store, _ = await open_store()
    await store.create(session("one"))
    await add(store, b"note", is_last=False)
    following = asyncio.create_task(replay(store, "a1-0"))
    for number in range(2, 20):
        await store.append(KEY, number, b"%d" % number, is_last=number == 19)
    texts = [b"note", *[b"%d" % number for number in range(2, 20)]]
    async with asyncio.timeout(PATIENCE_S):
        assert await following == texts
    assert await replay(store, "a1-18") == [b"19"]
    assert [await store.can_resume("one", each) for each in ("a1-3", "b2-0", "7", "x")] == [True, False, False, False]
    await store.delete("one")
    assert not await store.can_resume("one", "a1-3")


async def test_an_idle_session_in_redis_ends(in_redis: Open) -> None:
    store, _ = await in_redis(max_sessions=1, idle_s=0.05)
    await store.create(session("one"))
    async with asyncio.timeout(PATIENCE_S):
        while not await store.create(session("two", "bob")):
            pass
    assert await store.find("one", "ann") is None


async def test_processes_tell_each_other_what_concerns_a_session(in_redis: Open) -> None:
    (first, at_first), (second, at_second) = await in_redis(), await in_redis()
    await first.create(session("one"))
    await second.find("one", "ann")
    answer = Message("one", "response", {"id": f"{first.process}-1", "result": {"big": 1 << 80}})
    assert not await second.tell(answer, first.process)  # it has not served the session
    await first.find("one", "ann")
    assert await second.tell(answer, first.process)
    await second.tell(Message("one", "cancelled", 7))
    await second.report("box://1")
    heard = [await asyncio.wait_for(at_first.heard.get(), PATIENCE_S) for _ in range(3)]
    assert sorted(map(str, heard)) == sorted(map(str, [answer, Message("one", "cancelled", 7), "box://1"]))
    await first.delete("one")
    assert await asyncio.wait_for(at_second.heard.get(), PATIENCE_S) == "one"


async def test_a_process_learns_that_a_session_in_use_has_gone(in_redis: Open, redis: RedisServer) -> None:
    store, process = await in_redis()
    await store.create(session("one"))
    process.busy = {"one"}
    await store.find("one", "ann")
    await store.keep()
    assert process.ended == []
    (key,) = redis.command("KEYS", "*:session:one")
    redis.command("DEL", key)
    await store.keep()
    assert process.ended == ["one"]


async def test_a_stream_of_which_an_event_is_lost_ends_with_an_error(in_redis: Open) -> None:
    store, _ = await in_redis()
    await store.create(session("one"))
    await add(store, b"note", is_last=False)
    following = store.follow("one", "a1-0")
    assert (await anext(following)).text == b"note"
    store.lose_stream(KEY)
    await store.keep()
    async with asyncio.timeout(PATIENCE_S):
        (error,) = [event.text async for event in following]
    assert b'"id":7' in error
    assert b"Messages of this request are lost" in error


async def test_redis_stores_events_within_each_limit(in_redis: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_store, "MAX_EVENTS", 3)
    monkeypatch.setattr(redis_store, "MAX_BYTES", 5000)
    monkeypatch.setattr(redis_store, "MAX_TOTAL_BYTES", 12_000)
    store, _ = await in_redis()
    await store.create(session("one"))
    await store.create(session("two"))
    await add(store, *[b"%d" % number for number in range(5)])
    assert await replay(store, "a1-0") == [b"2", b"3", b"4"]
    second = StreamKey("one", "b2")
    await add(store, b"x" * 3000, b"y" * 9000, key=second)
    assert await replay(store, "b2-0") == [b"y" * 9000]
    await add(store, b"z" * 4000, key=StreamKey("two", "c3"))
    assert [event.text async for event in store.follow("two", "c3-0")] == [b"z" * 4000]
    assert await replay(store, "b2-0") == []


@pytest.mark.parametrize(
    "damage", [("HSET", "params", "{"), ("HSET", "params", "{}"), ("HSET", "version", "7"), ("HDEL", "version")]
)
async def test_a_damaged_session_is_an_error_of_the_store(
    in_redis: Open, redis: RedisServer, damage: tuple[str, ...]
) -> None:
    store, _ = await in_redis()
    await store.create(session("one"))
    command, *words = damage
    (key,) = redis.command("KEYS", "*:session:one")
    redis.command(command, key, *words)
    with pytest.raises(SourceError, match="damaged"):
        await store.find("one", "ann")


async def test_a_damaged_message_is_skipped(in_redis: Open, redis: RedisServer) -> None:
    (first, at_first), (second, _) = await in_redis(), await in_redis()
    await first.create(session("one"))
    await first.find("one", "ann")
    for message in (b"", b"x" * 16 + b"{", b"y" * 16 + b"[1,2,3,4,5]", b"\xff" * 40):
        redis.command("RPUSH", f"{first._prefix}inbox:{first.process}", message)
    await second.tell(Message("one", "cancelled", 7), first.process)
    assert await asyncio.wait_for(at_first.heard.get(), PATIENCE_S) == Message("one", "cancelled", 7)


async def test_no_message_is_lost_while_redis_fails_in_the_middle_of_several(in_redis: Open) -> None:
    (first, at_first), (second, _) = await in_redis(), await in_redis()
    await first.create(session("one"))
    await first.find("one", "ann")
    at_first.faults = [RedisError("away")]
    messages = [Message("one", "changed"), Message("one", "response", {"id": "ask-1"}), Message("one", "cancelled", 7)]
    for message in messages:
        await second.tell(message, first.process)
    assert [await asyncio.wait_for(at_first.heard.get(), PATIENCE_S) for _ in messages] == messages
