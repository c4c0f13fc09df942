"""Coroutines that block the event loop, so that everything else comes late."""

from __future__ import annotations

import logging
import types
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_SHORTEST_S = 0.1
"""Seconds from which on a step counts as blocking; conversions of large results take less."""


class Mark(NamedTuple):
    """A moment, from which on blocked time is looked at."""

    at: float
    """Time in seconds of the clock's monotonic time."""
    blocked_s: Mapping[str, float]
    """Seconds that each operation had blocked before it."""


class LoopWatch:
    """Measures each step of coroutines, from one wait to the next, in which nothing else runs."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._blocked_s: dict[str, float] = {}
        """Seconds by the name of the operation that blocked; its first block is in the log."""

    def mark(self) -> Mark:
        """Return the present moment."""
        return Mark(self._monotonic(), self._blocked_s.copy())

    def explain(self, start: Mark) -> str | None:
        """Return who blocked the loop longest, if it was blocked for most of the time since *start*."""
        blocked_s = {name: seconds - start.blocked_s.get(name, 0.0) for name, seconds in self._blocked_s.items()}
        if sum(blocked_s.values()) < max(_SHORTEST_S, (self._monotonic() - start.at) / 2):
            return None
        return _describe(*max(blocked_s.items(), key=lambda item: item[1]))

    async def run(self, name: str, running: Awaitable[T]) -> T:
        """Return the result of an operation *name* that is *running*; measure its steps."""
        return await self._measure(name, running)

    @types.coroutine
    def _measure(self, name: str, running: Awaitable[T]) -> Generator[Any, Any, T]:
        steps, monotonic = running.__await__(), self._monotonic
        resume: Callable[[Any], Any] = steps.send
        value: Any = None
        while True:
            started = monotonic()
            try:
                awaited = resume(value)
            except StopIteration as stop:
                result: T = stop.value
                return result
            finally:
                if (step_s := monotonic() - started) >= _SHORTEST_S:
                    self._note(name, step_s)
            try:
                resume, value = steps.send, (yield awaited)
            except BaseException as error:
                resume, value = steps.throw, error

    def _note(self, name: str, step_s: float) -> None:
        if name not in self._blocked_s:
            _LOG.warning("%s", _describe(name, step_s))
        self._blocked_s[name] = self._blocked_s.get(name, 0.0) + step_s


def _describe(name: str, seconds: float) -> str:
    return (
        f"{name} blocked the event loop for {seconds * 1000:.0f} ms, and everything else waited; "
        "let a thread do such work, with asyncio.to_thread"
    )
