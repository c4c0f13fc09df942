"""The one path of a call, from arguments to answer."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from runtime import answers, cache, conditions, failures, idempotency, observability, results, validation
from runtime.answers import Answer, Answers
from runtime.cache import Cache, Found, Loaded
from runtime.calls import Asked, BoundTool, Status
from runtime.clock import Clock, SystemClock, within
from runtime.errors import UnknownTool
from runtime.failures import Failure
from runtime.idempotency import IdempotencyKey
from runtime.progress import Growth, Progress, unheard
from runtime.sources import Source
from runtime.tool import Server, Tool
from runtime.values import JsonObject

if TYPE_CHECKING:
    # Who wants neither loads no library for them.
    from runtime.metrics import Metrics
    from runtime.tracing import Spans

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Due:
    """What a call needs that is due to be handled."""

    request: BaseModel
    """The arguments, as the handler is given them."""
    arguments: JsonObject
    """The arguments, defaults filled in."""
    key: IdempotencyKey | None
    """By what it is known when it comes again."""
    kept_under: bytes | None
    """By what its result is kept; None where it is not."""
    progress: Progress
    """What the handler says how far it is to."""


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
        self._cache: Cache[bytes] = Cache(self._clock)
        self._redactor = observability.Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._answers = Answers(server, sources, self._redactor)
        self._given = _given(server, sources, settings)
        self._takes_keys = any(tool.idempotency for tool in server.tools)
        self._tells_progress = any(tool.progress for tool in server.tools)

    async def call(
        self,
        name: str,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        caller: str = "",
        progress: Progress | None = None,
    ) -> Answer:
        """Answer a call of *caller*; *meta* is what it says about the call. Raises UnknownTool and nothing else.

        *progress* hears how far the call is, where the tool says so and its handler runs for this call: who shares the load of another
        hears nothing.
        """
        begun = self.begin(name, arguments, meta, caller=caller, progress=progress)
        return begun if isinstance(begun, Answer) else await begun

    def begin(
        self,
        name: str,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
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
        asked = Asked(bound, arguments, meta, caller, corr_id, at, progress=progress)
        if self._spans:
            return self._spanned(self._spans, asked)
        with observability.calling(corr_id):
            reached = self._reached(asked)
            return self._later(asked, reached) if isinstance(reached, Due) else self._ended(asked, reached)

    async def _spanned(self, spans: Spans, asked: Asked) -> Answer:
        """Answer a call within its span, whose trace it is known by where its caller says nothing."""
        with spans.call(asked.tool.name, asked.meta) as span:
            asked = asked._replace(corr_id=observability.corr_id(asked.meta, span.trace_id), span=span)
            with observability.calling(asked.corr_id):
                reached = self._reached(asked)
                if not isinstance(reached, Due):
                    return self._ended(asked, reached)
            return await self._later(asked, reached)

    async def _later(self, asked: Asked, due: Due) -> Answer:
        """Answer a call that has passed everything before its handler."""
        with observability.calling(asked.corr_id):
            try:
                outcome: Found[bytes] | Failure = await self._result(asked.bound, due)
            except Exception as error:
                outcome = failures.raised(asked.tool, self.server.dialect, error)
            except BaseException:  # its caller has given it up
                self._note(asked, None)
                raise
            return self._ended(asked, outcome)

    def _ended(self, asked: Asked, outcome: Found[bytes] | Failure) -> Answer:
        answer = self._answers.answer(asked, outcome, (self._clock.monotonic() - asked.at) * 1000)
        self._note(asked, answer)
        return answer

    def _note(self, asked: Asked, answer: Answer | None) -> None:
        """Write down a call that is over; one without an answer was cancelled."""
        duration_s = self._clock.monotonic() - asked.at
        status: Status = "cancelled" if answer is None else "error" if answer.is_error else "success"
        _log(asked, answer, status, duration_s)
        code = answer.code if answer else None
        if self._metrics:
            self._metrics.called(asked.tool.name, asked.caller, status, duration_s, code)
        if asked.span:
            asked.span.ended(status, code)

    def _reached(self, asked: Asked) -> Found[bytes] | Failure | Due:
        """Return how far a call comes without waiting: to a refusal, a result that is kept, or its handler."""
        bound, tool, dialect, arguments = asked.bound, asked.tool, self.server.dialect, asked.arguments
        try:
            violations = bound.parameters.violations(arguments)
            if tool.idempotency:
                violations += idempotency.violations(asked.meta)
            if violations:
                return failures.refused(tool, dialect, violations)
            complete = bound.parameters.normalised(arguments)
            kept_under = _kept_under(tool, complete)
            if kept_under and (kept := self._kept(tool, complete, kept_under)):
                self._looked(tool, hit=True)
                return kept  # whose arguments were found to be in order, all the way, when it was loaded
            request = validation.load(tool.request, complete)
            if isinstance(request, list):
                return failures.refused(tool, dialect, request)
            if rules := conditions.broken(tool.conditions, arguments):
                return failures.broken(tool, dialect, rules)
            due = Due(request, complete, _key(asked, complete), kept_under, self._progress(asked))
            if kept_under:
                self._looked(tool, hit=False)
            return due
        except Exception as error:
            return failures.raised(tool, dialect, error)

    def _progress(self, asked: Asked) -> Progress:
        """Return what the handler of a call says how far it is to."""
        if asked.progress is None or not asked.tool.progress:
            return unheard
        return Growth(asked.progress, self._redactor.hide)

    def _kept(self, tool: Tool[Any, Any, Any], arguments: JsonObject, key: bytes) -> Found[bytes] | None:
        """Return the result that was kept, unless the call asks for a fresh one."""
        return None if _wants_fresh(tool, arguments) else self._cache.kept(key)

    def _looked(self, tool: Tool[Any, Any, Any], *, hit: bool) -> None:
        """Count a look into the cache."""
        if self._metrics:
            self._metrics.cached(tool.name, hit)

    async def _result(self, bound: BoundTool, due: Due) -> Found[bytes]:
        """Return the result, from the cache where the contract lets it."""
        if due.kept_under is None:
            return Found((await self._load(bound, due)).value)
        fresh = _wants_fresh(bound.tool, due.arguments)
        return await self._cache.get(due.kept_under, partial(self._load, bound, due), fresh=fresh)

    async def _load(self, bound: BoundTool, due: Due) -> Loaded[bytes]:
        """Return what the handler says within its deadline, checked, and how long it holds. Raises what the handler raises."""
        tool = bound.tool
        of_this_call: JsonObject = {"now": self._clock.now()} | ({"idempotency": due.key} if self._takes_keys else {})
        of_this_call |= {"progress": due.progress} if self._tells_progress else {}
        call = self.server.call(**self._given, **of_this_call)

        async def handle() -> Any:
            return await tool.handler(due.request, call)

        said = await within(self._clock, tool.timeout_ms / 1000, handle())
        return results.loaded(bound, said, due.arguments)


def _given(server: Server[Any], sources: Mapping[str, Source], settings: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the server's call record that are the same in every call."""
    given: JsonObject = dict(sources)
    if server.handler_settings is not None:
        names = [each.name for each in fields(server.handler_settings)]
        given["settings"] = server.handler_settings(**{name: settings[name] for name in names})
    return given


