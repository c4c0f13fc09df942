"""Responses of sessions: one event, or a stream that its client can resume."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Coroutine
from itertools import count
from typing import Any

from starlette.types import Receive, Scope, Send

from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject, encode_json
from toolaccord.sources.availability import report_failure
from toolaccord.timing.deadline import settle
from toolaccord.transports.http.disconnect import wait_for_disconnect
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.sessions.store import Event, SessionStore, StreamKey
from toolaccord.transports.http.sse import STANDALONE
from toolaccord.transports.mcp import request_meta

_PING_INTERVAL_S = 15.0
"""Seconds of silence after which a proxy may close a connection."""
_PING = b": ping\r\n\r\n"
_RETRY_MS = 1000
"""Milliseconds after which a client resumes a stream that ended without its response."""
_SHORT_WAIT_S = 0.05
"""Seconds after which a response becomes a stream."""
_MAX_UNSENT = 16
"""Events that wait for a connected client; then their sender waits, too."""
_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class Outbox:
    """Events that wait until their client takes them."""

    __slots__ = ("_news", "_room", "_unsent", "has_ended", "is_attached")

    def __init__(self) -> None:
        self.has_ended = False
        """True once no event follows those that wait."""
        self.is_attached = True
        """False once the client is gone."""
        self._unsent: list[bytes] = []
        self._news: asyncio.Future[bool] | None = None
        self._room: asyncio.Future[bool] | None = None

    @property
    def has_news(self) -> bool:
        """Return whether there is something to do for the connection."""
        return bool(self._unsent) or self.has_ended

    def put(self, event: bytes) -> None:
        """Let the client have an event, unless it is gone."""
        if self.is_attached:
            self._unsent.append(event)
            self.wake()

    def end(self) -> None:
        """Let the response end after the events that wait."""
        self.has_ended = True
        self.wake()

    async def wait_for_room(self) -> None:
        """Wait while the client is slow."""
        while self.is_attached and len(self._unsent) >= _MAX_UNSENT:
            self._room = asyncio.get_running_loop().create_future()
            await self._room

    def wake(self, _: object = None) -> None:
        """Let the connection look for news."""
        if self._news is not None:
            settle(self._news, True)

    async def wait(self, seconds: float) -> None:
        """Wait for news, but not for longer than *seconds*."""
        if self.has_news:
            return
        loop = asyncio.get_running_loop()
        self._news = loop.create_future()
        timer = loop.call_later(seconds, self.wake)
        try:
            await self._news
        finally:
            timer.cancel()
            self._news = None

    def take(self) -> bytes:
        """Return the events that wait."""
        events, self._unsent = b"".join(self._unsent), []
        self._make_room()
        return events

    def detach(self) -> None:
        """Keep no more events: the client is gone."""
        self.is_attached = False
        self._unsent = []
        self._make_room()

    def _make_room(self) -> None:
        if self._room is not None:
            settle(self._room, True)
            self._room = None


class ResponseStream(Outbox):
    """The messages in the response to one request, for its client and for the store.

    A response that is there at once has no id, and is not stored.
    """

    __slots__ = ("_count", "_is_lost", "_lock", "_request_id", "_store", "key")

    def __init__(self, store: SessionStore, session_id: str, request_id: str | int) -> None:
        super().__init__()
        self.key = StreamKey(session_id, "")
        """Its name, with a number once it is open."""
        self._store = store
        self._request_id = request_id
        self._count = 0
        self._lock = asyncio.Lock()
        self._is_lost = False

    @property
    def is_open(self) -> bool:
        """Return whether its events have ids."""
        return bool(self.key.number)

    async def open(self) -> None:
        """Give its events ids from now on, and store them, unless it has ended."""
        async with self._lock:
            if not self.is_open and not self.has_ended:
                self.key = self.key._replace(number=secrets.token_hex(8))
                await self._keep(self._store.start_stream(self.key, self._request_id))

    async def send(self, text: bytes) -> None:
        """Send a message beside the response, unless that is there."""
        await self.open()
        async with self._lock:
            if not self.has_ended:
                await self._add(text, is_last=False)

    async def finish(self, text: bytes | None) -> None:
        """Send the response; none if its session has ended."""
        async with self._lock:
            if text is not None and not self.has_ended:
                await self._add(text, is_last=True)
            self.end()

    async def _add(self, text: bytes, *, is_last: bool) -> None:
        self._count += 1
        if self.is_open:
            await self._keep(self._store.append(self.key, self._count, text, is_last=is_last))
            self.put(encode(text, f"{self.key.number}-{self._count}"))
        else:
            self.put(encode(text))

    async def _keep(self, storing: Coroutine[Any, Any, None]) -> None:
        """Store something. After a failure nobody can resume the stream, but its client goes on."""
        if self._is_lost:
            storing.close()
            return
        try:
            await storing
        except SourceError as error:
            report_failure(error)
            self._is_lost = True
            self._store.lose_stream(self.key)


class Standalone(Outbox):
    """The stream of a session that belongs to no request, with changes of resources.

    Several changes of a URI that the client has not taken yet become one event.
    """

    __slots__ = ("_numbers", "_uris")

    def __init__(self) -> None:
        super().__init__()
        self._uris: dict[str, None] = {}
        self._numbers = count(1)

    @property
    def has_news(self) -> bool:
        """Return whether there is something to do for the connection."""
        return bool(self._uris) or self.has_ended

    def note(self, uri: str) -> None:
        """Tell the client that a resource has changed."""
        self._uris[uri] = None
        self.wake()

    def take(self) -> bytes:
        """Return the events that wait."""
        uris, self._uris = self._uris, {}
        return b"".join(encode(_updated(uri), f"{STANDALONE}{next(self._numbers)}") for uri in uris)


async def replay(events: AsyncIterator[Event], outbox: Outbox) -> None:
    """Put the events of a stream into *outbox*, to the end of the stream."""
    try:
        async for event in events:
            outbox.put(encode(event.text, event.id))
            await outbox.wait_for_room()
    except SourceError as error:  # the client comes back, and learns why
        report_failure(error)
    finally:
        outbox.end()


async def respond(stream: ResponseStream, scope: Scope, receive: Receive, send: Send, *, max_s: float | None) -> None:
    """Send the response to a request: as one event, or after a short time in a stream.

    *max_s* are the seconds after which a stream ends; None for a client that cannot resume it, and 0 for no limit.
    """
    try:
        await stream.wait(_SHORT_WAIT_S)
        if not stream.is_open:
            await stream.open()
        if stream.is_open:
            priming = b"id: %b-0\r\ndata: \r\nretry: %d\r\n\r\n" % (stream.key.number.encode(), _RETRY_MS)
            first = b"" if max_s is None else priming
            await deliver(stream, scope, receive, send, max_s=max_s, first=first)
        else:
            await send_whole(stream.take(), stream.key.session, send)
    finally:
        stream.detach()


async def send_whole(events: bytes, session_id: str, send: Send) -> None:
    """Send a response whose events are all there."""
    headers = [*_HEADERS, (b"mcp-session-id", session_id.encode()), (b"content-length", b"%d" % len(events))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": events})


async def acknowledge(status: int, session_id: str, send: Send) -> None:
    """Send a response without a body."""
    headers = [(b"mcp-session-id", session_id.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def deliver(
    outbox: Outbox, scope: Scope, receive: Receive, send: Send, *, max_s: float | None = 0, first: bytes = b""
) -> None:
    """Send the events in *outbox* to a request of a session.

    End with them, with the connection or with the proof of the caller, and after *max_s* seconds if that is not 0.
    Without *max_s* the client cannot resume: its call was allowed when it came, and is answered without proof.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + (max_s or float("inf"))
    headers = [*_HEADERS, (b"mcp-session-id", read_fields(scope)["mcp-session-id"].encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if first:
        await send(_body(first, is_last=False))
    disconnect = asyncio.ensure_future(wait_for_disconnect(receive))
    disconnect.add_done_callback(outbox.wake)
    try:
        while not disconnect.done():
            await outbox.wait(min(_PING_INTERVAL_S, ends_at - loop.time()))
            may_read_on = max_s is None or await request_meta.may_read_on(scope)
            is_over = outbox.has_ended or loop.time() >= ends_at or not may_read_on
            events = outbox.take() if may_read_on else b""
            await send(_body(events or (b"" if is_over else _PING), is_last=is_over))
            if is_over:
                return
    finally:
        disconnect.cancel()
        outbox.detach()


def _body(content: bytes, *, is_last: bool) -> JsonObject:
    return {"type": "http.response.body", "body": content, "more_body": not is_last}


def encode(message: bytes, event_id: str = "") -> bytes:
    """Return a message as an event."""
    start = b"id: %b\r\n" % event_id.encode() if event_id else b""
    return b"%bevent: message\r\ndata: %b\r\n\r\n" % (start, message)


def _updated(uri: str) -> bytes:
    message = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
    return encode_json(message)
