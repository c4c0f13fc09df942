"""A connection that does not wait for ever, and that reads itself what nearly all callers send; the rest is h11's."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolpact.transports.http import plain_head
from toolpact.transports.http.body import WHOLE
from toolpact.transports.http.plain_cycle import PlainCycle
from toolpact.transports.http.plain_head import PlainHead

_BRIEF_S = 0.05
"""Seconds for which a body is awaited behind its head, as clients send them one after the other, before h11 does it."""
_BETWEEN = {h11.CLIENT: h11.IDLE, h11.SERVER: h11.IDLE}


class TimedProtocol(H11Protocol):
    """A connection that is closed when a request is not whole *slowest_s* seconds after its first byte.

    It makes no difference whether the request was answered by then: what is sent on after a refusal is not read for ever. uvicorn itself limits
    only the time between two requests.
    """

    def __init__(self, slowest_s: float, **given: Any) -> None:
        super().__init__(**given)
        self._slowest_s = slowest_s
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._rest()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP. Where the answer to a request has begun before all of it came, nothing more can be said."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _should_upgrade(self) -> bool:
        """Pass over an offer to speak something else, as some clients make with every request (RFC 9110, 7.8)."""
        return False

    def _watch(self) -> None:
        """Limit the time of a request that is not whole yet."""
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._rest()
        elif self._closing is None:
            self._closing = self.loop.call_later(self._slowest_s, self.transport.close)

    def _rest(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None


class PlainProtocol(TimedProtocol):
    """A connection that answers plain requests without h11, one at a time, and leaves all others to it."""

    def __init__(self, slowest_s: float, **given: Any) -> None:
        super().__init__(slowest_s, **given)
        self._held = b""
        """A plain request whose body is not whole; empty where there is none."""
        self._whole = 0
        """How many bytes it has when it is."""
        self._giving_up: asyncio.TimerHandle | None = None
        self._next = b""
        """What came before the request in hand was answered."""

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self._is_answering():
            self._next += data
            if len(self._next) > HIGH_WATER_LIMIT:  # while less is there, it is still read whether the client leaves
                self.flow.pause_reading()
        elif self._held:
            self._held += data
            if len(self._held) >= self._whole:
                self._take(self._release())
        elif self._is_between_requests():
            self._take(data)
        else:
            super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request, or take it if it is there."""
        super().on_response_complete()
        if self._next and not self.transport.is_closing():
            data, self._next = self._next, b""
            self.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._release()

    def shutdown(self) -> None:
        """End after the request in hand."""
        if self._held:
            self._leave()
        super().shutdown()

    def _is_answering(self) -> bool:
        return isinstance(self.cycle, PlainCycle) and not self.cycle.response_complete

    def _is_between_requests(self) -> bool:
        """Return whether h11 is at the beginning of a request, of which it has nothing."""
        return self.conn.states == _BETWEEN and not self.conn.trailing_data[0]

    def _take(self, data: bytes) -> None:
        head = plain_head.read(data)
        if head is None or len(data) > head.end:
            super().data_received(data)
        elif len(data) == head.end:
            self._serve(head, data[head.body :])
        else:
            self._hold(data, head.end)

    def _hold(self, data: bytes, whole: int) -> None:
        """Wait for the rest of *data*, but not for long: h11 has the application refuse, or wait, before a body is whole."""
        self._unset_keepalive_if_required()
        self._held, self._whole = data, whole
        self._giving_up = self.loop.call_later(_BRIEF_S, self._leave)

    def _leave(self) -> None:
        """Leave what is held to h11."""
        super().data_received(self._release())

    def _release(self) -> bytes:
        """Hold nothing any more; return what was held."""
        held, self._held = self._held, b""
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
        return held

    def _serve(self, head: PlainHead, body: bytes) -> None:
        """Have the application serve a request that is whole."""
        self._unset_keepalive_if_required()
        self._rest()
        path = head.path.decode("ascii")
        self.scope = {
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": "1.1",
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme or "http",
            "method": "POST",
            "root_path": "",
            "path": path,
            "raw_path": head.path,
            "query_string": head.query,
            "headers": head.headers,
            "state": self.app_state.copy(),
            "extensions": WHOLE,
        }
        self.cycle = PlainCycle(
            body,
            scope=self.scope,
            conn=self.conn,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            on_response=self.on_response_complete,
        )
        task = self.loop.create_task(self.cycle.run_asgi(self.app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)
