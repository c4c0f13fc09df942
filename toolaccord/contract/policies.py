"""Policies of tools, resources and prompts: caching, repetition and limits of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Required
    from toolaccord.contract.texts import Duration
    from toolaccord.semantics.normalization import InstantUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy:
    """Caching of the tool's results."""

    ttl_s: Duration
    """Seconds for which a result is cached."""
    provisional_ttl_s: Duration | None = None
    """Seconds for which a provisional result is cached: one that the handler returns as
    Provisional(result).
    """
    bypass: str | None = None
    """Boolean parameter with which a caller bypasses the cache."""
    precision: Annotated[Mapping[str, InstantUnit], Constraint(minProperties=1)] = field(default_factory=dict)
    """By the name of a date-time parameter: the unit in UTC to which it is rounded down, for the
    cache and for the handler.
    """
    store: str | None = None
    """Redis source in which replicas share results; it is no effect of the tool.

    Each replica also keeps a copy in memory.
    """
    memory_ttl_s: Annotated[float, Constraint(minimum=0)] | None = None
    """Largest age in seconds of a replica's copy of a shared result; 0 keeps no copy.

    ttl_s if absent. It needs a store.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Recognition of repeated calls, so that a tool acts once."""

    key_from: Annotated[tuple[Literal["request", "derived"], ...], Constraint(minItems=1, uniqueItems=True)]
    """Origin of the key.

    request: the caller sends it in _meta.idempotency_key or the header Idempotency-Key. derived: the library derives it
    from caller, arguments and the current span of window_s seconds, if the caller sends none. Without a key every call
    writes.
    """
    window_s: Annotated[int, Constraint(minimum=1, maximum=31536000)]
    """Seconds for which a key is stored."""
    store: str | None = None
    """Redis source that stores keys and results; it is no effect of the tool.

    Without it the handler stores them in PostgreSQL with the data that it writes.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limit of the calls that one caller may make.

    A call beyond it fails before its arguments are checked.
    """

    per: Annotated[Literal["caller"], Required()] = "caller"
    """caller: the calls of each caller are counted apart."""
    calls: Annotated[int, Constraint(minimum=1, maximum=10000)]
    """Number of calls in any span of window_s seconds."""
    window_s: Annotated[int, Constraint(minimum=1, maximum=86400)]
    """Length of such a span in seconds."""
    store: str | None = None
    """Redis source that counts the calls of all replicas; it is no effect of the tool.

    Without it each replica counts its own.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheHint:
    """Advice to clients on caching of the content. Clients of 2026-07-28 receive it."""

    ttl_s: Annotated[float, Constraint(minimum=0, maximum=31536000)]
    """Seconds for which the content stays fresh."""
    scope: Literal["public", "private"]
    """public: callers may share a cached content. private: each caller has its own."""
