"""Records of a client's policies; the keys of an agent's contract have the same meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord.client.declarations import RemoteTool
from toolaccord.contract.policies import ToolCache
from toolaccord.sources.addresses import find_address_error

_MAX_CACHE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """Time budget of a call with its retries, pauses, cache look-ups and reconnects.

    An option `timeout_s` of a call replaces the budget. Raises ValueError for invalid values.
    """

    timeout_s: float
    """Seconds for the whole call."""
    attempt_timeout_s: float | None = None
    """Seconds for one attempt; by default the tool's deadline and 5 s."""

    def __post_init__(self) -> None:
        require(self.timeout_s > 0, "Deadline.timeout_s must be above 0")
        require(
            self.attempt_timeout_s is None or self.attempt_timeout_s > 0, "Deadline.attempt_timeout_s must be above 0"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCache:
    """Cache of results: in this process, and in a Redis if there is a URL.

    Without Redis, or while it is away, each client has the results that it received itself. Give clients that may see
    different results, because of their token or their server, different prefixes. Raises ValueError for invalid values.
    """

    tools: Mapping[RemoteTool[Any, Any], ToolCache]
    """Lifetimes by tool. Other tools are not cached."""
    prefix: str
    """Beginning of every key in Redis, such as `signal-gen:cache:`."""
    url: str | None = field(default=None, repr=False)
    """URL of the Redis, such as `redis://127.0.0.1:6379/0`."""
    max_bytes: int = _MAX_CACHE_BYTES
    """Largest number of bytes in this process; the least recently used result is removed first."""

    def __post_init__(self) -> None:
        writing = [tool.name for tool in self.tools if tool.writes]
        require(not writing, f"ClientCache.tools must hold no tool that writes: {', '.join(writing)}")
        for cache in self.tools.values():
            require(0 < cache.ttl_s < math.inf, "ToolCache.ttl_s must be above 0 and finite")
            require(
                cache.stale_if_error_s is None or cache.ttl_s < cache.stale_if_error_s < math.inf,
                "ToolCache.stale_if_error_s counts from the receipt of a result, so it must be above ttl_s, and finite",
            )
        if self.url is not None and (error := find_address_error("redis", self.url)):
            raise ValueError(f"ClientCache.url {error}")


def require(condition: bool, rule: str) -> None:  # noqa: FBT001 - an assertion's only argument beside its text
    """Raise ValueError with the *rule* unless *condition* holds."""
    if not condition:
        raise ValueError(rule)
