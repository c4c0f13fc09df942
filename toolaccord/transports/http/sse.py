"""Server-sent events: streams whose request is cancelled, or whose client is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolaccord.transports.http.connection.limited_connection import EVENT_STREAM
from toolaccord.transports.mcp import jsonrpc

REQUEST_IDS = "request_ids"
"""The member of a scope's state with the ids of the requests in the body."""
STANDALONE = "0-"
"""Beginning of the ids of events on the standalone stream of a session."""


def is_standalone(fields: Mapping[str, str]) -> bool:
    """Return whether a request is for the standalone stream of a session."""
    return (fields.get("last-event-id") or STANDALONE).startswith(STANDALONE)


class StreamEnder:
    """Ends an event stream of *app* with an error event if the request is cancelled.

    Marks such a response, so that its connection can find out whether the client is gone.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        state = scope.setdefault("state", {})
        stream = _Stream(state, send)
        try:
            await self._app(scope, receive, stream.send)
        except asyncio.CancelledError:
            await stream.end([jsonrpc.stopping_response(request_id) for request_id in state.get(REQUEST_IDS, ())])
            raise


class _Stream:
    """A response in progress, which may be an event stream."""

    def __init__(self, state: MutableMapping[str, Any], send: Send) -> None:
        self._state = state
        self._send = send
        self._is_open_stream = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._is_open_stream = self._state[EVENT_STREAM] = _is_event_stream(message)
        elif not message.get("more_body", False):
            self._is_open_stream = False
        await self._send(message)

    async def end(self, responses: list[bytes]) -> None:
        """Send *responses* as the last events, if the stream is open."""
        if self._is_open_stream:
            events = b"".join(b"event: message\r\ndata: %b\r\n\r\n" % response for response in responses)
            await self.send({"type": "http.response.body", "body": events})


def _is_event_stream(response_start: Message) -> bool:
    return Headers(raw=response_start["headers"]).get("content-type", "").startswith("text/event-stream")
