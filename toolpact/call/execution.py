"""From arguments to a result: what a call passes until its handler has answered, or need not be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from toolpact.call import cache, conditions, error_mapping, idempotency_key, results, version_translation
from toolpact.call.cache import Cache, Found, Loaded
from toolpact.call.context import Asked, BoundTool
from toolpact.call.error_mapping import Failure
from toolpact.call.idempotency_key import IdempotencyKey
from toolpact.declarations.tool import AnyTool, Server
from toolpact.handler import Growth, Progress, unheard
from toolpact.json_values import JsonObject
from toolpact.schema import validator
from toolpact.schema.violations import renamed
from toolpact.sources import Source
from toolpact.telemetry.json_logs import Redactor
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import within
from toolpact.versioning.upgrade_path import Passage

if TYPE_CHECKING:
    from toolpact.telemetry.metrics import Metrics  # who wants none loads no library for it


class Due(NamedTuple):
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


class Handling:
    """Has the calls of one server handled."""

    def __init__(
        self,
        server: Server[Any],
        sources: Mapping[str, Source],
        settings: Mapping[str, Any],
        clock: Clock,
        redactor: Redactor,
        metrics: Metrics | None,
    ) -> None:
        self._dialect = server.dialect
        self._clock = clock
        self._redactor = redactor
        self._metrics = metrics
        self._cache: Cache[bytes] = Cache(clock)
        self._record = server.call
        self._given = _given(server, sources, settings)
        self._takes_keys = any(tool.idempotency for tool in server.tools)
        self._tells_progress = any(tool.progress for tool in server.tools)

    def reached(self, asked: Asked) -> Found[bytes] | Failure | Due:
        """Return how far a call comes without waiting: to a refusal, a result that is kept, or its handler."""
        bound, tool = asked.bound, asked.bound.tool
        try:
            violations = bound.parameters.violations(asked.arguments)
            if tool.idempotency:
                violations += idempotency_key.violations(asked.meta)
            if violations:
                return error_mapping.refused(tool, self._dialect, violations)
            return self._admitted(asked, asked.arguments)
        except Exception as error:
            return error_mapping.raised(tool, self._dialect, error)

    async def crossed(self, asked: Asked, passage: Passage) -> Found[bytes] | Failure:
        """Return the outcome of a call in an older version, whose way to the newest is *passage*."""
        bound, tool = asked.bound, asked.tool
        told = passage.parameters.violations(asked.arguments)
        violations = renamed(told, passage.newer_pointer)
        if tool.idempotency:
            violations += (keys := idempotency_key.violations(asked.meta))
            told += keys
        if told:
            return error_mapping.refused(tool, self._dialect, violations, told)
        call = self._call(None, unheard)
        reached = self._admitted(asked, await version_translation.upgraded(bound, passage, asked.arguments, call))
        outcome = await self.result(bound, reached) if isinstance(reached, Due) else reached
        if isinstance(outcome, Failure):
            return outcome
        return Found(await version_translation.downgraded(bound, passage, outcome.value, call), outcome.remaining_s)

    def _admitted(self, asked: Asked, arguments: JsonObject) -> Found[bytes] | Failure | Due:
        """Return how far a call comes without waiting whose *arguments*, as the newest version has them, fit its schema."""
        bound, tool, dialect = asked.bound, asked.bound.tool, self._dialect
        complete = bound.parameters.normalised(arguments)
        kept_under = _kept_under(tool, complete)
        if kept_under and (kept := self._kept(tool, complete, kept_under)):
            self._looked(tool, hit=True)
            return kept  # whose arguments were found to be in order, all the way, when it was loaded
        request = validator.load(tool.request, complete)
        if isinstance(request, list):
            return error_mapping.refused(tool, dialect, request, renamed(request, asked.place))
        if rules := conditions.broken(tool.conditions, arguments, asked.place):
            return error_mapping.broken(tool, dialect, rules)
        due = Due(request, complete, _key(asked, complete), kept_under, self._progress(asked))
        if kept_under:
            self._looked(tool, hit=False)
        return due

    def _progress(self, asked: Asked) -> Progress:
        """Return what the handler of a call says how far it is to."""
        if asked.progress is None or not asked.tool.progress:
            return unheard
        return Growth(asked.progress, self._redactor.hide)

    def _kept(self, tool: AnyTool, arguments: JsonObject, key: bytes) -> Found[bytes] | None:
        """Return the result that was kept, unless the call asks for a fresh one."""
        return None if _wants_fresh(tool, arguments) else self._cache.kept(key)

    def _looked(self, tool: AnyTool, *, hit: bool) -> None:
        """Count a look into the cache."""
        if self._metrics:
            self._metrics.cached(tool.name, hit)

    async def result(self, bound: BoundTool, due: Due) -> Found[bytes]:
        """Return the result, from the cache where the contract lets it. Raises what the handler raises."""
        if due.kept_under is None:
            return Found((await self._load(bound, due)).value)
        shared = partial(self._load_for_all, bound, due)
        return await self._cache.get(due.kept_under, shared, fresh=_wants_fresh(bound.tool, due.arguments))

    async def _load_for_all(self, bound: BoundTool, due: Due) -> Loaded[bytes]:
        """Return what the handler says to all who wait for it, within the deadline of the first: else there might always be one more."""
        return await within(self._clock, bound.tool.timeout_ms / 1000, self._load(bound, due))

    async def _load(self, bound: BoundTool, due: Due) -> Loaded[bytes]:
        """Return what the handler says, checked, and how long it holds."""
        said = await bound.tool.handler(due.request, self._call(due.key, due.progress))
        return results.loaded(bound, said, due.arguments)

    def _call(self, key: IdempotencyKey | None, progress: Progress) -> Any:
        """Return the record of the server that a handler is given beside the request."""
        given = {**self._given, "now": self._clock.now()}
        if self._takes_keys:
            given["idempotency"] = key
        if self._tells_progress:
            given["progress"] = progress
        return self._record(**given)


def _given(server: Server[Any], sources: Mapping[str, Source], settings: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the server's call record that are the same in every call."""
    given: JsonObject = dict(sources)
    if server.handler_settings is not None:
        names = [each.name for each in fields(server.handler_settings)]
        given["settings"] = server.handler_settings(**{name: settings[name] for name in names})
    return given


def _kept_under(tool: AnyTool, arguments: JsonObject) -> bytes | None:
    """Return by what the result of a call is kept; None where the contract keeps none."""
    return cache.key(tool.name, tool.version, arguments, tool.cache.bypass) if tool.cache else None


def _wants_fresh(tool: AnyTool, arguments: JsonObject) -> bool:
    """Return whether a call asks for a result that was not kept."""
    bypass = tool.cache.bypass if tool.cache else None
    return bypass is not None and bool(arguments.get(bypass))


def _key(asked: Asked, arguments: JsonObject) -> IdempotencyKey | None:
    """Return by what a call is known when it comes again; *arguments* are complete."""
    tool = asked.tool
    if tool.idempotency is None:
        return None
    window_s = tool.idempotency.window_s
    return idempotency_key.key_of(tool.name, window_s, arguments, caller=asked.caller, meta=asked.meta)
