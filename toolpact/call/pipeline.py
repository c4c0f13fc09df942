"""The one path of a call, from arguments to answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, date
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel

from toolpact.call import error_mapping, response
from toolpact.call.cache import Found
from toolpact.call.context import Asked, BoundTool
from toolpact.call.error_mapping import Failure
from toolpact.call.execution import Due, Handling
from toolpact.call.response import Answer, Answers
from toolpact.declarations.tool import Server
from toolpact.errors import UnknownTool
from toolpact.handler import Progress
from toolpact.json_values import JsonObject
from toolpact.sources import Source
from toolpact.telemetry import json_logs
from toolpact.telemetry.call_status import CallStatus
from toolpact.timing.clock import Clock, SystemClock
from toolpact.timing.deadline import Deadlines, Work, settle
from toolpact.versioning import lifecycle
from toolpact.versioning.upgrade_path import Passage

if TYPE_CHECKING:
    # Who wants neither loads no library for them.
    from toolpact.telemetry.metrics import Metrics
    from toolpact.telemetry.tracing import Spans

Hear: TypeAlias = "Callable[[Answer | None], None]"
"""What is called with the answer to a call, once and as soon as it is there; with None where the call was given up."""

_LOG = logging.getLogger(__name__)
_LONGEST_VERSION = 32
"""Characters of a version that are logged; callers may ask for anything."""


class Pipeline:
    """Answers the calls of one server."""

    def __init__(
        self,
        server: Server[Any],
        sources: Mapping[str, Source],
        settings: Mapping[str, Any],
        clock: Clock | None = None,
        *,
        metrics: Metrics | None = None,
        spans: Spans | None = None,
    ) -> None:
        self.server = server
        self._clock = clock or SystemClock()
        self._metrics = metrics
        self._spans = spans
        self._tools = {tool.name: BoundTool(tool) for tool in server.tools}
        self._deadlines = {tool.name: Deadlines(self._clock, tool.timeout_ms / 1000) for tool in server.tools}
        redactor = json_logs.Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._answers = Answers(server, sources, redactor)
        self._handling = Handling(server, sources, settings, self._clock, redactor, metrics)

    def today(self) -> date:
        """Return the day, in UTC, that decides which versions of a tool are answered."""
        return self._clock.now().astimezone(UTC).date()

    async def warm_up(self) -> None:
        """Prepare tools and records ahead of the first call, which has its turn between any two of them."""
        for bound in self._tools.values():
            bound.prepare()
            await asyncio.sleep(0)
        homes = {tool.request.__module__ for tool in self.server.tools}
        for model in BaseModel.__subclasses__():  # results are made by handlers, and no declaration names their parts
            if model.__module__ in homes:
                model.model_rebuild()
                await asyncio.sleep(0)

    async def call(
        self,
        name: str,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        version: Any = None,
        caller: str = "",
        progress: Progress | None = None,
    ) -> Answer:
        """Answer a call of *caller*; *meta* is what it says about the call. Raises UnknownTool and nothing else.

        *version* is that of the tool which the caller speaks, whatever it says; else *meta* may have one, else it is the newest.
        *progress* hears how far the call is, where the tool says so and its handler runs for this call: who shares the load of another
        hears nothing.
        """
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        asked = self.asked(name, arguments, meta, version=version, caller=caller, progress=progress)
        begun = self.begin(asked, partial(settle, answered))
        if isinstance(begun, Answer):
            return begun
        try:
            return await answered
        finally:
            begun.give_up()

    def asked(
        self,
        name: str,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        version: Any = None,
        caller: str = "",
        progress: Progress | None = None,
    ) -> Asked:
        """Return a call as it comes in, by the same words as `call`. Raises UnknownTool."""
        bound = self._tools.get(name)
        if bound is None:
            raise UnknownTool(name)
        if version is None and meta:
            version = meta.get("version")
        corr_id, at = json_logs.corr_id(meta), self._clock.monotonic()
        return Asked(bound, arguments, meta, caller, corr_id, at, version, progress)

    def begin(self, asked: Asked, hear: Hear) -> Answer | Work[Any]:
        """Return the answer to a call where nobody needs to wait for it: a refusal, a result that was kept. Else *hear* is called with it.

        Raises nothing.
        """
        return self._spanned(self._spans, asked, hear) if self._spans else self._begun(asked, hear)

    def _spanned(self, spans: Spans, asked: Asked, hear: Hear) -> Answer | Work[Any]:
        """Begin a call within a span of its own, whose trace it is known by where its caller says nothing."""
        span = spans.call(asked.bound.tool.name, asked.meta)
        with span.current():
            return self._begun(asked._replace(corr_id=json_logs.corr_id(asked.meta, span.trace_id), span=span), hear)

    def _begun(self, asked: Asked, hear: Hear) -> Answer | Work[Any]:
        """Return the answer to a call where nobody needs to wait for it, else what has it made."""
        with json_logs.calling(asked.corr_id):
            if asked.version is not None and asked.version != asked.bound.tool.version:
                chosen = self._chosen(asked)
                if isinstance(chosen, Failure):
                    return self._ended(asked, chosen)
                crossing, passage = chosen
                return self._work(crossing, self._handling.crossed(crossing, passage), hear)
            reached = self._handling.reached(asked)
            if isinstance(reached, Due):
                return self._work(asked, self._handling.result(asked.bound, reached), hear)
            return self._ended(asked, reached)

    def _work(self, asked: Asked, outcome: Coroutine[Any, Any, Found[bytes] | Failure], hear: Hear) -> Work[Any]:
        """Have *outcome* found within the call's deadline, in whose task the handler runs."""
        return Work(self._deadlines[asked.bound.tool.name], outcome, partial(self._over, asked, hear))

    def _over(
        self, asked: Asked, hear: Hear, outcome: Found[bytes] | Failure | None, error: BaseException | None
    ) -> None:
        """Have the answer heard to a call that came out so; this is told in its own context, in which log lines have its id."""
        if error is not None and not isinstance(error, asyncio.CancelledError):
            outcome = error_mapping.raised(asked.tool, self.server.dialect, error)
        if outcome is None:  # its caller has given it up
            self._note(asked, None)
            hear(None)
        else:
            hear(self._ended(asked, outcome))

    def _chosen(self, asked: Asked) -> tuple[Asked, Passage] | Failure:
        """Return a call that asks for another version than the newest with the way of that version, or why it is refused."""
        tool, dialect, today = asked.bound.tool, self.server.dialect, self.today()
        passage = asked.bound.passages.get(asked.version) if isinstance(asked.version, str) else None
        if passage is None:
            return error_mapping.unknown_version(tool, dialect, lifecycle.live(tool, today))
        if lifecycle.is_over(passage.version, today):
            return error_mapping.sunset(
                tool, dialect, passage.version, lifecycle.successor(tool, passage.version, today)
            )
        deprecation = lifecycle.deprecation(tool, passage.version, today)
        return asked._replace(passage=passage, deprecation=deprecation), passage

    def _ended(self, asked: Asked, outcome: Found[bytes] | Failure) -> Answer:
        answer = self._answers.answer(asked, outcome, (self._clock.monotonic() - asked.at) * 1000)
        if asked.deprecation:
            answer = answer._replace(deprecation=asked.deprecation)
        self._note(asked, answer)
        return answer

    def _note(self, asked: Asked, answer: Answer | None) -> None:
        """Write down a call that is over; one without an answer was cancelled. Raises nothing: whoever called is answered all the same."""
        try:
            self._noted(asked, answer)
        except Exception:
            _LOG.exception("a call that is over was not written down")

    def _noted(self, asked: Asked, answer: Answer | None) -> None:
        duration_s = self._clock.monotonic() - asked.at
        status: CallStatus = "cancelled" if answer is None else "error" if answer.is_error else "success"
        _log(asked, answer, status, duration_s)
        code = answer.code if answer else None
        if self._metrics:
            self._metrics.called(asked.bound.tool.name, asked.caller, status, duration_s, code)
            if asked.deprecation:
                self._metrics.deprecated(asked.bound.tool.name, str(asked.version))
        if asked.span:
            asked.span.ended(status, code, asked.passage.version.version if asked.passage else None)


def _log(asked: Asked, answer: Answer | None, status: CallStatus, duration_s: float) -> None:
    """Write the line of a call that is over. Raises nothing."""
    facts: JsonObject = {
        "tool": asked.bound.tool.name,
        "duration_ms": round(duration_s * 1_000_000) / 1000,
        "status": status,
        "input_size_bytes": response.size_bytes(asked.arguments),
        "output_size_bytes": len(answer.json) if answer else 0,
    }
    if isinstance(asked.version, str):
        facts["version"] = asked.version[:_LONGEST_VERSION]
    if answer and answer.code:
        facts["error_code"] = answer.code
    json_logs.event(_LOG, "call", facts)
