"""Sessions as data, and the stores that keep them and the events that they sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import orjson

from toolaccord.json_values import JsonObject
from toolaccord.sources import Source

_SCOPE, _URI = "scope:", "uri:"
"""Beginnings of the names of fields, of which each stands for one scope or URI."""
Kind: TypeAlias = Literal["response", "cancelled", "changed", "listening", "ended"]
"""The kinds of news of a session.

- response: the client has answered an ask;
- cancelled: it has cancelled a request;
- changed: the record is another one;
- listening: the client has opened its standalone stream at another process;
- ended: the session is gone.
"""


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session, as every process that serves it sees it."""

    id: str
    """Its id, which nobody guesses."""
    caller: str
    """The proven identity of the caller who opened it, or else an address."""
    fields: Mapping[str, str]
    """Values that its requests have left, by name."""

    @cached_property
    def params(self) -> JsonObject:
        """The parameters of `initialize`."""
        params: JsonObject = orjson.loads(self.fields["params"])
        return params

    @property
    def version(self) -> str:
        """The version of the protocol."""
        return self.fields["version"]

    @property
    def level(self) -> str | None:
        """The least level of log messages that the client wants; None if it has set none."""
        return self.fields.get("level")

    @cached_property
    def scopes(self) -> frozenset[str]:
        """Scopes that its requests needed: a client that resumes a stream reads their responses."""
        return self._named(_SCOPE)

    @cached_property
    def uris(self) -> frozenset[str]:
        """URIs of resources of whose changes the client hears."""
        return self._named(_URI)

    def _named(self, prefix: str) -> frozenset[str]:
        return frozenset(name.removeprefix(prefix) for name in self.fields if name.startswith(prefix))


@dataclass(frozen=True, slots=True)
class Change:
    """A change of some fields of a session, which undoes no other change at the same time."""

    put: Mapping[str, str]
    """Values of new and of replaced fields."""
    drop: Collection[str] = ()
    """Names of fields that end."""

    @classmethod
    def scopes(cls, scopes: Iterable[str]) -> Change:
        """Return the addition of *scopes*."""
        return cls({f"{_SCOPE}{scope}": "" for scope in scopes})

    @classmethod
    def subscribed(cls, uri: str) -> Change:
        """Return the addition of a subscription."""
        return cls({f"{_URI}{uri}": ""})

    @classmethod
    def unsubscribed(cls, uri: str) -> Change:
        """Return the end of a subscription."""
        return cls({}, (f"{_URI}{uri}",))


class StreamKey(NamedTuple):
    """The name of the stream of one request."""

    session: str
    """Id of its session."""
    number: str
    """Its name within the session."""


class Event(NamedTuple):
    """An event of a stream."""

    id: str
    """Its id, which a client repeats to get the next ones."""
    text: bytes
    """The message as JSON."""


class Message(NamedTuple):
    """News for the other processes that serve a session."""

    session: str
    """Id of the session."""
    kind: Kind
    """The kind of the news."""
    value: Any = None
    """The response, or the id of the cancelled request."""


class Holder(Protocol):
    """The sessions that a process serves at this time, as their store sees them."""

    def is_busy(self, session_id: str) -> bool:
        """Return whether a session has running requests or open streams."""

    def busy_sessions(self) -> Collection[str]:
        """Return the ids of the sessions with running requests or open streams."""

    def end(self, session_id: str) -> None:
        """End all of a session that is no longer kept."""

    async def heed(self, message: Message) -> None:
        """Do what another process has asked for. Raises SourceError."""

    def hear(self, uri: str) -> None:
        """Tell clients of a resource that was changed by another process."""


class SessionStore(Protocol):
    """Sessions and their events. Each coroutine raises SourceError if the store does not answer."""

    process: str
    """Beginning of the ids of asks of this process."""
    is_shared: bool
    """True if other processes serve the same sessions."""
    source: Source | None
    """The system that keeps them; None for the memory of this process."""

    async def open(self, holder: Holder) -> None:
        """Prepare for *holder*; called once, before anything else. Raises nothing."""

    async def close(self) -> None:
        """Release what this process holds. Raises nothing."""

    async def create(self, session: Session) -> bool:
        """Keep a new session; return False if all are taken.

        A caller with few sessions takes the place of an idle one of the caller with the most.
        """

    async def find(self, session_id: str, caller: str) -> Session | None:
        """Return a session of *caller*, whose idle time begins anew; None if it has none of that id."""

    def touch(self, session_id: str) -> None:
        """Let the idle time of a session begin anew."""

    async def change(self, session: Session, change: Change) -> Session:
        """Make a change of a session, unless it has ended; return the session with it."""

    async def delete(self, session_id: str) -> None:
        """End a session in all processes."""

    async def tell(self, message: Message, process: str | None = None) -> bool:
        """Tell the other processes that serve a session, or one of them.

        Return False if that one does not serve it.
        """

    async def report(self, uri: str) -> None:
        """Tell all other processes that a resource has changed."""

    def count(self) -> int:
        """Return the number of sessions that this process knows."""

    async def start_stream(self, key: StreamKey, request_id: str | int) -> None:
        """Prepare for the events of a request."""

    async def append(self, key: StreamKey, number: int, text: bytes, *, is_last: bool) -> None:
        """Store the event *number* of a stream."""

    def lose_stream(self, key: StreamKey) -> None:
        """Let nobody wait for a stream of which an event could not be stored."""

    async def can_resume(self, session_id: str, event_id: str) -> bool:
        """Return whether the stream of an event is known."""

    def follow(self, session_id: str, event_id: str) -> AsyncIterator[Event]:
        """Yield the events of a stream after an id, also future ones, until the stream ends."""


def split_event_id(event_id: str) -> tuple[str, int] | None:
    """Return the stream and the number in the id of an event; None for what is no id."""
    stream, _, number = event_id.rpartition("-")
    is_id = stream.isalnum() and event_id.isascii() and number.isdecimal() and len(event_id) <= _MAX_ID_CHARACTERS
    return (stream, int(number)) if is_id else None


_MAX_ID_CHARACTERS = 60
