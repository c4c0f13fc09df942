"""Policies of tools, resources and prompts: caching, repetition and limits of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolaccord.semantics.normalization import InstantUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy:
    """Time to live of a tool's results in the cache."""

    ttl_s: float
    """Seconds for which a result is cached."""
    bypass: str | None
    """The boolean parameter that bypasses the cache; None without one."""
    precision: Mapping[str, InstantUnit] = field(default_factory=dict)
    """The unit to which an instant is rounded down, by the name of its parameter."""
    provisional_ttl_s: float | None = None
    """Seconds for which a `Provisional` result is cached; None if the handler returns none."""
    store: str | None = None
    """Name of the Redis source in which replicas share results; None if each has its own."""
    memory_ttl_s: float | None = None
    """Seconds for which a replica keeps a copy of a shared result; None for the result's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Idempotency of a tool: a call that repeats a key has no effect again."""

    key_from: tuple[Literal["request", "derived"], ...]
    """Origins of a key: the caller's request, or its arguments and the time."""
    window_s: int
    """Seconds for which a key is remembered."""
    store: str | None = None
    """The Redis source that stores keys; None if the handler stores them in PostgreSQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limit of the calls that one caller may make."""

    calls: int
    """Number of calls in any span of `window_s` seconds."""
    window_s: int
    """Length of such a span in seconds."""
    store: str | None = None
    """The Redis source that counts the calls of all replicas; None if each counts its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheHint:
    """Advice to clients on caching of a content."""

    ttl_s: float
    """Seconds for which the content stays fresh."""
    scope: Literal["public", "private"]
    """`public` if callers may share a cached content."""