def _log(asked: Asked, answer: Answer | None, status: Status, duration_s: float) -> None:
    """Write the line of a call that is over. Raises nothing."""
    facts: JsonObject = {
        "tool": asked.tool.name,
        "duration_ms": round(duration_s * 1000, 3),
        "status": status,
        "input_size_bytes": answers.size_bytes(asked.arguments),
        "output_size_bytes": len(answer.json) if answer else 0,
    }
    if answer and answer.code:
        facts["error_code"] = answer.code
    observability.event(_LOG, "call", facts)


def _kept_under(tool: Tool[Any, Any, Any], arguments: JsonObject) -> bytes | None:
    """Return by what the result of a call is kept; None where the contract keeps none."""
    return cache.key(tool.name, tool.version, arguments, tool.cache.bypass) if tool.cache else None


def _wants_fresh(tool: Tool[Any, Any, Any], arguments: JsonObject) -> bool:
    """Return whether a call asks for a result that was not kept."""
    bypass = tool.cache.bypass if tool.cache else None
    return bypass is not None and bool(arguments.get(bypass))


def _key(asked: Asked, arguments: JsonObject) -> IdempotencyKey | None:
    """Return by what a call is known when it comes again; *arguments* are complete."""
    tool = asked.tool
    if tool.idempotency is None:
        return None
    window_s = tool.idempotency.window_s
    return idempotency.key_of(tool.name, window_s, arguments, caller=asked.caller, meta=asked.meta)
