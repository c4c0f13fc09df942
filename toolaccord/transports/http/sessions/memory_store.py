"""Sessions in the memory of one process, which end when they are idle for too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from itertools import takewhile

from toolaccord.config.session_settings import SessionLimits
from toolaccord.sources import Source
from toolaccord.timing.clock import Clock
from toolaccord.transports.http.sessions.events import StoredEvents
from toolaccord.transports.http.sessions.store import Change, Event, Holder, Message, Session, StreamKey


@dataclass(slots=True)
class _Kept:
    session: Session
    used_at: float
    """Monotonic time in seconds of the last request."""


class MemoryStore:
    """Sessions of one process. Most operations end those that are idle for too long."""

    is_shared = False
    source: Source | None = None
    process = "ask"

    def __init__(self, limits: SessionLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        """Sessions by id, the least recently used first."""
        self.events = StoredEvents(clock)
        """The events that the sessions have sent."""

    async def open(self, holder: Holder) -> None:
        """Prepare for *holder*."""
        self._holder = holder

    async def close(self) -> None:
        """End all sessions."""
        self._kept.clear()

    async def create(self, session: Session) -> bool:
        """Keep a new session; return False if all are taken."""
        if self.count() >= self._limits.max_sessions and not self._make_room(session.caller):
            return False
        self._kept[session.id] = _Kept(session, self._clock.monotonic())
        return True

    async def find(self, session_id: str, caller: str) -> Session | None:
        """Return a session of *caller*, whose idle time begins anew."""
        self._end_idle()
        kept = self._kept.get(session_id)
        if kept is None or kept.session.caller != caller:
            return None
        self.touch(session_id)
        return kept.session

    def touch(self, session_id: str) -> None:
        """Let the idle time of a session begin anew."""
        if kept := self._kept.pop(session_id, None):
            kept.used_at = self._clock.monotonic()
            self._kept[session_id] = kept

    async def change(self, session: Session, change: Change) -> Session:
        """Make a change of a session, unless it has ended; return the session with it."""
        kept = self._kept.get(session.id)
        if kept is None:
            return session
        fields = {name: value for name, value in kept.session.fields.items() if name not in change.drop}
        kept.session = replace(kept.session, fields={**fields, **change.put})
        return kept.session

    async def delete(self, session_id: str) -> None:
        """End a session."""
        self._end(session_id)

    async def tell(self, message: Message, process: str | None = None) -> bool:  # noqa: ARG002 - there is no other
        """Return False: no other process serves the session."""
        return False

    async def report(self, uri: str) -> None:
        """Do nothing: there is no other process."""

    def count(self) -> int:
        """Return the number of sessions."""
        self._end_idle()
        return len(self._kept)

    async def start_stream(self, key: StreamKey, request_id: str | int) -> None:  # noqa: ARG002 - for others alone
        """Prepare for the events of a request."""
        if key.session in self._kept:
            self.events.start(key)

    async def append(self, key: StreamKey, number: int, text: bytes, *, is_last: bool) -> None:
        """Store the event *number* of a stream."""
        self.events.append(key, number, text, is_last=is_last)

    def lose_stream(self, key: StreamKey) -> None:
        """Do nothing: memory stores every event."""

    async def can_resume(self, session_id: str, event_id: str) -> bool:
        """Return whether the stream of an event is known."""
        return self.events.find(session_id, event_id) is not None

    def follow(self, session_id: str, event_id: str) -> AsyncIterator[Event]:
        """Yield the events of a stream after an id, also future ones, until the stream ends."""
        return self.events.follow(session_id, event_id)

    def _make_room(self, caller: str) -> bool:
        """End an idle session of the caller with the most, if *caller* has fewer; say if one did."""
        counts = Counter(kept.session.caller for kept in self._kept.values())
        greediest, most = counts.most_common(1)[0]
        if most <= counts[caller] + 1:
            return False
        of_greediest = (each for each, kept in self._kept.items() if kept.session.caller == greediest)
        idle = next((each for each in of_greediest if not self._holder.is_busy(each)), None)
        if idle is not None:
            self._end(idle)
        return idle is not None

    def _end_idle(self) -> None:
        """End the sessions that are idle for too long."""
        oldest = self._clock.monotonic() - self._limits.idle_s
        late = takewhile(lambda each: self._kept[each].used_at <= oldest, self._kept)
        for session_id in [*late]:
            if self._holder.is_busy(session_id):
                self.touch(session_id)
            else:
                self._end(session_id)

    def _end(self, session_id: str) -> None:
        self._kept.pop(session_id, None)
        self.events.end(session_id)
        self._holder.end(session_id)
