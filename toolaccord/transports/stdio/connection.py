"""Connection of one host: answers its lines on the fast path or by the SDK."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.call.pipeline import Pipeline
from toolaccord.json_values import JsonObject
from toolaccord.shutdown import StopSignal
from toolaccord.timing.deadline import DeadlineTask
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.requests import NeedsSdk, Outcome
from toolaccord.transports.stdio.lines import Line, OversizedLine
from toolaccord.transports.stdio.session import Session
from toolaccord.transports.streams.connection import Connection
from toolaccord.transports.streams.in_flight import InFlight, Message
from toolaccord.transports.streams.writer import Writer

if TYPE_CHECKING:  # a server without tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls

_LOG = logging.getLogger(__name__)
_NOTIFICATION_MEMBERS = {"jsonrpc", "method", "params"}


class StdioConnection(Connection[Line]):
    """Answers the messages of one host: common ones on the fast path, the others by the SDK."""

    def __init__(
        self,
        pipeline: Pipeline,
        writer: Writer,
        in_flight: InFlight,
        stop: StopSignal,
        tasks: TaskCalls | None = None,
        *,
        reference: bool,
    ) -> None:
        super().__init__(writer, in_flight)
        self._sdk_failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails when the SDK's server fails."""
        self._pipeline = pipeline
        self._stop = stop
        self._tasks = tasks
        self._session = None if reference else Session(pipeline, tasks)
        self._calls: dict[Message, tuple[str | int, DeadlineTask[Any]]] = {}
        """Request id and task of each running call."""
        self._sdk_queue: asyncio.Queue[Message] | None = None
        self._sdk_task: asyncio.Task[None] | None = None

    @property
    def failures(self) -> Sequence[asyncio.Future[None]]:
        """Futures that fail when the connection cannot go on."""
        return (self._sdk_failure,)

    async def wait_until_answered(self) -> None:
        """Wait until every request is answered; those that wait for changes are answered now."""
        self._pipeline.changes.end()
        await super().wait_until_answered()

    def abandon_calls(self) -> list[asyncio.Task[Any]]:
        """Send an error response to each request in flight, and abandon its call.

        Returns the tasks that still have to end.
        """
        self._sdk_failure.cancel()
        for line in self._in_flight.host_messages():
            for request_id in jsonrpc.request_ids(line.text):
                self._writer.write(jsonrpc.stopping_response(request_id))
        self._writer.close()
        for _, call in [*self._calls.values()]:
            call.abandon()
        if self._sdk_task is None:
            return []
        self._sdk_task.cancel()
        return [self._sdk_task]

    def _handle(self, line: Line) -> None:
        if isinstance(line, OversizedLine):
            message = f"Invalid request: the line is longer than {line.max_bytes} bytes (MCP_MAX_BODY_BYTES)"
            self._writer.write(jsonrpc.error_response(None, jsonrpc.INVALID_REQUEST, message))
        elif line.strip():
            self._handle_line(line)

    def _handle_line(self, line: bytes) -> None:
        if self._session is None:
            self._pass_to_sdk(line)
            return
        try:
            message = orjson.loads(line)
        except orjson.JSONDecodeError:
            self._session.note_unreadable_line()
            self._pass_to_sdk(line)
            return
        try:
            if type(message) is dict and "id" not in message:
                self._handle_notification(self._session, message)
            else:
                self._handle_request(self._session, message, line)
        except NeedsSdk:
            if jsonrpc.is_oversized(message, self._max_arguments):  # here, since the SDK's side would parse it again
                self._writer.write(jsonrpc.oversized_response(message))
            else:
                self._pass_to_sdk(line)

    @cached_property
    def _max_arguments(self) -> int:
        """Number of members and items that the arguments of a call may hold."""
        return jsonrpc.max_argument_values(self._pipeline.server)

    def _handle_request(self, session: Session, message: Any, text: bytes) -> None:
        """Answer a request, now or when its call ends. Raises NeedsSdk."""
        if self._stop.requested.is_set():
            self._reject_after_stop(message)
            return
        line = Message(text)
        try:
            request_id, result = session.answer(message, partial(self._on_result, line, message))
        except ProtocolError as error:
            self._writer.write(error.to_response(message["id"]))
            return
        if isinstance(result, bytes):
            self._writer.write(jsonrpc.result_response(request_id, result))
            self._in_flight.note_answer(message["method"])
        else:
            self._in_flight.add(line)
            self._calls[line] = request_id, result

    def _on_result(self, line: Message, message: JsonObject, outcome: Outcome | None) -> None:
        """Write the *outcome* of a request; an abandoned one has none."""
        request_id, _ = self._calls.pop(line)
        if outcome is None:
            self._in_flight.remove(line, None)
            return
        self._writer.write(jsonrpc.response(request_id, outcome), at_once=not self._calls)
        self._in_flight.remove(line, message["method"])

    def _reject_after_stop(self, message: Any) -> None:
        """Reject a request that arrives after a stop. Raises NeedsSdk if *message* is not a request."""
        request_id = message.get("id") if type(message) is dict else None
        if type(request_id) not in {int, str} or type(message.get("method")) is not str:
            raise NeedsSdk
        self._writer.write(jsonrpc.stopping_response(request_id))

    def _handle_notification(self, session: Session, message: JsonObject) -> None:
        """Handle a notification. Raises NeedsSdk."""
        method, params = message.get("method"), message.get("params", {})
        is_common = message.keys() <= _NOTIFICATION_MEMBERS and type(method) is str and type(params) is dict
        if not is_common or message.get("jsonrpc") != "2.0":
            raise NeedsSdk
        if method == "notifications/cancelled":
            self._cancel(params.get("requestId"))
            return
        session.note_notification(str(method))

    def _cancel(self, request_id: Any) -> None:
        """Abandon the call of a request. Raises NeedsSdk if the request may be one of the SDK's."""
        calls = [
            call
            for known_id, call in self._calls.values()
            if type(request_id) in {int, str} and _comparable_id(known_id) == _comparable_id(request_id)
        ]
        if calls:
            calls[-1].abandon()  # the latest, if an id was used again
        elif self._sdk_task is not None:
            raise NeedsSdk

    def _pass_to_sdk(self, line: bytes) -> None:
        """Leave *line* to the SDK, after the messages that bring it to the state of the session."""
        if self._sdk_queue is None:
            self._sdk_queue = asyncio.Queue()
            self._sdk_task = asyncio.create_task(self._run_sdk(self._sdk_queue))
            self._sdk_task.add_done_callback(self._on_sdk_end)
        for message in self._session.take_replay() if self._session else ():
            self._enqueue(self._sdk_queue, Message(orjson.dumps(message), is_replay=True))
        self._enqueue(self._sdk_queue, Message(line))

    def _enqueue(self, queue: asyncio.Queue[Message], line: Message) -> None:
        self._in_flight.add(line)
        queue.put_nowait(line)

    async def _run_sdk(self, queue: asyncio.Queue[Message]) -> None:
        """Load the SDK in a thread, and have it answer the lines of *queue*."""
        sdk_fallback = await asyncio.to_thread(importlib.import_module, "toolaccord.transports.stdio.sdk_fallback")
        await sdk_fallback.serve(self._pipeline, queue, self._writer, self._in_flight, self._stop, self._tasks)

    def _on_sdk_end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            if self._sdk_failure.done():
                _LOG.debug("the SDK's server was cut short", exc_info=error)
            else:
                self._sdk_failure.set_exception(error)


def _comparable_id(request_id: str | int) -> str | int:
    """Return an id in a form for comparison: a host may send an integer back as text."""
    try:
        return int(request_id)
    except ValueError:
        return request_id
