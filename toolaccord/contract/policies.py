"""Policies of tools, resources and prompts: caching, repetition, limits, causes of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Counts, Judged, Required, Uncounted
    from toolaccord.contract.texts import Duration, Pointer
    from toolaccord.semantics.normalization import InstantUnit

Occasion: TypeAlias = Literal["source", "deadline", "conflict", "rate_limit", "overload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy:
    """Caching of the tool's results."""

    ttl_s: Annotated[Duration, Counts(raised="CACHE_TTL_RAISED", lowered="CACHE_TTL_LOWERED")]
    """Seconds for which a result is cached."""
    provisional_ttl_s: (
        Annotated[
            Duration,
            Counts(
                added="CACHE_TTL_LOWERED",
                removed="CACHE_TTL_RAISED",
                raised="CACHE_TTL_RAISED",
                lowered="CACHE_TTL_LOWERED",
                subject="provisional_ttl_s",
            ),
        ]
        | None
    ) = None
    """Seconds for which a provisional result is cached: one that the handler returns as
    Provisional(result).
    """
    bypass: (
        Annotated[
            str, Counts("CACHE_BYPASS_REMOVED", added="CACHE_BYPASS_ADDED", removed="CACHE_BYPASS_REMOVED", subject="")
        ]
        | None
    ) = None
    """Boolean parameter with which a caller bypasses the cache."""
    precision: Annotated[
        Mapping[str, InstantUnit], Constraint(minProperties=1), Counts("CACHE_PRECISION_CHANGED", subject="")
    ] = field(default_factory=dict)
    """By the name of a date-time parameter: the unit in UTC to which it is rounded down, for the
    cache and for the handler.
    """
    store: Annotated[str, Counts("CACHE_STORE_CHANGED", subject="")] | None = None
    """Redis source in which replicas share results; it is no effect of the tool.

    Each replica also keeps a copy in memory.
    """
    memory_ttl_s: (
        Annotated[
            float,
            Constraint(minimum=0),
            Counts(
                added="CACHE_MEMORY_TTL_LOWERED",
                removed="CACHE_MEMORY_TTL_RAISED",
                raised="CACHE_MEMORY_TTL_RAISED",
                lowered="CACHE_MEMORY_TTL_LOWERED",
                subject="memory_ttl_s",
            ),
        ]
        | None
    ) = None
    """Largest age in seconds of a replica's copy of a shared result; 0 keeps no copy.

    ttl_s if absent. It needs a store.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Recognition of repeated calls, so that a tool acts once."""

    key_from: Annotated[
        tuple[Literal["request", "derived"], ...],
        Constraint(minItems=1, uniqueItems=True),
        Counts(removed="IDEMPOTENCY_KEY_REMOVED"),
        Judged("derived, where it was added"),
    ]
    """Origin of the key.

    request: the caller sends it in _meta.idempotency_key or the header Idempotency-Key. derived: the library derives it
    from caller, arguments and the current span of window_s seconds, if the caller sends none. Without a key every call
    writes.
    """
    window_s: Annotated[
        int,
        Constraint(minimum=1, maximum=31536000),
        Counts(raised="IDEMPOTENCY_WINDOW_EXTENDED", lowered="IDEMPOTENCY_WINDOW_SHORTENED"),
    ]
    """Seconds for which a key is stored."""
    store: Annotated[str, Counts("IDEMPOTENCY_STORE_CHANGED", subject="")] | None = None
    """Redis source that stores keys and results; it is no effect of the tool.

    Without it the handler stores them in PostgreSQL with the data that it writes.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limit of the calls that one caller may make.

    A call beyond it fails before its arguments are checked.
    """

    per: Annotated[Literal["caller"], Required(), Uncounted("it has one value")] = "caller"
    """caller: the calls of each caller are counted apart."""
    calls: Annotated[int, Constraint(minimum=1, maximum=10000), Judged("with window_s")]
    """Number of calls in any span of window_s seconds."""
    window_s: Annotated[int, Constraint(minimum=1, maximum=86400), Judged("with calls")]
    """Length of such a span in seconds."""
    store: Annotated[str, Judged("where both states have a limit")] | None = None
    """Redis source that counts the calls of all replicas; it is no effect of the tool.

    Without it each replica counts its own.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheHint:
    """Advice to clients on caching of the content. Clients of 2026-07-28 receive it."""

    ttl_s: Annotated[
        float, Constraint(minimum=0, maximum=31536000), Counts(raised="CACHE_TTL_RAISED", lowered="CACHE_TTL_LOWERED")
    ]
    """Seconds for which the content stays fresh."""
    scope: Annotated[Literal["public", "private"], Counts("CACHE_SCOPE_CHANGED", subject="")]
    """public: callers may share a cached content. private: each caller has its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPolicy:
    """Calls that may outlive their connection: as tasks, which their callers come back for."""

    mode: Annotated[Literal["optional", "required"], Judged("by the callers that cannot handle tasks")]
    """Treatment of callers that cannot handle tasks.

    optional: such a caller gets the result itself, within the deadline. required: it gets an error.
    """
    store: Annotated[str, Counts("TASK_STORE_CHANGED", subject="")] | None = None
    """Source of kind redis or nats with the tasks and their queue; it is no effect of the tool.

    Without it, tasks live in the memory of one process. All tools of a server name the same.
    """
    timeout_s: (
        Annotated[float, Constraint(exclusiveMinimum=0, maximum=86400), Judged("beside the deadline of the tool")]
        | None
    ) = None
    """Seconds that one run of the handler may take; the deadline of the tool if absent."""
    ttl_s: Annotated[
        int, Constraint(minimum=1, maximum=2592000), Counts(raised="TASK_TTL_EXTENDED", lowered="TASK_TTL_SHORTENED")
    ] = 3600
    """Seconds from its creation for which a task can be read; then its result is gone."""
    poll_ms: Annotated[int, Constraint(minimum=10, maximum=3600000), Counts("TASK_CHANGED")] = 1000
    """Milliseconds that callers are told to wait between two looks at a task."""
    concurrency: Annotated[int, Constraint(minimum=1, maximum=1000), Counts("TASK_CHANGED")] = 10
    """Largest number of tasks of the tool that one process runs at once."""
    max_waiting: Annotated[int, Constraint(minimum=1, maximum=1000000), Counts("TASK_CHANGED")] = 10000
    """Largest number of its tasks that wait for a worker.

    A further call is rejected as overload.
    """
    redeliver_after_s: Annotated[float, Constraint(minimum=1, maximum=3600), Counts("TASK_CHANGED")] = 30
    """Seconds after which the task of a silent worker goes to another one."""
    max_attempts: Annotated[int, Constraint(minimum=1, maximum=100), Counts("TASK_CHANGED")] = 3
    """Number of workers that may die with a task; then it has failed."""
    after_crash: Annotated[Literal["repeat", "fail"], Counts("TASK_CHANGED")] = "repeat"
    """Fate of a task whose worker died.

    repeat: another worker runs the handler again. fail: the task has failed, as nobody knows what the handler did.
    """
    max_result_bytes: Annotated[
        int,
        Constraint(minimum=1024, maximum=16777216),
        Counts(raised="TASK_RESULT_RAISED", lowered="TASK_RESULT_LOWERED"),
    ] = 524288
    """Size beyond which the result of a task is an error; 921600 at most in a nats source."""
    asks_first: Annotated[
        tuple[str, ...], Constraint(minItems=1, uniqueItems=True), Judged("among the asks of the tool")
    ] = ()
    """Asks that the caller answers before the task is created.

    Their messages have no parameters but required arguments of the tool. The handler finds them answered.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Origin of the error outside the handler: invalid arguments (at, keyword) or an occasion."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {
        "minProperties": 1,
        "dependentRequired": {"keyword": ["at"]},
        "if": {"required": ["occasion"]},
        "then": {"maxProperties": 1},
    }
    at: Annotated[tuple[Pointer, ...], Constraint(minItems=1)] = ()
    """Arguments that this code is for; a missing argument is a violation too."""
    keyword: (
        Literal[
            "type",
            "enum",
            "const",
            "format",
            "pattern",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "required",
            "additionalProperties",
            "minItems",
            "maxItems",
            "anyOf",
            "oneOf",
        ]
        | None
    ) = None
    """Limits the code to violations of this schema keyword, e.g. maxLength."""
    occasion: Occasion | None = None
    """source: a source failed. deadline: the call took too long.

    conflict: an idempotency key was used again with other arguments. rate_limit: the caller made too many calls.
    overload: the calls ahead would take too long.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCache:
    """Caching of a used tool's results by the agent."""

    ttl_s: Duration
    """Seconds for which a result replaces a call."""
    stale_if_error_s: Duration | None = None
    """Maximum age in seconds of a result that replaces a failed call. None does if absent."""

    @property
    def lifetime_s(self) -> float:
        """Seconds after which a result is of no use."""
        return self.stale_if_error_s or self.ttl_s
