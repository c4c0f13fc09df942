"""Pauses between looks at a task, and patience with a server that is away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from toolaccord.client.task_states import TaskState
from toolaccord.errors import CallFailed, ServerGone, ToolError
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.retrying import Retry

T = TypeVar("T")

AWAY_S = 300.0
"""Seconds after which a server that is away, or at fault, does not come back."""
_DEFAULT_PAUSE_S = 1.0
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 600.0
_JITTER = 0.1
_BACKOFF = Retry(initial_delay_s=0.5, max_delay_s=30.0, jitter=_JITTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Waits between requests; clock and randomness are arguments."""

    clock: Clock
    random: Callable[[], float]
    """Returns random numbers from 0 to 1, for the jitter."""

    async def pause(self, state: TaskState | None) -> None:
        """Wait as long as the server wants between two looks, and a random part, within bounds."""
        wanted_s = (state.poll_ms or 0) / 1000 if state else 0.0
        if not wanted_s > 0:
            wanted_s = _DEFAULT_PAUSE_S
        bounded_s = min(max(wanted_s, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S)
        await sleep(self.clock, bounded_s * (1 + _JITTER * self.random()))

    async def insist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the result of *attempt*, which may be repeated while its error is retryable.

        Raises its error if that is final, or after `AWAY_S` seconds without an answer.
        """
        began_at, failures = self.clock.monotonic(), 0
        while True:
            try:
                return await attempt()
            except (CallFailed, ToolError) as error:
                failures += 1
                if not _may_pass(error) or self.clock.monotonic() - began_at >= AWAY_S:
                    raise
                retry_after_s = getattr(error, "details", {}).get("retry_after_s")
                wanted_s = retry_after_s if isinstance(retry_after_s, int | float) else 0.0
            await sleep(self.clock, _BACKOFF.pause_s(failures, wanted_s, self.random()))


def _may_pass(error: CallFailed | ToolError) -> bool:
    """Return whether the same request may be answered later."""
    return error.retryable and not (isinstance(error, ServerGone) and error.is_final)
