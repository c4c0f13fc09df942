"""The one path of a call, from arguments to answer."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

from runtime import answers, failures, observability, versions
from runtime.answers import Answer, Answers
from runtime.cache import Found
from runtime.calls import Asked, BoundTool, Status
from runtime.clock import Clock, SystemClock
from runtime.errors import UnknownTool
from runtime.failures import Failure
from runtime.handling import Due, Handling
from runtime.passage import Passage
from runtime.progress import Progress
from runtime.sources import Source
from runtime.tool import Server
from runtime.values import JsonObject

if TYPE_CHECKING:
    # Who wants neither loads no library for them.
    from runtime.metrics import Metrics
    from runtime.tracing import Spans

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
        redactor = observability.Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._answers = Answers(server, sources, redactor)
        self._handling = Handling(server, sources, settings, self._clock, redactor, metrics)

    def today(self) -> date:
        """Return the day, in UTC, that decides which versions of a tool are answered."""
        return self._clock.now().astimezone(UTC).date()

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
        begun = self.begin(name, arguments, meta, version=version, caller=caller, progress=progress)
        return begun if isinstance(begun, Answer) else await begun

    def begin(
        self,
        name: str,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        version: Any = None,
        caller: str = "",
        progress: Progress | None = None,
    ) -> Answer | Coroutine[Any, Any, Answer]:
        """Return the answer to a call where nobody needs to wait for it: a refusal, a result that was kept. Else what gives it.

        Raises UnknownTool and nothing else.
        """
        bound = self._tools.get(name)
        if bound is None:
            raise UnknownTool(name)
        corr_id, at = observability.corr_id(meta), self._clock.monotonic()
        if version is None and meta:
            version = meta.get("version")
        asked = Asked(bound, arguments, meta, caller, corr_id, at, version, progress)
        return self._spanned(self._spans, asked) if self._spans else self._begun(asked)

    async def _spanned(self, spans: Spans, asked: Asked) -> Answer:
        """Answer a call within its span, whose trace it is known by where its caller says nothing."""
        with spans.call(asked.bound.tool.name, asked.meta) as span:
            begun = self._begun(asked._replace(corr_id=observability.corr_id(asked.meta, span.trace_id), span=span))
            return begun if isinstance(begun, Answer) else await begun

    def _begun(self, asked: Asked) -> Answer | Coroutine[Any, Any, Answer]:
        """Return the answer to a call where nobody needs to wait for it, else what gives it."""
        with observability.calling(asked.corr_id):
            if asked.version is not None and asked.version != asked.bound.tool.version:
                chosen = self._chosen(asked)
                return self._ended(asked, chosen) if isinstance(chosen, Failure) else self._later(*chosen)
            reached = self._handling.reached(asked)
            return self._later(asked, reached) if isinstance(reached, Due) else self._ended(asked, reached)

    def _chosen(self, asked: Asked) -> tuple[Asked, Passage] | Failure:
        """Return a call that asks for another version than the newest with the way of that version, or why it is refused."""
        tool, dialect, today = asked.bound.tool, self.server.dialect, self.today()
        passage = asked.bound.passages.get(asked.version) if isinstance(asked.version, str) else None
        if passage is None:
            return failures.unknown_version(tool, dialect, versions.live(tool, today))
        if versions.is_over(passage.version, today):
            return failures.sunset(tool, dialect, passage.version, versions.successor(tool, passage.version, today))
        deprecation = versions.deprecation(tool, passage.version, today)
        return asked._replace(passage=passage, deprecation=deprecation), passage

    async def _later(self, asked: Asked, way: Due | Passage) -> Answer:
        """Answer a call that is due to be handled, or that has a way to go before."""
        with observability.calling(asked.corr_id):
            try:
                outcome: Found[bytes] | Failure
                if isinstance(way, Due):
                    outcome = await self._handling.result(asked.bound, way)
                else:
                    outcome = await self._handling.crossed(asked, way)
            except Exception as error:
                outcome = failures.raised(asked.tool, self.server.dialect, error)
            except BaseException:  # its caller has given it up
                self._note(asked, None)
                raise
            return self._ended(asked, outcome)

    def _ended(self, asked: Asked, outcome: Found[bytes] | Failure) -> Answer:
        answer = self._answers.answer(asked, outcome, (self._clock.monotonic() - asked.at) * 1000)
        if asked.deprecation:
            answer = answer._replace(deprecation=asked.deprecation)
        self._note(asked, answer)
        return answer

    def _note(self, asked: Asked, answer: Answer | None) -> None:
        """Write down a call that is over; one without an answer was cancelled."""
        duration_s = self._clock.monotonic() - asked.at
        status: Status = "cancelled" if answer is None else "error" if answer.is_error else "success"
        _log(asked, answer, status, duration_s)
        code = answer.code if answer else None
        if self._metrics:
            self._metrics.called(asked.bound.tool.name, asked.caller, status, duration_s, code)
            if asked.deprecation:
                self._metrics.deprecated(asked.bound.tool.name, str(asked.version))
        if asked.span:
            asked.span.ended(status, code, asked.passage.version.version if asked.passage else None)


def _log(asked: Asked, answer: Answer | None, status: Status, duration_s: float) -> None:
    """Write the line of a call that is over. Raises nothing."""
    facts: JsonObject = {
        "tool": asked.bound.tool.name,
        "duration_ms": round(duration_s * 1_000_000) / 1000,
        "status": status,
        "input_size_bytes": answers.size_bytes(asked.arguments),
        "output_size_bytes": len(answer.json) if answer else 0,
    }
    if isinstance(asked.version, str):
        facts["version"] = asked.version[:_LONGEST_VERSION]
    if answer and answer.code:
        facts["error_code"] = answer.code
    observability.event(_LOG, "call", facts)
