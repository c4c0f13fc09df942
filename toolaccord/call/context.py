"""A call as it arrives, and the operation that it names."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from toolaccord.asks.channel import AskChannel
from toolaccord.call.admission import Queue
from toolaccord.contract_model import ContractModel
from toolaccord.declarations.operation import AnyOperation
from toolaccord.handler import Caller, Progress, SendMessage
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator
from toolaccord.semantics.normalization import round_down
from toolaccord.telemetry.call_status import CallStatus
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineQueue

if TYPE_CHECKING:  # a server without tasks or older versions does not load them
    from toolaccord.tasks.task import Task
    from toolaccord.versioning.lifecycle import Deprecation
    from toolaccord.versioning.upgrade_path import UpgradePath


class Deferred(Exception):
    """A call became a task, which answers it later."""

    def __init__(self, task: Task) -> None:
        super().__init__("the call is a task")
        self.task = task


Defer: TypeAlias = "Callable[[IncomingCall, Any], Awaitable[Task]]"
"""Stores a valid call as a task, and returns that; takes its `PreparedCall`, too."""


class Span(Protocol):
    """The trace span of one call."""

    @property
    def trace_id(self) -> str:
        """The id of its trace, 32 hexadecimal digits."""

    def activate(self) -> AbstractContextManager[object]:
        """Return a context manager under which new spans become children of this one."""

    def end(self, status: CallStatus, code: str | None, older: str | None = None) -> None:
        """End the span.

        *code* is that of an error, *older* the version called if that is not the newest.
        """


class BoundOperation:
    """An operation with its calls in flight, and its schemas; each is compiled on first use."""

    def __init__(self, operation: AnyOperation, clock: Clock) -> None:
        self.operation = operation
        self.source = operation.source
        """Name of the source of its answers; None if it uses none."""
        self.deadlines = DeadlineQueue(clock, operation.timeout_ms / 1000)
        """Deadlines of the calls in flight."""
        self.queue = Queue(operation, clock)
        """Calls in flight, and the times of those that finished."""

    @cached_property
    def parameters(self) -> SchemaValidator:
        """Validator of the arguments, in the newest version."""
        return SchemaValidator(self.operation.parameters)

    def normalise(self, arguments: JsonObject) -> JsonObject:
        """Return valid *arguments* of the newest version as the cache and the handler see them.

        Equal arguments become the same: defaults are filled in, and instants are rounded as the contract says.
        """
        complete: JsonObject = self.parameters.normalise(arguments)
        precision = self.operation.cache.precision if self.operation.cache else {}
        rounded = {name: round_down(complete[name], unit) for name, unit in precision.items() if name in complete}
        return complete | rounded if rounded else complete

    @cached_property
    def returns(self) -> SchemaValidator:
        """Validator of the result, in the newest version."""
        return SchemaValidator(self.operation.returns)

    @cached_property
    def upgrade_paths(self) -> Mapping[Any, UpgradePath]:
        """Upgrade path of each older version, by its version."""
        from toolaccord.versioning.upgrade_path import upgrade_paths  # noqa: PLC0415 - only for calls of a version

        return {path.version.version: path for path in upgrade_paths(self.operation)}

    def compile(self) -> None:
        """Compile what the first call would otherwise compile."""
        self.operation.request.model_rebuild()
        _ = self.parameters, self.returns
        if self.operation.versions:
            _ = self.upgrade_paths
        if self.operation.conditions:
            import toolaccord.call.conditions  # noqa: F401, PLC0415 - few operations have conditions


async def compile_ahead(operations: Collection[BoundOperation]) -> None:
    """Compile *operations* and the models around them.

    A call that arrives meanwhile runs between two of them.
    """
    for bound in operations:
        bound.compile()
        await asyncio.sleep(0)
    modules = {bound.operation.request.__module__ for bound in operations}
    for model in ContractModel.__subclasses__():  # no declaration lists the models of results
        if model.__module__ in modules:
            model.model_rebuild()
            await asyncio.sleep(0)


class IncomingCall(NamedTuple):
    """A call as it arrives."""

    bound: BoundOperation
    """The called operation."""
    arguments: Any
    """The arguments, not validated."""
    meta: Mapping[str, Any] | None
    """The call's `_meta`, completed by the transport."""
    caller: str
    """Name of the caller, as it says; empty if unknown."""
    corr_id: str
    """Correlation id of the call, in logs and answers."""
    received_at: float
    """Time of arrival, in seconds of the clock's monotonic time."""
    version: Any = None
    """The version that the caller names, not validated; None for the newest."""
    progress: Progress | None = None
    """Receiver of progress reports; None if the caller wants none."""
    send_log: SendMessage | None = None
    """Receiver of the handler's log messages; None if the caller wants none."""
    identity: str | None = None
    """Proven identity of the caller; empty without one, None for the one client of the process."""
    proven: Caller | None = None
    """The caller, where a token proves it."""
    channel: AskChannel | None = None
    """Way to ask the caller; None if it cannot be asked."""
    span: Span | None = None
    """The call's trace span; None without tracing."""
    upgrade_path: UpgradePath | None = None
    """Path from that version to the newest; None if it is the newest."""
    deprecation: Deprecation | None = None
    """Deprecation notice of that version; None if it is not deprecated."""
    defer: Defer | None = None
    """Makes a task of the call instead of running its handler; None to run it now."""
    task_key: str | None = None
    """Idempotency key of the task whose run this is; None for a call that is no task."""

    def by(self, proven: Caller | None) -> IncomingCall:
        """Return the call with its proven caller."""
        return self if proven is None else self._replace(proven=proven)

    @property
    def rename_pointer(self) -> Callable[[str], str | None]:
        """Function that translates argument pointers to the caller's version.

        It takes a pointer of the newest version, and returns None for a place that the caller's version does not have.
        """
        return str if self.upgrade_path is None else self.upgrade_path.older_pointer

    @property
    def parameters(self) -> SchemaValidator:
        """Validator of the arguments, in the caller's version."""
        return self.bound.parameters if self.upgrade_path is None else self.upgrade_path.parameters

    @property
    def returns(self) -> JsonObject:
        """Schema of the result, in the caller's version."""
        return self.bound.operation.returns if self.upgrade_path is None else self.upgrade_path.version.returns
