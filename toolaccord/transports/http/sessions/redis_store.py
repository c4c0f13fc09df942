"""Sessions in Redis, so that any replica serves any of them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from typing import Any, NamedTuple

import mcp_types as types
import pydantic_core

from toolaccord.config.session_settings import SessionLimits
from toolaccord.errors import SourceError
from toolaccord.json_values import encode_json
from toolaccord.sources import Source
from toolaccord.sources.availability import report_failure
from toolaccord.sources.redis.api import RedisError, Script, Value
from toolaccord.sources.redis.client import RedisClient
from toolaccord.sources.redis.hearing import hear_for_ever
from toolaccord.timing.clock import Clock, sleep
from toolaccord.transports.http.sessions import redis_scripts as scripts
from toolaccord.transports.http.sessions.events import EVENT_BYTES, MAX_AGE_S, MAX_BYTES, MAX_EVENTS, MAX_TOTAL_BYTES
from toolaccord.transports.http.sessions.store import (
    Change,
    Event,
    Holder,
    Message,
    Session,
    StreamKey,
    split_event_id,
)
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.fast_path import HANDSHAKE_VERSIONS

_LOG = logging.getLogger(__name__)
_KEEP_S = 10.0
"""Seconds between two reports of a process that its sessions are in use."""
_BUSY_MS = 30_000
"""Milliseconds for which such a report holds."""
_LOOK_S = 5.0
"""Seconds between two looks at a stream of which no news came."""
_DOUBT_S = 2.5
"""Seconds after which a process that does not listen is gone.

