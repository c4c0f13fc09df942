"""Execution of prepared calls: builds the call record and runs the handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from toolaccord.call import results
from toolaccord.call.cache import Loaded, Writes
from toolaccord.call.context import BoundOperation
from toolaccord.call.effects import grant_sources, reject_caller, reject_event
from toolaccord.declarations.operation import AnyOperation
from toolaccord.declarations.tool import Server
from toolaccord.handler import Caller, ClientLog, IdempotencyKey, Progress, ignore_progress
from toolaccord.json_values import JsonObject
from toolaccord.resources.changes import Changes
from toolaccord.sources import PerCaller, Source
from toolaccord.telemetry.redaction import Redactor
from toolaccord.timing.blocking import LoopWatch
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:  # a server that needs none of these does not load them
    from toolaccord.asks.asker import Asker
    from toolaccord.asks.channel import AskChannel
    from toolaccord.call.events import BoundEvent
    from toolaccord.sources.redis.idempotency import KeyStore
    from toolaccord.tasks.task import Task


class PreparedCall(NamedTuple):
    """A valid call, with everything that its execution needs."""

    bound: BoundOperation
    """The called operation."""
    request: BaseModel
    """The arguments, as the handler takes them."""
    arguments: JsonObject
    """The arguments, defaults filled in."""
    progress: Progress
    """Receiver of the handler's progress reports."""
    idempotency_key: IdempotencyKey | None = None
    """The call's idempotency key; None without one."""
    cache_key: bytes | None = None
    """Cache key of the result; None if the result is not cached."""
    fresh: bool = False
    """True if the caller wants no cached result."""
    log: ClientLog | None = None
    """Log of messages to the client; None if the tool sends none."""
    channel: AskChannel | None = None
    """Way to ask the caller; None if it cannot be asked."""
    proven: Caller | None = None
    """The caller, where a token proves it."""
    defer: Callable[[PreparedCall], Awaitable[Task]] | None = None
    """Makes a task of the call; None to run the handler now."""


class Executor:
    """Runs the handlers of one server."""

    def __init__(
        self,
        server: Server[Any],
        sources: Mapping[str, Source],
        settings: Mapping[str, Any],
        clock: Clock,
        changes: Changes,
        redactor: Redactor,
    ) -> None:
        self._clock = clock
        self.writes = Writes(server.tools)
        """Writes of the handlers."""
        self.watch = LoopWatch(clock.monotonic)
        """Measures the steps of the handlers."""
        self._record_type = server.call
        known = {field.name for field in fields(server.call)}
        self._sources = {name: source for name, source in sources.items() if name in known}
        """Sources that handlers may use; the library alone uses some stores."""
        self._per_caller = {name: source for name, source in sources.items() if isinstance(source, PerCaller)}
        """Sources that show each caller what it may see, by name."""
        self._constant_fields = constant_fields(server.handler_settings, {}, settings)
        if server.changes is not None:
            self._constant_fields = {**self._constant_fields, "changed": server.changes(changes.report)}
        if server.lifespan is not None:
            self._constant_fields = {**self._constant_fields, "state": None}
        self._granted: dict[str, Mapping[str, Any]] = {}
        self._make_asker = _asker_factory(server, redactor)
        self._events = _bind_events(server, sources)
        self._takes_keys = any(tool.idempotency for tool in server.tools)
        self._reports_progress = any(tool.progress for tool in server.tools)
        self._logs = any(tool.logging for tool in server.tools)

    async def run(self, call: PreparedCall) -> Loaded:
        """Run the handler; return its result as JSON that the contract admits.

        Raises what the handler raises, BrokenResultError and TypeError.
        """
        record = self.call_record(call.bound, call)
        operation = call.bound.operation
        running = self.watch.run(operation.name, operation.handler(call.request, record))
        try:
            result = await (running if call.channel is None else call.channel.run(running))
        finally:
            self.writes.count(call.bound.operation)
        return results.encode_result(call.bound, result, call.arguments)

    async def run_once(self, call: PreparedCall, key: IdempotencyKey, store: KeyStore | None) -> bytes:
        """Return the result stored under *key*; without one, run the handler and store its result.

        Without a *store*, the handler looks for it. Raises as `run` does, IdempotencyConflict, and SourceError if
        *store* does not answer.
        """

        async def run() -> bytes:
            return (await self.run(call)).value

        if store is None:
            return await run()
        result = await store.once(key, run)
        if not result.is_replayed:
            return result.value
        key.replay.is_set = True
        return results.check_stored(call.bound, result.value)

    def call_record(self, bound: BoundOperation, call: PreparedCall | None = None) -> Any:
        """Return the server's call record, which handlers and lookups take, for *bound*.

        A lookup belongs to no *call*.
        """
        operation = bound.operation
        members = {**self._constants_for(operation), "now": self._clock.now(), "caller": call.proven if call else None}
        if self._per_caller:
            caller = None if operation.is_shared else members["caller"]
            seen = {name: source.as_seen_by(caller) for name, source in self._per_caller.items()}
            members |= grant_sources(operation, seen)
        if operation.is_shared:
            members["caller"] = reject_caller(operation)
        key = None if call is None else call.idempotency_key
        if self._takes_keys:
            members["idempotency"] = key
        if self._reports_progress:
            members["progress"] = ignore_progress if call is None else call.progress
        if self._logs:
            members["log"] = call.log if call and call.log else ClientLog()
        if self._make_asker:
            asks, channel = (operation.asks, call.channel) if call else ((), None)
            members["ask"] = self._make_asker(asks, channel)
        for each in self._events:
            name = each.event.name
            members[name] = each.publisher(key) if name in operation.publishes else reject_event(operation, name)
        return self._record_type(**members)

    def asker(self, names: Collection[str], channel: AskChannel | None) -> Asker:
        """Return the asks *names* of the contract, which *channel* carries to a caller."""
        assert self._make_asker
        return self._make_asker(names, channel)

    def set_state(self, state: Any) -> None:
        """Give handlers *state*, as `call.state`."""
        self._constant_fields = {**self._constant_fields, "state": state}
        self._granted.clear()

    def _constants_for(self, operation: AnyOperation) -> Mapping[str, Any]:
        """Return the members that every call record of *operation* has, its sources among them."""
        found = self._granted.get(operation.name)
        if found is None:
            found = {**self._constant_fields, **grant_sources(operation, self._sources)}
            self._granted[operation.name] = found
        return found


def _asker_factory(server: Server[Any], redactor: Redactor) -> Callable[..., Asker] | None:
    """Return the function that makes the asks of a call; None without asks.

    It takes the asks of the tool, and the channel to the caller.
    """
    if not server.asks:
        return None
    from toolaccord.asks.asker import Asker  # noqa: PLC0415 - only such a server needs it

    return partial(Asker, {ask.name: ask for ask in server.asks}, redactor.redact)


def _bind_events(server: Server[Any], sources: Mapping[str, Source]) -> tuple[BoundEvent, ...]:
    """Return the events of *server*, bound to their sources."""
    if not server.events:
        return ()
    from toolaccord.call.events import bind_events  # noqa: PLC0415 - only such a server needs it

    return bind_events(server.events, sources)


def constant_fields(
    handler_settings: type[Any] | None, sources: Mapping[str, Source], settings: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the fields of a call record that are the same in every call.

    They are the sources, and the handler's settings.
    """
    constant: JsonObject = dict(sources)
    if handler_settings is not None:
        names = [each.name for each in fields(handler_settings)]
        constant["settings"] = handler_settings(**{name: settings[name] for name in names})
    return constant
