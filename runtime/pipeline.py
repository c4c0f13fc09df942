"""The one path of a call, from arguments to answer."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from runtime import cache, conditions, failures, idempotency, observability, validation
from runtime.cache import Cache, Found
from runtime.clock import Clock, SystemClock, within
from runtime.dialects import Filling, render
from runtime.errors import UnknownTool
from runtime.failures import Failure
from runtime.idempotency import IdempotencyKey
from runtime.pagination import Page, paginated
from runtime.sources import Source
from runtime.tool import Server, Tool
from runtime.validation import Contract
from runtime.values import JsonObject

_LOG = logging.getLogger(__name__)
_MOST_SENTENCES = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as it came in."""

    arguments: Any
    """The arguments, whatever they are."""
    meta: Mapping[str, Any] | None
    """What the caller says about the call."""
    caller: str
    """Who calls; empty when nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call is answered."""

    body: JsonObject
    """The dialect's envelope, filled."""
    text: str
    """The same as JSON text."""
    is_error: bool
    """Whether it is the envelope of failure."""
    code: str | None
    """The code of the error."""
    http: int
    """The HTTP status that says the same."""


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
        cache_entries: int = 1024,
    ) -> None:
        self.server = server
        self._sources = sources
        self._clock = clock or SystemClock()
        self._tools = {tool.name: _Bound(tool) for tool in server.tools}
        self._cache: Cache[JsonObject] = Cache(self._clock, entries=cache_entries)
        self._redactor = observability.Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._given = _given(server, sources, settings)
        self._takes_keys = any(tool.idempotency for tool in server.tools)

    async def call(
        self, name: str, arguments: Any, meta: Mapping[str, Any] | None = None, *, caller: str = ""
    ) -> Answer:
        """Answer a call of *caller*; *meta* is what it says about the call. Raises UnknownTool and nothing else."""
        bound = self._tools.get(name)
        if bound is None:
            raise UnknownTool(name)
        with observability.calling(observability.corr_id(meta)):
            started = self._clock.monotonic()
            try:
                outcome = await self._outcome(bound, Asked(arguments, meta, caller))
            except asyncio.CancelledError:
                _log_call(bound.tool, self._elapsed_ms(started), arguments, None)
                raise
            latency_ms = self._elapsed_ms(started)
            try:
                answer = self._answer(bound, arguments, outcome, latency_ms)
            except Exception as error:
                answer = self._fallen_back(bound.tool, error, latency_ms)
            _log_call(bound.tool, latency_ms, arguments, answer)
            return answer

    def _elapsed_ms(self, started: float) -> float:
        return (self._clock.monotonic() - started) * 1000

    async def _outcome(self, bound: _Bound, asked: Asked) -> Found[JsonObject] | Failure:
        tool, dialect, arguments = bound.tool, self.server.dialect, asked.arguments
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
            return await self._result(bound, request, complete, _key(tool, asked, complete))
        except Exception as error:
            return failures.raised(tool, dialect, error)

    async def _result(
        self, bound: _Bound, request: BaseModel, arguments: JsonObject, key: IdempotencyKey | None
    ) -> Found[JsonObject]:
        """Return the result, from the cache where the contract lets it."""
        tool = bound.tool

        async def load() -> JsonObject:
            return await self._load(bound, request, arguments, key)

        if tool.cache is None:
            return Found(await load())
        bypass = tool.cache.bypass
        kept_under = cache.key(tool.name, tool.version, arguments, bypass)
        fresh = bypass is not None and bool(arguments.get(bypass))
        return await self._cache.get(kept_under, tool.cache.ttl_s, load, fresh=fresh)

    async def _load(
        self, bound: _Bound, request: BaseModel, arguments: JsonObject, key: IdempotencyKey | None
    ) -> JsonObject:
        """Return what the handler says within its deadline, checked. Raises what the handler raises."""
        tool = bound.tool
        of_this_call: JsonObject = {"now": self._clock.now()} | ({"idempotency": key} if self._takes_keys else {})
        call = self.server.call(**self._given, **of_this_call)

        async def handle() -> Any:
            return await tool.handler(request, call)

        said = await within(self._clock, tool.timeout_ms / 1000, handle())
        result = _as_json(tool, said, arguments)
        if violations := bound.returns.violations(result):
            raise BrokenResultError("; ".join(violation.sentence for violation in violations[:_MOST_SENTENCES]))
        return result

    def _answer(self, bound: _Bound, arguments: Any, outcome: Found[JsonObject] | Failure, latency_ms: float) -> Answer:
        dialect, returns = self.server.dialect, bound.tool.returns
        values: JsonObject = {"latency_ms": round(latency_ms), "source": self._kind(bound.tool)}
        if isinstance(outcome, Failure):
            said: JsonObject = {"message": outcome.message, "details": _plain(outcome.details)}
            values |= {"code": outcome.code} | (self._redactor.hide(said) if outcome.free else said)
            known = partial(bound.parameters.readable, arguments)
            body = render(dialect.failure, Filling(values=values, returns=returns, arguments=known))
            return Answer(body=body, text=_text(body), is_error=True, code=outcome.code, http=outcome.http)
        left = outcome.remaining_s
        values |= {"result": outcome.value, "cached": left is not None}
        values["cache_ttl_remaining"] = None if left is None else math.ceil(left)
        body = render(dialect.success, Filling(values=values, returns=returns, arguments=lambda: arguments))
        return Answer(body=body, text=_text(body), is_error=False, code=None, http=200)

    def _fallen_back(self, tool: Tool[Any, Any, Any], error: Exception, latency_ms: float) -> Answer:
        """Return the answer that needs nothing of the call, in place of one whose making raised *error*."""
        failure = failures.internal(self.server.dialect, error)
        values: JsonObject = {"code": failure.code, "message": failure.message, "details": {}}
        values |= {"latency_ms": round(latency_ms), "source": None}
        try:
            body = render(self.server.dialect.failure, Filling(values=values, returns=tool.returns))
        except Exception:
            _LOG.exception("the envelope of failure cannot be filled")
            body = {"error": {"code": failure.code, "message": failure.message}}
        return Answer(body=body, text=_text(body), is_error=True, code=failure.code, http=failure.http)

    def _kind(self, tool: Tool[Any, Any, Any]) -> str | None:
        """Return the kind of the source that answers *tool*; None where it needs none."""
        names = (*tool.reads, *tool.writes)
        return self._sources[names[0]].kind if names else None


