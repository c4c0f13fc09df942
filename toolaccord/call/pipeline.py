"""The path of a call, top to bottom.

The steps happen in this order:

1. authorise: the transport checks token, origin and the contract's key before it makes a call
2. count the call, and reject it beyond the tool's rate limit                                  `start`
   find the version that the call names                                                        `start`
3. validate arguments and idempotency key against the contract of that version                 `_validate`
4. normalise them: fill in defaults, in the newest version                                     `_prepare`
5. look in the cache; a cached result was loaded for arguments that passed all checks          `_prepare`
6. load the request model, check the conditions, read the idempotency key                      `_prepare`
   reject the call if those ahead take too long, before any task is made                       `_run`
7. run the handler under its deadline, or replay the result stored under the idempotency key   `_execute`
   or store the call as a task, whose run takes these steps again later (docs/tasks.md)
   or in the cache that replicas share                                                         `_load`
8. check its result, encode it, store or cache it                                              `_execute`
9. put the outcome into the dialect's envelope, write the log line, count, end the span        `_finish`

Steps 1 to 6 never wait. A call that they answer, from the cache or with a rejection, makes no task. Any other call is
one task, in which steps 7 and 8 run; its answer goes to a callback. A call in an older version runs steps 4 to 8 in its
task. Its arguments are upgraded before them and its result is downgraded after them; both may wait for a lookup. A call
that a store counts runs steps 2 to 8 in its task. Here a task is one of asyncio, except in step 7.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, date
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolaccord.asks.channel import AskChannel, InputRequired
from toolaccord.call.admission import Overloaded, rank
from toolaccord.call.cache import Cache, CacheResult, Loaded, bypasses_cache, cache_key
from toolaccord.call.context import BoundOperation, Deferred, IncomingCall, compile_ahead
from toolaccord.call.error_mapping import InvalidCall, failure_of
from toolaccord.call.execution import Executor, PreparedCall, constant_fields
from toolaccord.call.idempotency_key import open_key_stores, read_key
from toolaccord.call.instrumentation import Instrumentation
from toolaccord.call.rate_limit import RateLimiter, RateLimitExceeded
from toolaccord.call.reports import log_of, progress_of
from toolaccord.call.response import Answer, AnswerBuilder, Outcome
from toolaccord.call.validation import check_conditions, load_request, validate_arguments
from toolaccord.call.version_translation import downgrade_result, find_version, upgrade_arguments
from toolaccord.config import process_settings
from toolaccord.contract.policies import RateLimit
from toolaccord.declarations.operation import AnyOperation
from toolaccord.declarations.tool import Server
from toolaccord.errors import UnknownTool
from toolaccord.handler import Progress
from toolaccord.json_values import JsonObject
from toolaccord.resources.changes import Changes
from toolaccord.sources import Source
from toolaccord.telemetry import correlation
from toolaccord.telemetry.redaction import Redactor
from toolaccord.timing.blocking import Mark
from toolaccord.timing.clock import Clock, SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, DeadlineTask, run_within, settle, time_left

if TYPE_CHECKING:  # a server without metrics, tracing, a shared cache or older versions loads nothing for them
    from toolaccord.call.shared_cache import SharedCache
    from toolaccord.sources.redis.shared_store import SharedStore
    from toolaccord.telemetry.metrics import Metrics
    from toolaccord.telemetry.tracing import CallTracer
    from toolaccord.versioning.upgrade_path import UpgradePath

OnAnswer: TypeAlias = "Callable[[Answer | None], None]"
"""Takes the answer to a call, once; None if the call was abandoned."""
RunningCall: TypeAlias = DeadlineTask[CacheResult]
"""A call whose handler runs; `abandon` cancels it."""

_UNFINISHED = (InvalidCall, RateLimitExceeded, DeadlineExceeded, asyncio.CancelledError)
"""Errors of calls whose handler did not run, or not to its end."""


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
        tracer: CallTracer | None = None,
    ) -> None:
        self.server = server
        self.settings = settings
        """Value of each setting, by name."""
        self._clock = clock = clock or SystemClock()
        self.sources = sources
        """The open sources, by name."""
        self.tools = {tool.name: self.bind(tool) for tool in server.tools}
        """Its tools, by name."""
        rank({name: tool.queue for name, tool in self.tools.items()}, server.tools)
        self._redactor = Redactor(settings.get(each.name) for each in server.settings if each.secret)
        self._cache = Cache(clock, max_bytes=process_settings.read_cache_bytes(settings))
        self.changes = Changes()
        """Reports of changed resources."""
        self._executor = Executor(server, sources, settings, clock, self.changes, self._redactor)
        self._answers = AnswerBuilder(server, sources, self._redactor)
        self._instrumentation = Instrumentation(clock, metrics, tracer)
        if metrics:
            metrics.observe_calls({name: tool.queue for name, tool in self.tools.items()})
        if metrics and any(tool.cache for tool in server.tools):
            metrics.observe_cache(self._cache)
        if metrics and any(resource.subscribe for resource in server.resources):
            metrics.observe_listeners(self.changes)
        stores = self._open_stores(sources, metrics)
        self._key_stores = open_key_stores(server, sources, stores, clock)
        self._limiter = RateLimiter(server, sources, stores, clock)
        self._shared_caches = self._open_shared_caches(sources, stores)

    @asynccontextmanager
    async def open_state(self) -> AsyncIterator[None]:
        """Open what the handlers' `lifespan` yields, and close it at the end of the block.

        Raises what `lifespan` raises.
        """
        if self.server.lifespan is None:
            yield
            return
        fields = constant_fields(self.server.handler_settings, self.sources, self.settings)
        async with self.server.lifespan.open(self.server.lifespan.start(**fields)) as state:
            self._executor.set_state(state)
            yield

    def _open_stores(self, sources: Mapping[str, Any], metrics: Metrics | None) -> Mapping[str, SharedStore]:
        """Return the guard of each source that is an optional store, by the source's name."""
        if not self.server.optional_stores:
            return {}
        from toolaccord.sources.redis.shared_store import SharedStore  # noqa: PLC0415 - only such a server needs it

        stores = {name: SharedStore(name, sources[name], self._clock) for name in self.server.optional_stores}
        if metrics:
            metrics.observe_stores(stores.values())
        if any(getattr(declared, "store", None) for declared in self.server.sources):
            from toolaccord.sources.redis.pace import share_paces  # noqa: PLC0415 - likewise

            share_paces(self.server.sources, sources, stores, self.settings, self._clock)
        return stores

    def _open_shared_caches(
        self, sources: Mapping[str, Any], stores: Mapping[str, SharedStore]
    ) -> Mapping[str, SharedCache]:
        """Return the shared cache of each tool whose contract names a store, by the tool's name."""
        if not any(tool.cache and tool.cache.store for tool in self.server.tools):
            return {}
        from toolaccord.call.shared_cache import open_shared_caches  # noqa: PLC0415 - only such a server needs it

        return open_shared_caches(self.server, sources, stores, self._clock, self._instrumentation)

    def bind(self, operation: AnyOperation) -> BoundOperation:
        """Return *operation*, a tool or what serves a resource, prompt or completion, for `receive`.

        All operations share sources, settings, clock, logs, metrics, spans and rate limits.
        """
        return BoundOperation(operation, self._clock)

    async def call(
        self,
        called: str | BoundOperation,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        version: Any = None,
        caller: str = "",
        progress: Progress | None = None,
    ) -> Answer:
        """Answer a call. Raises UnknownTool and nothing else; the parameters are those of `receive`.

        *progress* receives the handler's reports, but not for a call that waits for the load of another one.
        """
        call = self.receive(called, arguments, meta, version=version, caller=caller)
        return await self.answer(call._replace(progress=progress))

    async def answer(self, call: IncomingCall) -> Answer:
        """Return the answer to *call*. Raises nothing."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        started = self.start(call, partial(settle, answer))
        if isinstance(started, Answer):
            return started
        try:
            return await answer
        finally:
            started.abandon()

    def receive(
        self,
        called: str | BoundOperation,
        arguments: Any,
        meta: Mapping[str, Any] | None = None,
        *,
        version: Any = None,
        caller: str = "",
        identity: str | None = None,
    ) -> IncomingCall:
        """Return a call for `start`. Raises UnknownTool.

        *called* is the name of a tool, or an operation of `bind`.
        *meta* is the call's `_meta`. *version* is the tool's version that the caller names, of any type; without it,
        `meta["version"]` counts, and without both the newest version. *caller* is the name that the caller gives
        itself, *identity* a proven one: empty if there is none, None for the only client of this process.
        """
        bound = self.tools.get(called) if isinstance(called, str) else called
        if bound is None:
            raise UnknownTool(called)
        if version is None and meta:
            version = meta.get("version")
        corr_id, received_at = correlation.resolve_corr_id(meta), self._clock.monotonic()
        return IncomingCall(bound, arguments, meta, caller, corr_id, received_at, version, identity=identity)

    def start(self, call: IncomingCall, on_answer: OnAnswer) -> Answer | RunningCall:
        """Return the answer to *call* at once if no handler has to run.

        Otherwise run the handler, and pass the answer to *on_answer*. Raises nothing.
        """
        dialect = self.server.dialect
        call = self._instrumentation.start_span(call)
        with self._instrumentation.scope(call):
            try:
                if limit := call.bound.operation.rate_limit:
                    if limit.store:
                        return self._run_counted(call, limit, on_answer)
                    self._limiter.count(call, limit)
                call = find_version(call, dialect, self.today)
                call = self._validate(call)
                execution = self._check(call)
            except Exception as error:
                return self._finish(call, failure_of(call.bound.operation, dialect, error))
            if isinstance(execution, CacheResult):
                return self._finish(call, execution)
            return self._run(call, execution, on_answer)

    def _run_counted(self, call: IncomingCall, limit: RateLimit, on_answer: OnAnswer) -> Answer | RunningCall:
        """Run *call*, which a store counts first. An invalid call counts, too."""
        rejection = None
        try:
            call = find_version(call, self.server.dialect, self.today)
            call = self._validate(call)
        except InvalidCall as error:
            rejection = error
        return self._run(call, self._execute_counted(call, limit, rejection), on_answer)

    async def _execute_counted(
        self, call: IncomingCall, limit: RateLimit, rejection: InvalidCall | None
    ) -> CacheResult:
        """Return the result of a call that a store counts. Raises RateLimitExceeded, or *rejection*."""
        await self._limiter.count_shared(call, limit)
        if rejection is not None:
            raise rejection
        execution = self._check(call)
        return execution if isinstance(execution, CacheResult) else await execution

    def _validate(self, call: IncomingCall) -> IncomingCall:
        """Return *call* with valid arguments, without null for an optional one. Raises InvalidCall."""
        valid = validate_arguments(call, self.server.dialect)
        if valid is not call:
            self._instrumentation.nulls_dropped(call.bound.operation.name)
        return valid

    def _check(self, call: IncomingCall) -> CacheResult | Coroutine[Any, Any, CacheResult]:
        """Return the cached result of a valid *call*, or its execution. Raises InvalidCall."""
        if call.upgrade_path is not None:
            return self._execute_older(call, call.upgrade_path)
        prepared = self._prepare(call, call.arguments)
        return self._execute(prepared) if isinstance(prepared, PreparedCall) else prepared

    def _prepare(self, call: IncomingCall, arguments: JsonObject) -> CacheResult | PreparedCall:
        """Return the cached result of *call*, or all that its execution needs. Raises InvalidCall.

        *arguments* are valid in the newest version.
        """
        operation, dialect = call.bound.operation, self.server.dialect
        complete = call.bound.normalise(arguments)
        key, fresh = cache_key(operation, complete), bypasses_cache(operation, complete)
        if key and not fresh and (cached := self._cache.lookup(self._executor.writes.current_key(operation, key))):
            self._instrumentation.cache_looked_up(operation.name, "memory", is_hit=True)
            return cached
        request = load_request(call, complete, dialect)
        check_conditions(call, arguments, dialect)
        progress = progress_of(call, self._redactor)
        idempotency_key = read_key(call, complete, self._clock)
        log = log_of(call, self._redactor) if operation.logging else None
        prepared = PreparedCall(
            call.bound, request, complete, progress, idempotency_key, key, fresh, log, call.channel, call.proven
        )
        return prepared._replace(defer=partial(call.defer, call)) if call.defer else prepared

    async def _execute(self, prepared: PreparedCall) -> CacheResult:
        """Return the handler's result, checked and encoded; store or cache it by the contract.

        Concurrent calls with one cache key, or with one idempotency key, share one run of the handler. Raises what the
        handler raises, IdempotencyConflict, SourceError if an idempotency key cannot be stored, and Deferred for a call
        that became a task.
        """
        left = time_left(self._clock)
        if left is not None and left < 0:  # the loop was busy, and the timer has not run yet
            raise DeadlineExceeded(f"no time left for {prepared.bound.operation.name}")
        if prepared.defer:
            raise Deferred(await prepared.defer(prepared))
        if repeatable := prepared.idempotency_key:
            store = self._key_stores.get(prepared.bound.operation.name)
            result = await self._executor.run_once(prepared, repeatable, store)
            return CacheResult(result, is_replayed=repeatable.replay.is_set)
        if prepared.cache_key is None:
            return CacheResult((await self._executor.run(prepared)).value)
        operation, load = prepared.bound.operation, partial(self._load, prepared, prepared.cache_key)
        self._instrumentation.cache_looked_up(operation.name, "memory", is_hit=False)
        key = self._executor.writes.current_key(operation, prepared.cache_key)
        return await self._cache.get_or_load(key, load, fresh=prepared.fresh)

    async def _load(self, prepared: PreparedCall, key: bytes) -> Loaded:
        """Return the result that replicas share; without one, run the handler.

        This has a deadline of its own. Without one it could run for ever, because new callers may go on joining it.
        """
        operation, load = prepared.bound.operation, partial(self._executor.run, prepared)
        shared = self._shared_caches.get(operation.name)
        loading = shared.get_or_load(key, load, fresh=prepared.fresh) if shared else load()
        return await run_within(self._clock, operation.timeout_ms / 1000, loading)

    async def _execute_older(self, call: IncomingCall, path: UpgradePath) -> CacheResult:
        """Return the result of a call in an older version.

        Raises InvalidCall, and what a lookup or the handler raises.
        """
        record = self._executor.call_record(call.bound)
        arguments = await upgrade_arguments(call.bound, path, call.arguments, record)
        prepared = self._prepare(call, arguments)
        result = await self._execute(prepared) if isinstance(prepared, PreparedCall) else prepared
        return result._replace(value=await downgrade_result(call.bound, path, result.value, record))

    def _run(
        self, call: IncomingCall, execution: Coroutine[Any, Any, CacheResult], on_answer: OnAnswer
    ) -> Answer | RunningCall:
        """Run *execution* in a task, under its deadline, or reject the call at once.

        A call that may wait for a person, becomes a task or is the run of one is neither rejected nor work ahead of
        others.
        """
        operation = call.bound.operation
        try:
            is_apart = call.channel or call.defer or call.task_key
            ticket = None if is_apart else call.bound.queue.enter(call.identity or "")
        except Overloaded as error:
            execution.close()
            self._instrumentation.overloaded(operation.name)
            return self._finish(call, failure_of(operation, self.server.dialect, error))
        on_done = partial(self._on_done, call, on_answer, ticket, self._executor.watch.mark())
        return DeadlineTask(call.bound.deadlines, execution, on_done)

    def _on_done(
        self,
        call: IncomingCall,
        on_answer: OnAnswer,
        ticket: int | None,
        start: Mark,
        result: CacheResult | None,
        error: BaseException | None,
    ) -> None:
        """Answer a call whose execution is done; log lines still have its correlation id."""
        if ticket is not None:
            is_cached = result is not None and result.remaining_s is not None
            is_finished = not is_cached and not isinstance(error, _UNFINISHED)
            call.bound.queue.leave(ticket, is_finished=is_finished)
        if result is not None:
            on_answer(self._finish(call, result))
        elif error is None or isinstance(error, asyncio.CancelledError):  # its caller abandoned it
            self._instrumentation.call_ended(call, None)
            on_answer(None)
        elif isinstance(error, InputRequired | Deferred):
            on_answer(self._finish(call, error))
        else:
            blocked = self._executor.watch.explain(start)
            on_answer(self._finish(call, failure_of(call.bound.operation, self.server.dialect, error, blocked)))

    def _finish(self, call: IncomingCall, outcome: Outcome) -> Answer:
        """Return the answer to *call*, recorded. Raises nothing."""
        answer = self._answers.build(call, outcome, (self._clock.monotonic() - call.received_at) * 1000)
        self._instrumentation.call_ended(call, answer)
        return answer

    def asker(self, names: Collection[str], channel: AskChannel | None) -> Any:
        """Return the asks *names* of the contract, which *channel* carries to a caller."""
        return self._executor.asker(names, channel)

    def today(self) -> date:
        """Return the current day in UTC, which decides what versions of a tool are answered."""
        return self._clock.now().astimezone(UTC).date()

    async def warm_up(self) -> None:
        """Compile tools and models ahead of the first call."""
        await compile_ahead(self.tools.values())
