"""Coroutines under a deadline: each runs in its own task, and its outcome is reported once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from toolaccord.timing.clock import Clock, Timer

T = TypeVar("T")


class DeadlineExceeded(TimeoutError):
    """A coroutine did not finish before its deadline."""

    def __init__(
        self, message: str = "", *, at: float = 0.0, late_s: float = 0.0, waits: Mapping[Any, float] | None = None
    ) -> None:
        super().__init__(message)
        self.at = at
        """Time of the end, in seconds of the clock's monotonic time."""
        self.late_s = late_s
        """Seconds from the deadline to the end: how long the event loop was busy meanwhile."""
        self.waits: Mapping[Any, float] = dict(waits or {})
        """Things that the coroutine waited for at that time, with the time when each wait began."""


class _Deadline:
    """Deadline that cancels nothing, and the one inside which it runs."""

    __slots__ = ("at", "outer")

    def __init__(self, at: float, outer: _AnyDeadline | None) -> None:
        self.at = at
        """Time in seconds of the clock's monotonic time."""
        self.outer = outer


_AnyDeadline: TypeAlias = "_Deadline | DeadlineTask[Any]"
_deadline: ContextVar[_AnyDeadline | None] = ContextVar("deadline", default=None)
"""Deadline of the running coroutine."""
_abandoned: set[asyncio.Task[Any]] = set()  # an event loop keeps no strong reference to a task


