"""Events of calls under policies, such as an application counts in its metrics."""

from __future__ import annotations

from typing import NamedTuple


class ObservedTool(NamedTuple):
    """The tool that an event is about."""

    server: str
    """Name of the server."""
    name: str
    """Name of the tool."""


class CallObserver:
    """Learns of the events of calls; a subclass overrides those that it counts.

    The methods are called synchronously on the call's path, so they must be quick. What they raise, the call raises.
    """

    def on_attempt(self, tool: ObservedTool, attempt: int) -> None:
        """Learn that a request is sent; *attempt* counts from 1 in each call."""

    def on_retry(self, tool: ObservedTool, retry: int, delay_s: float, error: Exception) -> None:
        """Learn that *error* leads to retry number *retry*, from 1, after *delay_s* seconds."""

    def on_retries_exhausted(self, tool: ObservedTool, error: Exception) -> None:
        """Learn that a call failed with the retryable *error*, and no try, time or budget is left."""

    def on_cache_hit(self, tool: ObservedTool, age_s: float) -> None:
        """Learn that the cache supplied a result, which is *age_s* seconds old."""

    def on_cache_miss(self, tool: ObservedTool) -> None:
        """Learn that a call needs the server, because the cache has no result younger than `ttl_s`."""

    def on_stale_result(self, tool: ObservedTool, age_s: float, error: Exception) -> None:
        """Learn that a result of *age_s* seconds replaces that of a call which failed with *error*."""
