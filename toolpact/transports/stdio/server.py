"""MCP on standard input and output: a message a line, and an answer to everything that has an id."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import orjson

from toolpact.call.pipeline import Pipeline
from toolpact.json_values import JsonObject
from toolpact.shutdown import StopSignal
from toolpact.timing.deadline import DeadlineTask
from toolpact.transports.mcp import jsonrpc
from toolpact.transports.mcp.fast_path import Uncommon
from toolpact.transports.mcp.jsonrpc import ProtocolError
from toolpact.transports.stdio.in_flight import Line, Outstanding
from toolpact.transports.stdio.line_io import LineReader, LineWriter, Wire
from toolpact.transports.stdio.session import Conversation

_LOG = logging.getLogger(__name__)
_FLUSH_S = 1.0
_MOST_UNREAD_BYTES = 1 << 22
_TURN = 64
"""Lines after which others have their turn."""
_NOTIFICATION = {"jsonrpc", "method", "params"}


async def serve(
    pipeline: Pipeline,
    wire: Wire,
    stop: StopSignal,
    *,
    drain_s: float,
    warm_up: Callable[[], None],
    reference: bool = False,
) -> None:
    """Serve until the input ends or *stop* asks for it, and the calls in flight are answered.

    They have *drain_s* seconds after the end of input, and the grace of *stop* once it asked; what still runs then is given up and refused,
    as it is when serving is cancelled. *warm_up* is called once, when the first list of tools or the first result is on its way. With *reference*,
    the SDK answers everything.
    """
    writer = LineWriter(wire.writing)
    connection = _Connection(pipeline, writer, Outstanding(warm_up), stop, reference=reference)
    reading = asyncio.create_task(LineReader(wire.reading, connection).read())
    asked = asyncio.create_task(stop.requested.wait())
    try:
        ends: set[asyncio.Future[Any]] = {reading, asked, connection.broken}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if connection.broken.done():
            connection.broken.result()
        if reading.done():
            reading.result()
        if not await _all_answered(connection, asked, drain_s, stop.patience.grace_s):
            _LOG.warning(
                "%s and calls in flight were given up", "a signal came" if asked.done() else "the input has ended"
            )
    finally:
        reading.cancel()
        asked.cancel()
        ending: set[asyncio.Future[Any]] = {
            reading,
            asked,
            *connection.given_up(),
            asyncio.ensure_future(writer.written()),
        }
        await asyncio.wait(ending, timeout=_FLUSH_S)


async def _all_answered(
    connection: _Connection, asked: asyncio.Task[Literal[True]], drain_s: float, grace_s: float
) -> bool:
    """Return whether all is answered *drain_s* seconds from now, or *grace_s* after the end was *asked* for."""
    answered = asyncio.create_task(connection.all_answered())
    try:
        await asyncio.wait({answered, asked}, timeout=drain_s, return_when=asyncio.FIRST_COMPLETED)
        if asked.done():  # hosts end the input first, and then the process
            await asyncio.wait({answered}, timeout=grace_s)
        return answered.done()
    finally:
        answered.cancel()


class _Connection:
    """Answers what one host says: the front what it can, the SDK the rest."""

    def __init__(
        self, pipeline: Pipeline, writer: LineWriter, outstanding: Outstanding, stop: StopSignal, *, reference: bool
    ) -> None:
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails when the SDK's server does."""
        self._pipeline = pipeline
        self._writer = writer
        self._outstanding = outstanding
        self._stop = stop
        self._conversation = None if reference else Conversation(pipeline)
        self._calls: dict[Line, tuple[str | int, DeadlineTask[Any]]] = {}
        self._left: asyncio.Queue[Line] | None = None
        self._behind: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether there are too many calls in flight, or answers that nobody reads."""
        return self._outstanding.full or self._writer.backlog_bytes > _MOST_UNREAD_BYTES

    async def room(self) -> None:
        """Wait until more may be read."""
        await self._outstanding.room()
        if self._writer.backlog_bytes > _MOST_UNREAD_BYTES:
            await self._writer.written()

    async def all_answered(self) -> None:
        """Wait until no request waits for its answer, and the host has them all."""
        await self._outstanding.none()
        await self._writer.written()

    def given_up(self) -> list[asyncio.Task[Any]]:
        """Refuse what waits for its answer, give up what still runs, and return what has to end yet; how it does is no news."""
        self.broken.cancel()
        for line in self._outstanding.unanswered():
            for given in jsonrpc.ids(line.text):
                self._writer.write(jsonrpc.stopping(given))
        self._writer.end()
        for _, call in [*self._calls.values()]:
            call.abandon()
        if self._behind is None:
            return []
        self._behind.cancel()
        return [self._behind]

    def take(self, lines: Sequence[bytes]) -> int:
        """Answer *lines*, now or when the answers are there, as far as there is room for them and it is not the turn of others; return how many were taken."""
        turn = lines[:_TURN]
        with self._writer.together():
            for count, line in enumerate(turn, 1):
                if line.strip():
                    self._take(line)
                if self.is_full:
                    return count
        return len(turn)

    def _take(self, line: bytes) -> None:
        """Answer *line*, now or when the answer is there."""
        if self._conversation is None:
            self._leave(line)
            return
        try:
            message = orjson.loads(line)
            if type(message) is dict and "id" not in message:
                self._notice(self._conversation, message)
            else:
                self._ask(self._conversation, message, line)
        except orjson.JSONDecodeError:
            self._conversation.unread()
            self._leave(line)
        except Uncommon:
            self._leave(line)

    def _ask(self, conversation: Conversation, message: Any, text: bytes) -> None:
        """Answer a request. Raises Uncommon."""
        if self._stop.requested.is_set():
            self._refuse(message)
            return
        line = Line(text)
        try:
            given, result = conversation.answer(message, partial(self._heard, line, message))
        except ProtocolError as error:
            self._writer.write(error.answer(message["id"]))
            return
        if isinstance(result, bytes):
            self._writer.write(jsonrpc.success(given, result))
            self._outstanding.answered(message["method"])
        else:
            self._outstanding.began(line)
            self._calls[line] = given, result

    def _heard(self, line: Line, message: JsonObject, result: bytes | None) -> None:
        """Write the *result* of a call; nobody hears of one that was given up."""
        given, _ = self._calls.pop(line)
        if result is None:
            self._outstanding.ended(line, "")
            return
        self._writer.write(jsonrpc.success(given, result), at_once=not self._calls)
        self._outstanding.ended(line, message["method"])

    def _refuse(self, message: Any) -> None:
        """Refuse a request that comes too late. Raises Uncommon for what is none."""
        given = message.get("id") if type(message) is dict else None
        if type(given) not in {int, str} or type(message.get("method")) is not str:
            raise Uncommon
        self._writer.write(jsonrpc.stopping(given))

    def _notice(self, conversation: Conversation, message: JsonObject) -> None:
        """Take a notification. Raises Uncommon."""
        method, params = message.get("method"), message.get("params", {})
        usual = message.keys() <= _NOTIFICATION and type(method) is str and type(params) is dict
        if not usual or message.get("jsonrpc") != "2.0":
            raise Uncommon
        if method == "notifications/cancelled":
            self._cancel(params.get("requestId"))
            return
        conversation.notice(str(method))

    def _cancel(self, given: Any) -> None:
        """Give up the request *given*. Raises Uncommon where it may be one of the SDK's."""
        calls = [
            call for known, call in self._calls.values() if type(given) in {int, str} and _key(known) == _key(given)
        ]
        if calls:
            calls[-1].abandon()  # the latest, where an id was used again
        elif self._behind is not None:
            raise Uncommon

    def _leave(self, line: bytes) -> None:
        """Leave *line* to the SDK, which is told first what was said meanwhile."""
        if self._left is None:
            self._left = asyncio.Queue()
            self._behind = asyncio.create_task(self._serve_behind(self._left))
            self._behind.add_done_callback(self._ended)
        for message in self._conversation.untold() if self._conversation else ():
            self._put(self._left, Line(orjson.dumps(message), opening=True))
        self._put(self._left, Line(line))

    def _put(self, left: asyncio.Queue[Line], line: Line) -> None:
        self._outstanding.began(line)
        left.put_nowait(line)

    async def _serve_behind(self, left: asyncio.Queue[Line]) -> None:
        """Have the SDK answer what is left to it."""
        reference = await asyncio.to_thread(importlib.import_module, "toolpact.transports.stdio.sdk_fallback")
        await reference.serve(self._pipeline, left, self._writer, self._outstanding, self._stop)

    def _ended(self, behind: asyncio.Task[None]) -> None:
        if not behind.cancelled() and (error := behind.exception()):
            if self.broken.done():
                _LOG.debug("the SDK's server was cut short", exc_info=error)
            else:
                self.broken.set_exception(error)


def _key(given: str | int) -> str | int:
    """Return *given* as ids are compared: an integer may come back as text."""
    try:
        return int(given)
    except ValueError:
        return given
