"""Records of a client's policies; the keys of an agent's contract have the same meaning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord.client.calls import CallExecutor
from toolaccord.client.declarations import RemoteTool
from toolaccord.client.policies.observer import CallObserver
from toolaccord.sources.addresses import find_address_error
from toolaccord.timing.clock import Clock, SystemClock

_MAX_CACHE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Attempts of a call that fails for a retryable reason.

    The pause before retry *n*, from 1, is `initial_delay_s * multiplier ** (n - 1)` seconds, at most *max_delay_s*. A
    longer `retry_after_s` of the error replaces it, however long; a call without that time fails at once. A random part
    of up to *jitter* of the pause is added, so that clients which failed together do not come back together.

    A call that writes is attempted once, unless it carries an idempotency key. Raises ValueError for invalid values.
    """

    max_attempts: int = 3
    """Largest number of attempts, the first included."""
    initial_delay_s: float = 0.5
    """Pause before the first retry, in seconds."""
    max_delay_s: float = 5.0
    """Longest pause, in seconds."""
    multiplier: float = 2.0
    """Factor from one pause to the next."""
    jitter: float = 0.1
    """Largest random part, as a share of the pause."""

    def __post_init__(self) -> None:
        _require(self.max_attempts >= 1, "Retry.max_attempts must be 1 or more")
        _require(
            0 <= self.initial_delay_s <= self.max_delay_s < math.inf,
            "Retry.initial_delay_s must be from 0 to max_delay_s, and max_delay_s finite",
        )
        _require(1 <= self.multiplier < math.inf, "Retry.multiplier must be 1 or more, and finite")
        _require(0 <= self.jitter <= 1, "Retry.jitter must be from 0 to 1")


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
        _require(self.timeout_s > 0, "Deadline.timeout_s must be above 0")
        _require(
            self.attempt_timeout_s is None or self.attempt_timeout_s > 0, "Deadline.attempt_timeout_s must be above 0"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCache:
    """Lifetime of a tool's results in the client's cache. Raises ValueError for invalid values."""

    ttl_s: float
    """Seconds for which a result replaces a call."""
    stale_if_error_s: float | None = None
    """Largest age in seconds of a result that replaces a failed call; None if none does.

    The failure must be retryable, and its retries over. Both times count from the receipt of the result.
    """

    def __post_init__(self) -> None:
        _require(0 < self.ttl_s < math.inf, "ToolCache.ttl_s must be above 0 and finite")
        _require(
            self.stale_if_error_s is None or self.ttl_s < self.stale_if_error_s < math.inf,
            "ToolCache.stale_if_error_s counts from the receipt of a result, so it must be above ttl_s, and finite",
        )

    @property
    def lifetime_s(self) -> float:
        """Seconds after which a result is of no use."""
        return self.stale_if_error_s or self.ttl_s


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
        _require(not writing, f"ClientCache.tools must hold no tool that writes: {', '.join(writing)}")
        if self.url is not None and (error := find_address_error("redis", self.url)):
            raise ValueError(f"ClientCache.url {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPolicies:
    """Policies of a client; it does without those that are None.

    One record may serve several clients: each has its own cache in memory, and its own concurrency limit.
    Raises ValueError for invalid values.
    """

    retry: Retry | None = None
    """Attempts of a call."""
    deadline: Deadline | None = None
    """Time budget of a call; by default the tool's deadline and 5 s."""
    cache: ClientCache | None = None
    """Cache of results."""
    max_concurrent: int | None = None
    """Largest number of requests at once; further ones wait, until their deadline."""
    observer: CallObserver = field(default_factory=CallObserver)
    """Learns of events."""
    clock: Clock = field(default_factory=SystemClock)
    """Clock of pauses, budgets and ages; tests may move it."""
    random: Callable[[], float] = field(default=random.random)
    """Returns random numbers from 0 to 1, for the jitter."""

    def __post_init__(self) -> None:
        _require(
            self.max_concurrent is None or self.max_concurrent >= 1, "ClientPolicies.max_concurrent must be 1 or more"
        )

    def start(self) -> CallExecutor:
        """Return the executor of one client."""
        from toolaccord.client.policies.executor import PolicyExecutor  # noqa: PLC0415 - loads tenacity

        return PolicyExecutor(self)


def _require(condition: bool, rule: str) -> None:  # noqa: FBT001 - an assertion's only argument beside its text
    """Raise ValueError with the *rule* unless *condition* holds."""
    if not condition:
        raise ValueError(rule)
