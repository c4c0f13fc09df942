"""The end of an event stream whose call is given up: the error that answers the request, instead of a cut."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolpact.transports.http.body import replayed
from toolpact.transports.mcp import jsonrpc


class EndedStreams:
    """Passes requests on to *app*, whose bodies come whole; where one is cancelled after its stream has begun, ends the stream."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        body: bytes = (await receive())["body"]
        stream = _Stream(send)
        try:
            await self._app(scope, replayed(body, receive), stream.send)
        except asyncio.CancelledError:
            await stream.end([jsonrpc.stopping_response(given) for given in jsonrpc.request_ids(body)])
            raise


class _Stream:
    """What is sent, and whether it is a stream of events that goes on."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun: Message | None = None
        self._goes_on = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun, self._goes_on = message, True
        else:
            self._goes_on = message.get("more_body", False)
        await self._send(message)

    async def end(self, answers: list[bytes]) -> None:
        """Send *answers* and the end, if the stream goes on."""
        if self._goes_on and self._begun is not None and _is_stream(self._begun):
            events = b"".join(b"event: message\r\ndata: %b\r\n\r\n" % answer for answer in answers)
            await self.send({"type": "http.response.body", "body": events})


def _is_stream(begun: Message) -> bool:
    return Headers(raw=begun["headers"]).get("content-type", "").startswith("text/event-stream")