class _Bound:
    """A tool with its schemas compiled, each when first needed."""

    def __init__(self, tool: Tool[Any, Any, Any]) -> None:
        self.tool = tool

    @cached_property
    def parameters(self) -> Contract:
        """What arguments must be."""
        return Contract(self.tool.parameters)

    @cached_property
    def returns(self) -> Contract:
        """What results must be."""
        return Contract(self.tool.returns)


def _given(server: Server[Any], sources: Mapping[str, Source], settings: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the server's call record that are the same in every call."""
    given: JsonObject = dict(sources)
    if server.handler_settings is not None:
        names = [each.name for each in fields(server.handler_settings)]
        given["settings"] = server.handler_settings(**{name: settings[name] for name in names})
    return given


def _key(tool: Tool[Any, Any, Any], asked: Asked, arguments: JsonObject) -> IdempotencyKey | None:
    """Return by what a call is known when it comes again; *arguments* are complete."""
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


def _dumped(tool: Tool[Any, Any, Any], record: BaseModel) -> JsonObject:
    """Return *record* as JSON. None means absent, unless the contract admits null: then it was said or it was not."""
    if tool.nullable_results:
        return record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return record.model_dump(mode="json", by_alias=True, exclude_none=True)


def _plain(details: JsonObject) -> JsonObject:
    """Return *details* as plain JSON; what has no JSON form becomes its text."""
    try:
        plain: JsonObject = orjson.loads(orjson.dumps(details, default=str, option=orjson.OPT_NON_STR_KEYS))
    except TypeError:
        _LOG.exception("the details of an error are not JSON")
        return {}
    return plain


def _text(value: Any) -> str:
    """Return *value* as JSON text; integers may be of any size."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))


def _size_bytes(arguments: Any) -> int | None:
    """Return the size of *arguments* as JSON; None where they have no JSON form."""
    try:
        return len(_text(arguments))
    except (TypeError, ValueError, RecursionError):
        return None


def _log_call(tool: Tool[Any, Any, Any], latency_ms: float, arguments: Any, answer: Answer | None) -> None:
    """Log a call; one without *answer* was given up by its caller. Raises nothing."""
    facts: JsonObject = {
        "tool": tool.name,
        "duration_ms": round(latency_ms, 3),
        "status": "cancelled" if answer is None else "error" if answer.is_error else "ok",
        "input_size_bytes": _size_bytes(arguments),
    }
    if answer is not None:
        facts["output_size_bytes"] = len(answer.text.encode())
    if answer is not None and answer.code is not None:
        facts["error_code"] = answer.code
    _LOG.info("call", extra={"facts": facts})
