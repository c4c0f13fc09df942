"""Operations: all that the path of a call knows of a tool, a resource or a prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit
from toolaccord.declarations.causes import DeclaredError
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # the compiler imports this module, and few operations have conditions or older versions
    from pydantic import BaseModel

    from toolaccord.semantics.conditions import Condition
    from toolaccord.semantics.version_steps import Step

Request = TypeVar("Request", bound="BaseModel")
Call = TypeVar("Call")
Result = TypeVar("Result")

NO_RESULT: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of the result of a tool that returns content alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderVersion:
    """A version of a tool that is not the newest and is still answered."""

    version: str
    """The version that callers name."""
    released_on: date | None = None
    """The first day on which it was answered; None if the contract does not say."""
    deprecated_on: date | None = None
    """The first day of its deprecation; None while it is not deprecated."""
    sunset_on: date | None = None
    """The last day on which it is answered; None while it has none."""
    parameters: JsonObject
    """The schema of its arguments, everything inlined."""
    returns: JsonObject = field(default_factory=lambda: NO_RESULT)
    """The schema of its result, everything inlined; `NO_RESULT` without one."""
    parameter_steps: tuple[Step, ...]
    """Steps from its arguments to those of the next newer version.

    A lookup runs in this direction.
    """
    result_steps: tuple[Step, ...]
    """Steps from its result to that of the next newer version.

    Results go in the other direction, and so does a lookup.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[Request, Call, Result]):
    """Something that a client calls: it checks arguments, runs a handler, and checks its result.

    A tool is an operation. Others read a resource, write a prompt, or complete a value.
    """

    is_enveloped: ClassVar[bool] = False
    """True if the dialect's envelope surrounds its result; a failure always has one."""

    name: str
    """The name that callers, logs and metrics use."""
    request: type[Request]
    """The model of its arguments."""
    parameters: JsonObject
    """The schema of its arguments, everything inlined."""
    returns: JsonObject = field(default_factory=lambda: NO_RESULT)
    """The schema of its result, everything inlined; `NO_RESULT` without one."""
    handler: Callable[[Request, Call], Awaitable[Result]]
    """The handler, a coroutine function."""
    timeout_ms: int
    """Its deadline in milliseconds."""
    reads: tuple[str, ...] = ()
    """Names of the sources it reads.

    The first of reads and writes is the `source` of its answers.
    """
    writes: tuple[str, ...] = ()
    """Names of the sources it changes, also by adding and by its events."""
    reads_all: bool = False
    """True if it may read every source, as completions do.

    Contracts do not declare their effects.
    """
    publishes: tuple[str, ...] = ()
    """Names of the events it publishes."""
    content: tuple[str, ...] = ()
    """The kinds of content that it returns, with some media types; empty for none."""
    errors: tuple[DeclaredError, ...] = ()
    """The errors it may answer with; if several apply, the first one counts."""
    conditions: tuple[Condition, ...] = ()
    """Conditions between arguments."""
    cache: CachePolicy | None = None
    """The cache policy; None if results are not cached."""
    keeps_values: bool = False
    """True if it keeps what its handler lists for all callers: a completion with `ttl_s`."""
    paginated: bool = False
    """True if the handler returns a `Page`; its arguments then include `offset` and `limit`."""
    nullable_results: bool = False
    """True if `returns` admits null somewhere; otherwise members that are None are left out."""
    idempotency: Idempotency | None = None
    """The idempotency of its calls; None if every call runs the handler."""
    rate_limit: RateLimit | None = None
    """The limit of a caller's calls; None without one."""
    progress: bool = False
    """True if the handler reports progress."""
    logging: bool = False
    """True if the handler sends log messages to the client."""
    asks: tuple[str, ...] = ()
    """Names of the asks that the handler may put to its caller."""
    version: str = ""
    """The version of its contract; empty for the one version of an operation that is no tool."""
    versions: tuple[OlderVersion, ...] = ()
    """The older versions that are still answered, the newest first."""

    @property
    def has_result(self) -> bool:
        """Return False if the handler returns content alone."""
        return True

    @property
    def is_shared(self) -> bool:
        """Return True if callers share what its handler returns, which then cannot depend on one."""
        return self.cache is not None or self.keeps_values

    @property
    def source(self) -> str | None:
        """Return the name of the source of its answers; None if it uses none."""
        return next(iter((*self.reads, *self.writes)), None)


AnyOperation: TypeAlias = Operation[Any, Any, Any]
"""An operation of whatever arguments, call and result."""
