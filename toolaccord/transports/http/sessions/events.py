"""Events of sessions, stored for a while, so that a client can resume a broken stream."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

import mcp_types as types
from mcp.server.streamable_http import GET_STREAM_KEY, EventCallback, EventMessage, EventStore

from toolaccord.timing.clock import Clock
from toolaccord.transports.http.sse import STANDALONE

MAX_EVENTS = 1000
"""Events that one session stores."""
MAX_BYTES = 4 << 20
"""Bytes that one session stores; its newest event may be larger."""
MAX_TOTAL_BYTES = 64 << 20
"""Bytes that all sessions store."""
MAX_AGE_S = 300.0
"""Seconds for which an event can be replayed."""
_MAX_ID_CHARACTERS = 40
_STANDALONE_NUMBER = int(STANDALONE.rstrip("-"))
_EVENT_BYTES = 512
"""Bytes of an event beside its JSON text."""


@dataclass(slots=True, eq=False)
class _Stream:
    """A stream of one session: that of a request, or its standalone one."""

    number: int
    stored: int = 0
    """Number of its stored events."""
    has_ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with its next event, or at its end."""

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


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
        return len(self.text) + _EVENT_BYTES


class StoredEvents:
    """The events of all sessions of a process."""

    def __init__(self, clock: Clock, max_stream_s: float = 0) -> None:
        self.clock = clock
        self.max_stream_s = max_stream_s
        """Seconds after which a stream ends, and its client resumes it; 0 for no limit."""
        self.size = 0
        """Bytes of the stored events."""
        self.sessions: set[SessionEvents] = set()

    def open_session(self) -> SessionEvents:
        """Return the events of a new session."""
        session = SessionEvents(self)
        self.sessions.add(session)
        return session

    def trim(self) -> None:
        """Drop the oldest events of the greediest sessions beyond the limit."""
        while self.size > MAX_TOTAL_BYTES:
            max(self.sessions, key=lambda session: session.size).drop_oldest()


class SessionEvents(EventStore):
    """The events of one session. The SDK's ids of streams are unique within a session alone."""

    def __init__(self, all_events: StoredEvents) -> None:
        self.size = 0
        """Bytes of the stored events."""
        self._all = all_events
        self._events: deque[_Event] = deque()
        self._streams: dict[int, _Stream] = {}
        self._open: dict[str, _Stream] = {}
        """Streams that have not ended, by the SDK's ids: those of requests may be used again."""
        self._count = 0

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        """Store *message*, or start a stream without one; return the id of the event."""
        stream = self._open.get(stream_id)
        if stream is None or message is None:
            stream = self._start_stream(stream_id)
        self._count += 1
        if message is not None and self in self._all.sessions:
            self._add(stream, message)
            is_response = isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
            if is_response and stream_id != GET_STREAM_KEY:
                self._end(self._open.pop(stream_id))
        return f"{stream.number}-{self._count}"

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> None:
        """Send the events of a stream after an id, also future ones, until the stream ends.

        The SDK would take over after the stored ones, and lose what is sent meanwhile.
        """
        stream, last = self._find(last_event_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._all.max_stream_s or None):
                while stream is not None:
                    changed = stream.changed
                    for event in [each for each in self._events if each.stream is stream and each.number > last]:
                        message = types.jsonrpc_message_adapter.validate_json(event.text, by_name=False)
                        await send_callback(EventMessage(message, f"{stream.number}-{event.number}"))
                        last = event.number
                    if stream.has_ended and not changed.is_set():
                        return
                    await changed.wait()

    def can_resume(self, event_id: str) -> bool:
        """Return whether the stream of an event is known."""
        return self._find(event_id)[0] is not None

    def close(self) -> None:
        """Drop all events, and end all streams."""
        for stream in self._streams.values():
            self._end(stream)
        while self._events:
            self.drop_oldest()
        self._all.sessions.discard(self)

    def drop_oldest(self) -> None:
        """Drop the oldest event."""
        event = self._events.popleft()
        self.size -= event.size
        self._all.size -= event.size
        event.stream.stored -= 1
        if event.stream.has_ended and not event.stream.stored:
            del self._streams[event.stream.number]

    def _start_stream(self, stream_id: str) -> _Stream:
        if earlier := self._open.pop(stream_id, None):
            self._end(earlier)
            if not earlier.stored:
                del self._streams[earlier.number]
        stream = _Stream(_STANDALONE_NUMBER if stream_id == GET_STREAM_KEY else self._count + 1)
        self._streams[stream.number] = self._open[stream_id] = stream
        return stream

    def _end(self, stream: _Stream) -> None:
        stream.has_ended = True
        stream.wake()

    def _add(self, stream: _Stream, message: types.JSONRPCMessage) -> None:
        text = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        event = _Event(self._count, stream, text, self._all.clock.monotonic())
        self._events.append(event)
        self.size += event.size
        self._all.size += event.size
        stream.stored += 1
        stream.wake()
        self._drop_expired()
        while len(self._events) > 1 and (len(self._events) > MAX_EVENTS or self.size > MAX_BYTES):
            self.drop_oldest()
        self._all.trim()

    def _drop_expired(self) -> None:
        oldest = self._all.clock.monotonic() - MAX_AGE_S
        while self._events and self._events[0].stored_at < oldest:
            self.drop_oldest()

    def _find(self, event_id: str) -> tuple[_Stream | None, int]:
        """Return the stream of an event, if it is known, and the number of the event."""
        self._drop_expired()
        stream, _, number = event_id.partition("-")
        if not (stream.isdecimal() and number.isdecimal() and len(event_id) <= _MAX_ID_CHARACTERS):
            return None, 0
        return self._streams.get(int(stream)), int(number)