It may be about to connect again.
"""
_NONCE_CHARACTERS = 16
_LOST = "Messages of this request are lost: send it again."
_GONE = "The process that ran this request is gone: send it again."


class _Part(NamedTuple):
    """A stream as Redis has it."""

    about: bytes
    """Its process and the id of its request; empty for a stream that is not known."""
    has_ended: bool
    is_alive: bool
    """False if its process does not listen."""
    events: Sequence[Any]
    """Numbers and texts in turn."""


class RedisSessionStore:
    """Sessions of one server in a Redis.

    Every operation is one script, and may raise RedisError.
    """

    is_shared = True

    def __init__(self, redis: RedisClient, clock: Clock, server: str, limits: SessionLimits) -> None:
        self.process = secrets.token_hex(8)
        self.source: Source | None = redis
        self._redis = redis
        self._clock = clock
        self._limits = limits
        self._idle_ms = max(1, round(limits.idle_s * 1000))
        self._prefix = f"toolaccord:sessions:{{{server}}}:"
        self._lost: set[StreamKey] = set()
        """Streams that wait to be forgotten."""
        self._members: dict[str, str] = {}
        """The places in sets of the sessions that this process has found lately, by id."""
        self._bells: dict[StreamKey, set[asyncio.Event]] = {}
        """Events of asyncio for those who follow streams."""
        self._has_mail = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, holder: Holder) -> None:
        """Hear of other processes from now on, and keep the sessions that *holder* uses."""
        self._holder = holder
        channel = f"{self._prefix}process:{self.process}"
        hearing = hear_for_ever(self._redis, self._clock, channel, "sessions", self._hear, lambda _: self._ring_all())
        loop = asyncio.get_running_loop()
        running: list[Coroutine[Any, Any, None]] = [hearing, self._keep_for_ever(), self._read_mail()]
        self._tasks = [loop.create_task(each, context=Context()) for each in running]

    async def close(self) -> None:
        """Leave the sessions to other processes."""
        for task in self._tasks:
            task.cancel()
        with _reported():
            await self._run(scripts.LEAVE, ["processes"], [self.process])
        await self._redis.close()

    async def create(self, session: Session) -> bool:
        """Keep a new session; return False if all are taken."""
        fields = {"caller": _digest(session.caller), **session.fields}
        named = [text for field in fields.items() for text in field]
        member = self._members[session.id] = _member(session.id, session.caller)
        arguments: list[Value] = [self._prefix, member, session.id, self._idle_ms, self._limits.max_sessions, *named]
        return bool(await self._run(scripts.CREATE, ["open", "busy", f"session:{session.id}"], arguments))

    async def find(self, session_id: str, caller: str) -> Session | None:
        """Return a session of *caller*, whose idle time begins anew."""
        member = _member(session_id, caller)
        keys = [f"session:{session_id}", f"holders:{session_id}", "open"]
        found = await self._run(scripts.FIND, keys, [_digest(caller), self._idle_ms, self.process, member])
        if not found:
            return None
        self._members[session_id] = member
        return _read_session(session_id, caller, found)

    def touch(self, session_id: str) -> None:
        """Do nothing: sessions in use are kept from time to time."""

    async def change(self, session: Session, change: Change) -> Session:
        """Make a change of a session, unless it has ended; return the session with it."""
        put = [text for field in change.put.items() for text in field]
        arguments: list[Value] = [len(change.put), *put, *change.drop]
        found = await self._run(scripts.CHANGE, [f"session:{session.id}"], arguments)
        return _read_session(session.id, session.caller, found) if found else session

    async def delete(self, session_id: str) -> None:
        """End a session in all processes."""
        message = _encode(Message(session_id, "ended"))
        member = self._members.get(session_id, "")
        arguments: list[Value] = [self._prefix, member, session_id, self.process, message]
        await self._run(scripts.DELETE, [f"holders:{session_id}", "open"], arguments)
        self._end(session_id)

    async def tell(self, message: Message, process: str | None = None) -> bool:
        """Tell the other processes that serve a session, or one of them."""
        arguments: list[Value] = [self._prefix, self.process, process or "", _encode(message)]
        return bool(await self._run(scripts.TELL, [f"holders:{message.session}"], arguments))

    async def report(self, uri: str) -> None:
        """Tell all other processes that a resource has changed."""
        await self._run(scripts.REPORT, ["processes"], [self._prefix, self.process, uri])

    def count(self) -> int:
        """Return the number of sessions in use here."""
        return len(self._holder.busy_sessions())

    async def start_stream(self, key: StreamKey, request_id: str | int) -> None:
        """Prepare for the events of a request."""
        about = b"%b %b" % (self.process.encode(), encode_json(request_id))
        keys = [f"session:{key.session}", f"streams:{key.session}"]
        await self._run(scripts.START_STREAM, keys, [key.number, about, _milliseconds(MAX_AGE_S)])

    async def append(self, key: StreamKey, number: int, text: bytes, *, is_last: bool) -> None:
        """Store the event *number* of a stream."""
        event: list[Value] = [self._prefix, key.session, key.number, number, text, int(is_last)]
        bounds = [MAX_EVENTS, MAX_BYTES, MAX_TOTAL_BYTES, _milliseconds(MAX_AGE_S), EVENT_BYTES]
        await self._run(scripts.APPEND, [f"events:{key.session}", f"streams:{key.session}"], [*event, *bounds])

    def lose_stream(self, key: StreamKey) -> None:
        """Let nobody wait for a stream of which an event could not be stored."""
        self._lost.add(key)

    async def can_resume(self, session_id: str, event_id: str) -> bool:
        """Return whether the stream of an event is known."""
        place = split_event_id(event_id)
        part = await self._read(StreamKey(session_id, place[0]), place[1]) if place else None
        return part is not None and bool(part.about)

    async def follow(self, session_id: str, event_id: str) -> AsyncIterator[Event]:
        """Yield the events of a stream after an id, also future ones, until the stream ends.

        The last one is an error if the stream is lost, or its process is gone.
        """
        place = split_event_id(event_id)
        assert place
        key, last, about, silent_s = StreamKey(session_id, place[0]), place[1], b"", 0.0
        with self._bell(key) as bell:
            while part := await self._read(key, last):
                about = part.about or about
                for number, text in zip(part.events[::2], part.events[1::2], strict=True):
                    last = int(number)
                    yield Event(f"{key.number}-{last}", text)
                silent_s = 0.0 if part.is_alive or part.events else silent_s + _DOUBT_S
                if fault := _LOST if not part.about else _GONE if silent_s > _DOUBT_S else None:
                    yield Event(f"{key.number}-{last + 1}", _error(about, fault))
                    return
                if part.has_ended:
                    return
                if not part.events:
                    await _wait(bell, self._clock, _DOUBT_S if not part.is_alive else _LOOK_S)

    async def _read(self, key: StreamKey, last: int) -> _Part | None:
        """Return what there is of a stream after an event; None if its session has ended."""
        keys = [f"session:{key.session}", f"events:{key.session}", f"streams:{key.session}"]
        found = await self._run(scripts.READ, keys, [self._prefix, key.number, last, self.process])
        return _Part(found[0], bool(found[1]), bool(found[2]), found[3]) if found else None

    @contextmanager
    def _bell(self, key: StreamKey) -> Iterator[asyncio.Event]:
        """Provide what is set when there may be news of a stream."""
        bell = asyncio.Event()
        self._bells.setdefault(key, set()).add(bell)
        try:
            yield bell
        finally:
            self._bells[key].discard(bell)
            if not self._bells[key]:
                del self._bells[key]

    def _hear(self, message: bytes) -> None:
        """Take a message of the channel. One that no script has sent concerns nobody."""
        kind, text = message[:1], message[1:].decode(errors="replace")
        if not kind:
            self._has_mail.set()
        elif kind == b"u":
            self._holder.hear(text)
        else:
            session_id, _, number = text.partition(":")
            self._ring(StreamKey(session_id, number))

    def _ring(self, key: StreamKey) -> None:
        for bell in self._bells.get(key, ()):
            bell.set()

    def _ring_all(self) -> None:
        """Let everyone have a look: until now, messages were missed."""
        self._has_mail.set()
        for key in self._bells:
            self._ring(key)

    async def _read_mail(self) -> None:
        """Read the messages of other processes, for ever. Redis keeps each until it is done."""
        done: list[str] = []
        while True:
            try:
                messages = await self._run(scripts.DRAIN, [f"inbox:{self.process}"], done)
                done = []
                for each in messages:
                    await self._take(each)
                    done.append(each[:_NONCE_CHARACTERS].decode(errors="replace"))
            except SourceError as error:
                report_failure(error)
                await sleep(self._clock, 1)
                continue
            if not messages:
                await self._has_mail.wait()
                self._has_mail.clear()

    async def _take(self, text: bytes) -> None:
        try:
            message = Message(*pydantic_core.from_json(text[_NONCE_CHARACTERS:]))
            if message.kind == "ended":
                self._end(message.session)
            else:
                await self._holder.heed(message)
        except (ValueError, TypeError, LookupError, AttributeError):
            _LOG.exception("a message about a session is damaged in Redis, and is skipped")

    async def _keep_for_ever(self) -> None:
        """Report from time to time which sessions are in use."""
        while True:
            with _reported():
                await self.keep()
            await sleep(self._clock, min(_KEEP_S, self._limits.idle_s / 3))

    async def keep(self) -> None:
        """Report which sessions are in use, and end those that have ended elsewhere."""
        busy = self._holder.busy_sessions()
        self._members = {each: self._members[each] for each in busy if each in self._members}
        sessions = [text for pair in self._members.items() for text in pair]
        times = [_BUSY_MS, self._idle_ms, _milliseconds(MAX_AGE_S)]
        gone = await self._run(
            scripts.KEEP, ["processes", "open", "busy"], [self._prefix, self.process, *times, *sessions]
        )
        for session_id in gone:
            self._end(session_id.decode())
        for key in [*self._lost]:
            await self._run(scripts.LOSE, [f"streams:{key.session}"], [key.number])
            self._lost.discard(key)

    def _end(self, session_id: str) -> None:
        self._members.pop(session_id, None)
        self._holder.end(session_id)
        for key in self._bells:
            if key.session == session_id:
                self._ring(key)

    async def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[Value]) -> Any:
        return await self._redis.run_script(script, [f"{self._prefix}{key}" for key in keys], arguments)


@contextmanager
def _reported() -> Iterator[None]:
    """Log a failure of Redis, after which everything is tried again."""
    try:
        yield
    except SourceError as error:
        report_failure(error)


async def _wait(bell: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Wait until *bell* is set, but not for longer than *seconds*."""
    timer = clock.call_later(seconds, bell.set)
    try:
        await bell.wait()
    finally:
        timer.cancel()
        bell.clear()


