"""The one path of a call, from arguments to answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from runtime import answers, cache, conditions, failures, idempotency, observability, validation
from runtime.answers import Answer, Answers
from runtime.cache import Cache, Found, Loaded
from runtime.calls import Asked, BoundTool, Status
from runtime.clock import Clock, SystemClock, within
from runtime.errors import UnknownTool
from runtime.failures import Failure
from runtime.idempotency import IdempotencyKey
from runtime.pagination import Page, paginated
from runtime.provisional import Provisional
from runtime.sources import Source
from runtime.tool import Server, Tool
from runtime.values import JsonObject

if TYPE_CHECKING:
    # Who wants neither loads no library for them.
    from runtime.metrics import Metrics
    from runtime.tracing import CallSpan, Spans

_LOG = logging.getLogger(__name__)
_MOST_SENTENCES = 20


class BrokenResultError(Exception):
    """A handler's result breaks its contract."""


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
        self._cache: Cache[JsonObject] = Cache(self._clock)
        redactor = observability.Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._answers = Answers(server, sources, redactor)
        self._given = _given(server, sources, settings)
        self._takes_keys = any(tool.idempotency for tool in server.tools)

    async def call(
        self, name: str, arguments: Any, meta: Mapping[str, Any] | None = None, *, caller: str = ""
    ) -> Answer:
        """Answer a call of *caller*; *meta* is what it says about the call. Raises UnknownTool and nothing else."""
        bound = self._tools.get(name)
        if bound is None:
            raise UnknownTool(name)
        with self._spans.call(name, meta) if self._spans else nullcontext() as span:
            corr_id = observability.corr_id(meta, span.trace_id if span else None)
            asked = Asked(bound=bound, arguments=arguments, meta=meta, caller=caller, corr_id=corr_id)
            with observability.calling(corr_id):
                return await self._call(asked, span)

    async def _call(self, asked: Asked, span: CallSpan | None) -> Answer:
        started = self._clock.monotonic()
        answer = None
        try:
            outcome = await self._outcome(asked)
            answer = self._answers.answer(asked, outcome, (self._clock.monotonic() - started) * 1000)
            return answer
        finally:  # a call without an answer was given up by its caller
            duration_s = self._clock.monotonic() - started
            status: Status = "cancelled" if answer is None else "error" if answer.is_error else "success"
            _log(asked, answer, status, duration_s)
            code = answer.code if answer else None
            if self._metrics:
                self._metrics.called(asked.tool.name, asked.caller, status, duration_s, code)
            if span:
                span.ended(status, code)

    async def _outcome(self, asked: Asked) -> Found[JsonObject] | Failure:
        bound, tool, dialect, arguments = asked.bound, asked.tool, self.server.dialect, asked.arguments
        try:
            violations = bound.parameters.violations(arguments)
            if tool.idempotency:
                violations += idempotency.violations(asked.meta)
            if violations:
                return failures.refused(tool, dialect, violations)
            complete = bound.parameters.normalised(arguments)
            request = validation.load(tool.request, complete)
            if isinstance(request, list):
                return failures.refused(tool, dialect, request)
            if rules := conditions.broken(tool.conditions, arguments):
                return failures.broken(tool, dialect, rules)
            return await self._result(bound, request, complete, _key(asked, complete))
        except Exception as error:
            return failures.raised(tool, dialect, error)

    async def _result(
        self, bound: BoundTool, request: BaseModel, arguments: JsonObject, key: IdempotencyKey | None
    ) -> Found[JsonObject]:
        """Return the result, from the cache where the contract lets it."""
        tool = bound.tool

        async def load() -> Loaded[JsonObject]:
            return await self._load(bound, request, arguments, key)

        if tool.cache is None:
            return Found((await load()).value)
        bypass = tool.cache.bypass
        kept_under = cache.key(tool.name, tool.version, arguments, bypass)
        fresh = bypass is not None and bool(arguments.get(bypass))
        looked = partial(self._metrics.cached, tool.name) if self._metrics else None
        return await self._cache.get(kept_under, load, fresh=fresh, looked=looked)

    async def _load(
        self, bound: BoundTool, request: BaseModel, arguments: JsonObject, key: IdempotencyKey | None
    ) -> Loaded[JsonObject]:
        """Return what the handler says within its deadline, checked, and how long it holds. Raises what the handler raises."""
        tool = bound.tool
        of_this_call: JsonObject = {"now": self._clock.now()} | ({"idempotency": key} if self._takes_keys else {})
        call = self.server.call(**self._given, **of_this_call)

        async def handle() -> Any:
            return await tool.handler(request, call)

        said = await within(self._clock, tool.timeout_ms / 1000, handle())
        result = _as_json(tool, said.result if isinstance(said, Provisional) else said, arguments)
        if violations := bound.returns.violations(result):
            raise BrokenResultError("; ".join(violation.sentence for violation in violations[:_MOST_SENTENCES]))
        return Loaded(result, _ttl_s(tool, said))


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
        "output_size_bytes": len(answer.text.encode()) if answer else 0,
    }
    if answer and answer.code:
        facts["error_code"] = answer.code
    _LOG.info("call", extra={"facts": facts})


def _key(asked: Asked, arguments: JsonObject) -> IdempotencyKey | None:
    """Return by what a call is known when it comes again; *arguments* are complete."""
    tool = asked.tool
    if tool.idempotency is None:
        return None
    window_s = tool.idempotency.window_s
    return idempotency.key_of(tool.name, window_s, arguments, caller=asked.caller, meta=asked.meta)


def _as_json(tool: Tool[Any, Any, Any], said: Any, arguments: JsonObject) -> JsonObject:
    """Return what a handler said as the contract's `returns` has it. Raises TypeError for a stranger."""
    if tool.paginated:
        if not isinstance(said, Page):
            raise TypeError(f"{tool.name} must return a Page, not {type(said).__name__}")
        items = [
            _dumped(tool, item) if isinstance(item, BaseModel) else to_jsonable_python(item) for item in said.items
        ]
        return paginated(items, said.total, arguments)
    if not isinstance(said, BaseModel):
        raise TypeError(f"{tool.name} must return a record, not {type(said).__name__}")
    return _dumped(tool, said)


def _ttl_s(tool: Tool[Any, Any, Any], said: Any) -> float:
    """Return how long what a handler said may be given again. Raises TypeError for what the contract knows no time for."""
    if tool.cache is None:
        return 0
    if not isinstance(said, Provisional):
        return tool.cache.ttl_s
    if tool.cache.provisional_ttl_s is None:
        raise TypeError(f"{tool.name} returned a Provisional result, and its contract has no provisional_ttl_s")
    return tool.cache.provisional_ttl_s


def _dumped(tool: Tool[Any, Any, Any], record: BaseModel) -> JsonObject:
    """Return *record* as JSON. None means absent, unless the contract admits null: then it was said or it was not."""
    if tool.nullable_results:
        return record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return record.model_dump(mode="json", by_alias=True, exclude_none=True)
