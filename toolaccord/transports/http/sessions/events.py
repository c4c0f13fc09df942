"""Events of sessions in memory, for clients that resume broken streams."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from toolaccord.timing.clock import Clock
from toolaccord.transports.http.sessions.store import Event, StreamKey, split_event_id

MAX_EVENTS = 1000
"""Events that one session stores."""
MAX_BYTES = 4 << 20
"""Bytes that one session stores; its newest event may be larger."""
MAX_TOTAL_BYTES = 64 << 20
"""Bytes that all sessions store."""
MAX_AGE_S = 300.0
"""Seconds for which an event can be replayed."""
EVENT_BYTES = 512
"""Bytes of an event beside its JSON text."""


@dataclass(slots=True, eq=False)
class _Stream:
    """The stream of one request."""

    number: str
    stored: int = 0
    """Number of its stored events."""
    has_ended: bool = False
    followers: set[asyncio.Event] = field(default_factory=set)
    """Events of asyncio that are set with its next event, or at its end."""

    def wake(self) -> None:
        for each in self.followers:
            each.set()


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    stream: _Stream
    text: bytes
    """The message as JSON."""
    stored_at: float
    """Monotonic time in seconds."""

    @property
    def size(self) -> int:
        return len(self.text) + EVENT_BYTES


class StoredEvents:
    """The events of all sessions of a process."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.size = 0
        """Bytes of the stored events."""
        self.sessions: dict[str, SessionEvents] = {}

    def start(self, key: StreamKey) -> None:
        """Prepare for the events of a stream."""
        session = self.sessions.get(key.session)
        if session is None:
            session = self.sessions[key.session] = SessionEvents(self)
        session.streams[key.number] = _Stream(key.number)

    def append(self, key: StreamKey, number: int, text: bytes, *, is_last: bool) -> None:
        """Store an event, unless its session has ended."""
        if session := self.sessions.get(key.session):
            session.append(key.number, number, text, is_last=is_last)

    def find(self, session_id: str, event_id: str) -> _Stream | None:
        """Return the stream of an event, if it is known."""
        session, place = self.sessions.get(session_id), split_event_id(event_id)
        if session is None or place is None:
            return None
        session.drop_expired()
        return session.streams.get(place[0])

    async def follow(self, session_id: str, event_id: str) -> AsyncIterator[Event]:
        """Yield the events of a stream after an id, also future ones, until the stream ends."""
        stream, place = self.find(session_id, event_id), split_event_id(event_id)
        if stream is None or place is None:
            return
        last, changed = place[1], asyncio.Event()
        stream.followers.add(changed)
        try:
            while True:
                changed.clear()
                session = self.sessions.get(session_id)
                for number, text in session.list_after(stream, last) if session else ():
                    yield Event(f"{stream.number}-{number}", text)
                    last = number
                if not changed.is_set():
                    if stream.has_ended:
                        return
                    await changed.wait()
        finally:
            stream.followers.discard(changed)

    def end(self, session_id: str) -> None:
        """Drop all events of a session, and end its streams."""
        if session := self.sessions.pop(session_id, None):
            session.close()

    def trim(self) -> None:
        """Drop the oldest events of the greediest sessions beyond the limit."""
        while self.size > MAX_TOTAL_BYTES:
            max(self.sessions.values(), key=lambda session: session.size).drop_oldest()


class SessionEvents:
    """The events of one session."""

    def __init__(self, all_events: StoredEvents) -> None:
        self.size = 0
        """Bytes of the stored events."""
        self.streams: dict[str, _Stream] = {}
        """Streams that are not forgotten, by name."""
        self._all = all_events
        self._events: deque[_Event] = deque()

    def append(self, stream_number: str, number: int, text: bytes, *, is_last: bool) -> None:
        """Store an event of a stream; nothing for one that is forgotten."""
        stream = self.streams.get(stream_number)
        if stream is None:
            return
        text = bytes(memoryview(text))  # orjson gives bytes in a buffer of some KiB
        event = _Event(number, stream, text, self._all.clock.monotonic())
        self._events.append(event)
        self.size += event.size
        self._all.size += event.size
        stream.stored += 1
        stream.has_ended = is_last
        stream.wake()
        self.drop_expired()
        while len(self._events) > 1 and (len(self._events) > MAX_EVENTS or self.size > MAX_BYTES):
            self.drop_oldest()
        self._all.trim()

    def list_after(self, stream: _Stream, last: int) -> list[tuple[int, bytes]]:
        """Return number and text of each event of a stream after the number *last*."""
        return [(each.number, each.text) for each in self._events if each.stream is stream and each.number > last]

    def close(self) -> None:
        """Drop all events, and end all streams."""
        for stream in self.streams.values():
            stream.has_ended = True
            stream.wake()
        while self._events:
            self.drop_oldest()

    def drop_oldest(self) -> None:
        """Drop the oldest event."""
        event = self._events.popleft()
        self.size -= event.size
        self._all.size -= event.size
        event.stream.stored -= 1
        if event.stream.has_ended and not event.stream.stored:
            self.streams.pop(event.stream.number, None)

    def drop_expired(self) -> None:
        """Drop the events that are too old."""
        oldest = self._all.clock.monotonic() - MAX_AGE_S
        while self._events and self._events[0].stored_at < oldest:
            self.drop_oldest()
