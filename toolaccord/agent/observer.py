"""Observer of an agent's calls, which counts them in its metrics and for each request."""

from __future__ import annotations

import logging
from contextvars import ContextVar

from toolaccord.agent.metrics import AgentMetrics
from toolaccord.client.policies import CallObserver, ObservedTool
from toolaccord.errors import find_type

_LOG = logging.getLogger(__name__)
_retries: ContextVar[list[str]] = ContextVar("retries")
"""Names of the tools that the running request called again, one for each retry."""


class AgentObserver(CallObserver):
    """Counts calls, and logs retries and stale results."""

    def __init__(self, metrics: AgentMetrics) -> None:
        self._metrics = metrics

    def on_attempt(self, tool: ObservedTool, attempt: int) -> None:  # noqa: ARG002 - the observer's interface
        """Count a request."""
        self._metrics.record_attempt(tool.name)

    def on_retry(self, tool: ObservedTool, retry: int, delay_s: float, error: Exception) -> None:
        """Count and log a retry."""
        self._metrics.record_retry(tool.name, retry)
        _retries.get([]).append(tool.name)
        _LOG.warning("retry %s of %s in %.3g s: %s", retry, tool.name, delay_s, error)

    def on_retries_exhausted(self, tool: ObservedTool, error: Exception) -> None:
        """Count a call without a result; the handler logs it, or fails with it."""
        self._metrics.record_exhausted_retries(tool.name)
        self._metrics.record_error(find_type(error))

    def on_cache_hit(self, tool: ObservedTool, age_s: float) -> None:  # noqa: ARG002 - see on_attempt
        """Count a cached result."""
        self._metrics.record_cache_lookup(tool.name, is_hit=True)

    def on_cache_miss(self, tool: ObservedTool) -> None:
        """Count a call that the cache did not replace."""
        self._metrics.record_cache_lookup(tool.name, is_hit=False)

    def on_stale_result(self, tool: ObservedTool, age_s: float, error: Exception) -> None:
        """Log the use of a stale result."""
        _LOG.warning("a result of %s of %.3g s ago replaces a failed call: %s", tool.name, age_s, error)


def count_retries() -> list[str]:
    """Return a list to which each retry of the running task adds its tool.

    Tasks that it starts add to the same list.
    """
    retries: list[str] = []
    _retries.set(retries)
    return retries
