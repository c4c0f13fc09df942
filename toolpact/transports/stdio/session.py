"""The state of one connection on stdio, and which of its messages the front answers."""

from __future__ import annotations

from typing import Any

from toolpact.call.pipeline import Pipeline
from toolpact.json_values import JsonObject
from toolpact.transports.mcp import request_shapes
from toolpact.transports.mcp.fast_path import (
    Asker,
    Front,
    HandshakeFront,
    Hear,
    Request,
    Result,
    StatelessFront,
    Uncommon,
    read,
)

_OPENING = "the front's own"
"""The id of the request that opens a connection anew."""


class Conversation:
    """What a host and the front have said so far. The first request decides the era."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._front: Front | None = None
        self._asker = Asker()
        self._over = False
        self._ready = False
        self._untold: list[JsonObject] = []

    def untold(self) -> list[JsonObject]:
        """Return the messages that bring the SDK to where this conversation is, and that it was not told yet."""
        untold, self._untold = self._untold, []
        return untold

    def answer(self, message: Any, hear: Hear) -> tuple[str | int, Result]:
        """Return the id of the request that *message* is, and its result, or have *hear* called with that.

        Raises Uncommon for what is left to the SDK, and ProtocolError where it answers with an error.
        """
        if self._over:
            raise Uncommon
        try:
            request = read(message)
            if self._front is None or request.method == "initialize":
                return request.given, self._opened(request, hear)
        except Uncommon:
            if self._front is None:  # what the SDK makes of the first request, nobody else can know
                self._over = True
            raise
        return request.given, self._front.answer(request, self._asker, hear)

    def unread(self) -> None:
        """Take note of a line that only the SDK may be able to read: what it makes of the first one, nobody else can know."""
        self._over = self._over or self._front is None

    def notice(self, method: str) -> None:
        """Take note of a notification. Raises Uncommon for what is left to the SDK."""
        if self._over or self._front is None:
            self._over = True
            raise Uncommon
        if method == "notifications/initialized" and isinstance(self._front, HandshakeFront) and not self._ready:
            self._ready = True
            self._untold.append({"jsonrpc": "2.0", "method": method})

    def _opened(self, request: Request, hear: Hear) -> Result:
        """Return the result of the first request, or of an `initialize`. Raises Uncommon."""
        if request.method == "initialize":
            return self._shaken(request)
        front = StatelessFront(self._pipeline)
        if not request_shapes.is_envelope(request.meta):
            raise Uncommon
        self._front = front
        self._untold = [_request("server/discover", {"_meta": request.meta})]
        return front.answer(request, self._asker, hear)

    def _shaken(self, request: Request) -> Result:
        """Return the result of `initialize`; one that comes later is the SDK's, and all that follows it. Raises Uncommon."""
        if self._front is not None:
            self._over = isinstance(self._front, HandshakeFront)
            raise Uncommon
        front = HandshakeFront(self._pipeline)
        result, name = front.initialized(request)
        self._front, self._asker = front, Asker(name)
        meta = {} if request.meta is None else {"_meta": request.meta}
        self._untold = [_request("initialize", request.params | meta)]
        return result


def _request(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": _OPENING, "method": method, "params": params}
