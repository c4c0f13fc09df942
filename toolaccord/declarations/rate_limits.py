"""Declaration of the limits of a caller's calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limit of the calls that one caller may make."""

    calls: int
    """Number of calls in any span of `window_s` seconds."""
    window_s: int
    """Length of such a span in seconds."""
    store: str | None = None
    """The Redis source that counts the calls of all replicas; None if each counts its own."""
