"""Time as an argument: the clock a server lives by, so that tests can move it by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Timer(Protocol):
    """A callback that waits for its time."""

    def cancel(self) -> None:
        """Forget the callback; cancelling one that ran is no error."""


class Clock(Protocol):
    """The time of day, a time that only grows, and a way to be called later."""

    def now(self) -> datetime:
        """Return the time of day, aware and in UTC."""

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop once *seconds* have passed."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time of day, aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* in the running event loop once *seconds* have passed."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class Late(TimeoutError):
    """Work did not finish within its time."""


_until: ContextVar[float] = ContextVar("until")
"""When the work that runs must be done, on the clock's monotonic time; `within` sets it."""
_abandoned: set[asyncio.Task[Any]] = set()  # an event loop keeps no strong reference to a task


async def within(
    clock: Clock, seconds: float, work: Coroutine[Any, Any, T], *, dispose: Callable[[T], None] | None = None
) -> T:
    """Return what *work* returns, or raise Late once *seconds* have passed on *clock*.

    Late work is cancelled and left to clean up by itself: the caller never waits for it. If the caller is
    cancelled, so is the work. A result that comes too late for the caller goes to *dispose*, which gives back what
    it holds. Work that cancels itself is a RuntimeError: nobody asked for it.
    """
    loop, until, context = asyncio.get_running_loop(), clock.monotonic() + seconds, copy_context()
    context.run(_until.set, min(until, _until.get(until)))
    over = loop.create_future()

    def wake() -> None:
        if not over.done():
            over.set_result(None)

    async def waking() -> T:
        try:
            return await work
        finally:
            wake()  # a turn of the loop before the task's callback

    def ended(_done: object) -> None:
        work.close()  # nothing is left to close, unless it was cancelled before it began
        wake()

    task = loop.create_task(waking(), context=context)
    task.add_done_callback(ended)
    timer = clock.call_later(seconds, wake)
    try:
        await over
        if not task.done():
            raise Late(f"not finished within {seconds} s")  # noqa: TRY301 - to leave like a caller that is cancelled
    except BaseException:
        _abandon(task, dispose)
        raise
    finally:
        timer.cancel()
    if task.cancelled():
        raise RuntimeError("the work cancelled itself")
    return task.result()


def time_left(clock: Clock) -> float | None:
    """Return the seconds until the deadline of the work that asks, the nearest where one is `within` another; None without one."""
    until = _until.get(None)
    return None if until is None else until - clock.monotonic()


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until *seconds* have passed on *clock*."""
    over = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, lambda: None if over.done() else over.set_result(None))
    try:
        await over
    finally:
        timer.cancel()


def _abandon(task: asyncio.Task[T], dispose: Callable[[T], None] | None) -> None:
    """Cancel *task* and keep it alive until it has cleaned up; it may have a result by now, or have one all the same."""
    _abandoned.add(task)
    task.add_done_callback(lambda done: _forget(done, dispose))
    task.cancel()


def _forget(task: asyncio.Task[T], dispose: Callable[[T], None] | None) -> None:
    _abandoned.discard(task)
    if not task.cancelled() and task.exception() is None and dispose is not None:
        dispose(task.result())