def _read_session(session_id: str, caller: str, found: Sequence[bytes]) -> Session:
    """Return a session from names and values of fields. Raises RedisError for a damaged one."""
    try:
        texts = [each.decode() for each in found]
        fields = dict(zip(texts[::2], texts[1::2], strict=True))
        del fields["caller"]
        session = Session(id=session_id, caller=caller, fields=fields)
        types.InitializeRequestParams.model_validate(session.params, by_name=False)
        assert session.version in HANDSHAKE_VERSIONS
    except (ValueError, LookupError, AssertionError):
        reason = "a session in it is damaged"
        raise RedisError(reason, failure="rejected", reason=reason) from None
    return session


def _encode(message: Message) -> bytes:
    return secrets.token_hex(_NONCE_CHARACTERS // 2).encode() + encode_json([*message])


def _error(about: bytes, text: str) -> bytes:
    """Return the error response to the request of a stream."""
    request_id = about.partition(b" ")[2]
    return jsonrpc.error_response(jsonrpc.parse(request_id) if request_id else None, jsonrpc.INTERNAL_ERROR, text)


def _digest(caller: str) -> str:
    """Return what Redis knows of a caller."""
    return hashlib.sha256(caller.encode(errors="surrogatepass")).hexdigest()


def _member(session_id: str, caller: str) -> str:
    """Return the place of a session in sets."""
    return f"{_digest(caller)}:{session_id}"


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