class DeadlineQueue:
    """Deadlines of tasks that share one timeout.

    One timer serves them all, because most tasks finish long before their deadline. It runs on when the last one has
    finished, for the next one: to cancel and start it would be a fifth of the cost of a short task.
    """

    def __init__(self, clock: Clock, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        """Seconds that each task has."""
        self._clock = clock
        self._deadlines: dict[DeadlineTask[Any], float] = {}
        """Deadline of each task, in seconds of the clock's monotonic time, the earliest first."""
        self._timer: Timer | None = None

    def monotonic(self) -> float:
        """Return the clock's monotonic time, in seconds."""
        return self._clock.monotonic()

    def add(self, task: DeadlineTask[Any]) -> float:
        """Start the timeout of *task*; return its deadline."""
        deadline = self._deadlines[task] = self._clock.monotonic() + self.timeout_s
        if self._timer is None:
            self._timer = self._clock.call_later(self.timeout_s, self._expire_tasks)
        return deadline

    def has_passed(self, deadline: float) -> bool:
        """Return whether *deadline* is over, though the timer may not have run yet."""
        return self._clock.monotonic() > deadline

    def remove(self, task: DeadlineTask[Any]) -> None:
        """Stop the timeout of *task*."""
        self._deadlines.pop(task, None)

    def close(self) -> None:
        """Cancel the timer; there are no further tasks."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire_tasks(self) -> None:
        """Expire the tasks whose deadline has passed, and set the timer for the next one.

        The timer is set even if a callback of an expired task raises.
        """
        self._timer = None
        now = self._clock.monotonic()
        try:
            while self._deadlines and self._earliest()[1] <= now:
                self._earliest()[0].expire()
        finally:
            if self._deadlines and self._timer is None:
                self._timer = self._clock.call_later(self._earliest()[1] - now, self._expire_tasks)

    def _earliest(self) -> tuple[DeadlineTask[Any], float]:
        return next(iter(self._deadlines.items()))


class DeadlineTask(Generic[T]):
    """A coroutine in its own task, with a deadline.

    Its outcome is reported once, without waiting for cleanup.

    The outcome is one of these:

    - the coroutine's result, or the exception it raises;
    - DeadlineExceeded, after the deadline;
    - CancelledError, after `abandon`;
    - RuntimeError, if somebody else cancels the coroutine, or if it raises SystemExit.

    A coroutine whose deadline passes before its first step never runs. After the deadline or `abandon`, it is cancelled
    and cleans up on its own. If it still returns a result, *dispose* is called with it to release what it holds.
    """

    __slots__ = (
        *("_context", "_coroutine", "_deadlines", "_dispose", "_on_done", "_pauses", "_task"),
        *("at", "outer", "waits"),
    )

    def __init__(
        self,
        deadlines: DeadlineQueue,
        coroutine: Coroutine[Any, Any, T],
        on_done: Callable[[T | None, BaseException | None], None],
        dispose: Callable[[T], None] | None = None,
    ) -> None:
        """Start *coroutine* in the next turn of the event loop, in a copy of the current context.

        *on_done* is called in that copy, with a result or an exception, as soon as the outcome is known.
        """
        self._context = context = copy_context()
        self._coroutine: Coroutine[Any, Any, T] | None = coroutine
        self._deadlines = deadlines
        self._dispose = dispose
        self._on_done: Callable[[T | None, BaseException | None], None] | None = on_done
        self._pauses = 0
        self.at = deadlines.add(self)
        """Deadline, in seconds of the clock's monotonic time; infinite while it is paused."""
        self.outer: _AnyDeadline | None = None
        """Deadline of the coroutine that started this one."""
        self.waits: dict[Any, float] = {}
        """Things that the coroutine waits for, with the time when each wait began."""
        self._task = asyncio.get_running_loop().create_task(self._run(coroutine), context=context)

    def abandon(self) -> None:
        """Cancel the coroutine and report CancelledError, unless the outcome is known."""
        self._cancel(asyncio.CancelledError())

    def expire(self) -> None:
        """Cancel the coroutine and report DeadlineExceeded, unless the outcome is known."""
        self._cancel(self._exceeded())

    def pause(self) -> None:
        """Stop the timeout, until `resume` is called as often."""
        self._pauses += 1
        self.at = math.inf
        self._deadlines.remove(self)

    def resume(self) -> None:
        """Start the whole timeout again, unless the task is still paused, or done."""
        self._pauses -= 1
        if not self._pauses and self._on_done is not None:
            self.at = self._deadlines.add(self)

    async def _run(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self.outer = _deadline.get()
        _deadline.set(self)
        self._coroutine = None
        if self._deadlines.has_passed(self.at):  # the loop was busy for that long
            coroutine.close()
            self._report(None, self._exceeded())
            return
        try:
            result = await coroutine
        except asyncio.CancelledError:
            self._report(None, RuntimeError("the coroutine was cancelled, and not by its owner"))
        except SystemExit as error:  # only a signal may end the process
            fault = RuntimeError("the coroutine tried to exit the process")
            fault.__cause__ = error
            self._report(None, fault)
        except KeyboardInterrupt as error:
            self._report(None, error)
            raise
        except BaseException as error:  # a panic in a Rust extension is a BaseException
            self._report(None, error)
        else:
            if self._on_done is not None:
                self._report(result, None)
            else:
                _dispose_of(result, self._dispose)

    def wait_for(self, thing: Any) -> None:
        """Note that the coroutine waits for *thing* from now on."""
        self.waits[thing] = self._deadlines.monotonic()

    def _exceeded(self) -> DeadlineExceeded:
        message, now = f"not finished within {self._deadlines.timeout_s} s", self._deadlines.monotonic()
        return DeadlineExceeded(message, at=now, late_s=now - self.at, waits=self.waits)

    def _report(self, result: T | None, error: BaseException | None) -> None:
        """Report the outcome; ignore every outcome after the first."""
        on_done, self._on_done = self._on_done, None
        if on_done is not None:
            self._deadlines.remove(self)
            on_done(result, error)

    def _cancel(self, error: BaseException) -> None:
        """Report *error*, cancel the coroutine, and keep its task alive until it has cleaned up."""
        if self._on_done is None:
            return
        if self._coroutine is not None:  # not started; cancelling its task would leave it unawaited
            self._coroutine.close()
        _abandoned.add(self._task)
        self._task.add_done_callback(_abandoned.discard)
        self._task.cancel()
        if asyncio.current_task(self._task.get_loop()) is self._task:  # its context is already entered
            self._report(None, error)
        else:
            self._context.run(self._report, None, error)


async def run_within(
    clock: Clock, seconds: float, coroutine: Coroutine[Any, Any, T], *, dispose: Callable[[T], None] | None = None
) -> T:
    """Return the result of *coroutine*; raise DeadlineExceeded after *seconds* on *clock*.

    Cancelling the caller cancels the coroutine. A result that arrives too late for the caller goes to *dispose*.
    `DeadlineTask` lists the other outcomes.
    """
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    on_done, deadlines = partial(_pass_on, future, dispose), DeadlineQueue(clock, seconds)
    task = DeadlineTask(deadlines, coroutine, on_done, dispose)
    try:
        return await future
    except asyncio.CancelledError:
        task.abandon()
        if not future.cancelled() and future.exception() is None:
            _dispose_of(future.result(), dispose)
        raise
    finally:
        deadlines.close()
        # Its exception has a traceback with this frame: a circle would hold all that the frames hold.
        del future, on_done, task


def _pass_on(
    future: asyncio.Future[T], dispose: Callable[[T], None] | None, result: Any, error: BaseException | None
) -> None:
    """Give the outcome of a task to the caller that waits for *future*."""
    if error is None and future.done():  # the caller was cancelled
        _dispose_of(result, dispose)
    elif isinstance(error, asyncio.CancelledError) or future.done():
        future.cancel()
    elif error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


@contextmanager
def deadline_in(clock: Clock, seconds: float) -> Iterator[None]:
    """Give the block, and tasks that it starts, a deadline that `time_left` reports.

    Nothing is cancelled. An earlier deadline of the caller stays.
    """
    token = _deadline.set(_Deadline(clock.monotonic() + seconds, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(token)


@contextmanager
def paused_deadline() -> Iterator[None]:
    """Stop the timeouts of the running coroutine within the block.

    They start again after it, with their whole time.
    """
    tasks = _open_tasks()
    for task in tasks:
        task.pause()
    try:
        yield
    finally:
        for task in tasks:
            task.resume()


def start_wait(thing: Any) -> list[DeadlineTask[Any]]:
    """Note that the running coroutine waits for *thing*; return the tasks for `end_wait`.

    A deadline that passes meanwhile names *thing* in its DeadlineExceeded.
    """
    tasks = _open_tasks()
    for task in tasks:
        task.wait_for(thing)
    return tasks


def end_wait(thing: Any, tasks: list[DeadlineTask[Any]]) -> None:
    """Note that the wait for *thing* is over."""
    for task in tasks:
        task.waits.pop(thing, None)


def _open_tasks() -> list[DeadlineTask[Any]]:
    """Return the tasks with a deadline inside which the coroutine runs, the innermost first."""
    tasks = []
    deadline = _deadline.get()
    while deadline is not None:
        if isinstance(deadline, DeadlineTask):
            tasks.append(deadline)
        deadline = deadline.outer
    return tasks


def settle(future: asyncio.Future[T], result: T | None) -> None:
    """Set the *result* of *future* unless it is done; cancel it if *result* is None."""
    if result is None:
        future.cancel()
    elif not future.done():
        future.set_result(result)


def _dispose_of(result: T, dispose: Callable[[T], None] | None) -> None:
    if dispose is not None:
        dispose(result)


def time_left(clock: Clock) -> float | None:
    """Return the seconds until the deadline of the running coroutine; None without one.

    The earliest deadline counts where one coroutine runs inside another.
    """
    deadline, earliest = _deadline.get(), math.inf
    while deadline is not None:
        earliest = min(earliest, deadline.at)
        deadline = deadline.outer
    return None if earliest == math.inf else earliest - clock.monotonic()
