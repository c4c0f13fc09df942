"""Connection of one client: answers its frames, in the order in which calls end."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from toolaccord.call.context import IncomingCall
from toolaccord.call.pipeline import Pipeline, RunningCall
from toolaccord.call.response import Answer
from toolaccord.errors import UnknownTool
from toolaccord.schema.value_count import has_more_values
from toolaccord.shutdown import StopSignal
from toolaccord.telemetry.correlation import resolve_corr_id
from toolaccord.timing.clock import Clock
from toolaccord.transports.content_length.access import KeyCheck
from toolaccord.transports.content_length.frames import Frame
from toolaccord.transports.content_length.request_log import Received, log_request
from toolaccord.transports.content_length.requests import Rejected, Request, read_request
from toolaccord.transports.content_length.responses import Response, ResponseBuilder
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.streams.connection import Connection
from toolaccord.transports.streams.in_flight import InFlight, Message
from toolaccord.transports.streams.writer import Writer

_NOTIFICATION = {
    "code": jsonrpc.INVALID_REQUEST,
    "message": "The message has no id, so it is ignored: JSON-RPC forbids an answer.",
}


class FramedConnection(Connection[Frame]):
    """Answers the requests of one client by the pipeline."""

    def __init__(
        self, pipeline: Pipeline, writer: Writer, in_flight: InFlight, stop: StopSignal, access: KeyCheck, clock: Clock
    ) -> None:
        super().__init__(writer, in_flight)
        self._pipeline = pipeline
        self._stop = stop
        self._access = access
        self._clock = clock
        self._responses = ResponseBuilder(pipeline.server.dialect)
        self._calls: dict[Message, tuple[Received, str, RunningCall]] = {}
        """Request, correlation id and task of each running call."""

    def abandon_calls(self) -> list[asyncio.Task[Any]]:
        """Send an error response to each request in flight, and abandon its call.

        Returns no tasks.
        """
        running = [*self._calls.values()]
        for received, corr_id, _ in running:
            self._reject(received, _stopping(received.request_id), corr_id)
        self._writer.close()
        for _, _, call in running:
            call.abandon()
        return []

    def _handle(self, frame: Frame) -> None:
        received = Received(None, None, self._clock.monotonic())
        try:
            request = read_request(frame)
        except Rejected as rejected:
            self._reject(received._replace(request_id=rejected.request_id), rejected, resolve_corr_id(None))
            return
        received = Received(request.id, request.method, received.at)
        if request.id is None:
            log_request(received, self._clock.monotonic() - received.at, resolve_corr_id(None), _NOTIFICATION)
        else:
            self._handle_request(received, request)

    def _handle_request(self, received: Received, request: Request) -> None:
        """Answer *request*, now or when its call ends."""
        meta = request.params.get("_meta")
        try:
            call = self._receive(request)
        except Rejected as rejected:
            self._reject(received, rejected, resolve_corr_id(meta if type(meta) is dict else None))
            return
        message = Message(request.text)
        started = self._pipeline.start(call, partial(self._on_answer, message))
        if isinstance(started, Answer):
            self._respond(received, self._responses.answer(request.id, started))
            self._in_flight.note_answer(request.method)
        else:
            self._in_flight.add(message)
            self._calls[message] = received, call.corr_id, started

    def _receive(self, request: Request) -> IncomingCall:
        """Return the call that *request* makes. Raises Rejected."""
        if self._stop.requested.is_set():
            raise _stopping(request.id)
        params = request.params
        if not self._access.take_key(params):
            raise Rejected("access", "The request has no valid key.", request.id)
        meta = params.pop("_meta", {})
        try:
            call = self._pipeline.receive(request.method, params, meta if type(meta) is dict else None)
        except UnknownTool:
            raise Rejected("unknown_tool", "The server has no such method.", request.id) from None
        if type(meta) is not dict or has_more_values(meta, jsonrpc.MAX_MEMBERS):
            message = f"_meta is no object, or holds more than {jsonrpc.MAX_MEMBERS} values."
            raise Rejected("arguments", message, request.id)
        return call

    def _on_answer(self, message: Message, answer: Answer | None) -> None:
        """Respond with the *answer* to a call; an abandoned call has none."""
        received, _, _ = self._calls.pop(message)
        if answer is None:
            self._in_flight.remove(message, None)
            return
        self._respond(received, self._responses.answer(received.request_id, answer), at_once=not self._calls)
        self._in_flight.remove(message, received.method)

    def _reject(self, received: Received, rejected: Rejected, corr_id: str) -> None:
        self._respond(received, self._responses.reject(rejected, corr_id))

    def _respond(self, received: Received, response: Response, *, at_once: bool = False) -> None:
        """Write *response*, and log the request."""
        self._writer.write(response.body, at_once=at_once)
        log_request(received, self._clock.monotonic() - received.at, response.corr_id, response.error)


def _stopping(request_id: str | int | None) -> Rejected:
    return Rejected("internal", "The server is stopping.", request_id)
