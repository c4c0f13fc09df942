"""Deadlines: work that has a time to be done in, and whose outcome is known then, whatever it still does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

from toolpact.timing.clock import Clock, Timer

T = TypeVar("T")


class Late(TimeoutError):
    """Work did not finish within its time."""


_until: ContextVar[float] = ContextVar("until")
"""When the work that runs must be done, on the clock's monotonic time; `Work` sets it."""
_abandoned: set[asyncio.Task[Any]] = set()  # an event loop keeps no strong reference to a task


class Deadlines:
    """The deadlines of work that all has the same time: one timer of the clock, since most is done long before its own."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.seconds = seconds
        """The time that work has."""
        self._clock = clock
        self._waiting: dict[Work[Any], float] = {}
        """When each is late, on the clock's monotonic time, the next first."""
        self._timer: Timer | None = None

    def add(self, work: Work[Any]) -> float:
        """Begin the time of *work*; return when it will be late."""
        until = self._waiting[work] = self._clock.monotonic() + self.seconds
        if self._timer is None:
            self._timer = self._clock.call_later(self.seconds, self._pass)
        return until

    def remove(self, work: Work[Any]) -> None:
        """End the time of *work*."""
        self._waiting.pop(work, None)
        if not self._waiting and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pass(self) -> None:
        """Tell the work that is late, and wait for the next, even where one of those who hear of it fails."""
        self._timer = None
        now = self._clock.monotonic()
        try:
            while self._waiting and self._next()[1] <= now:
                self._next()[0].late()
        finally:
            if self._waiting and self._timer is None:
                self._timer = self._clock.call_later(self._next()[1] - now, self._pass)

    def _next(self) -> tuple[Work[Any], float]:
        return next(iter(self._waiting.items()))


class Work(Generic[T]):
    """A coroutine in a task of its own, with a time to be done in. Its outcome is told once, and nobody ever waits for its cleanup.

    The outcome is what the coroutine returns or raises; Late once its time has passed; CancelledError once it is given up. In the last two
    cases the coroutine is cancelled, and left to clean up by itself; a result that it has in spite of that goes to *dispose*, which gives back
    what it holds. A coroutine that is cancelled by anybody else, itself above all, is a RuntimeError: nobody gave it up, and somebody waits.
    So is one that would end the process.
    """

    __slots__ = ("_context", "_coroutine", "_deadlines", "_dispose", "_task", "_told")

    def __init__(
        self,
        deadlines: Deadlines,
        coroutine: Coroutine[Any, Any, T],
        told: Callable[[T | None, BaseException | None], None],
        dispose: Callable[[T], None] | None = None,
    ) -> None:
        """Begin in the next turn of the event loop, in a copy of the context that is current.

        *told* hears the outcome, a result or else an exception, at once when it is there, and in the same context.
        """
        self._context = context = copy_context()
        self._coroutine: Coroutine[Any, Any, T] | None = coroutine
        self._deadlines = deadlines
        self._dispose = dispose
        self._told: Callable[[T | None, BaseException | None], None] | None = told
        running = self._run(coroutine, deadlines.add(self))
        self._task = asyncio.get_running_loop().create_task(running, context=context)

    def give_up(self) -> None:
        """Cancel the coroutine, unless the outcome is known."""
        self._abandon(asyncio.CancelledError())

    def late(self) -> None:
        """Cancel the coroutine, whose time has passed, unless the outcome is known."""
        self._abandon(Late(f"not finished within {self._deadlines.seconds} s"))

    async def _run(self, coroutine: Coroutine[Any, Any, T], until: float) -> None:
        _until.set(min(until, _until.get(until)))
        self._coroutine = None
        try:
            result = await coroutine
        except asyncio.CancelledError:
            self._tell(None, RuntimeError("the work cancelled itself"))
        except SystemExit as error:  # signals end a server, and nothing that it serves
            fault = RuntimeError("the work would have ended the process")
            fault.__cause__ = error
            self._tell(None, fault)
        except KeyboardInterrupt as error:
            self._tell(None, error)
            raise
        except BaseException as error:  # a panic in Rust is no Exception, and the same as one for whoever waits
            self._tell(None, error)
        else:
            if self._told is not None:
                self._tell(result, None)
            else:
                _disposed(result, self._dispose)

    def _tell(self, result: T | None, error: BaseException | None) -> None:
        """Tell the outcome; the first one counts."""
        told, self._told = self._told, None
        if told is not None:
            self._deadlines.remove(self)
            told(result, error)

    def _abandon(self, error: BaseException) -> None:
        """Tell *error*, cancel the coroutine and keep it alive until it has cleaned up."""
        if self._told is None:
            return
        if self._coroutine is not None:  # which would never be begun
            self._coroutine.close()
        _abandoned.add(self._task)
        self._task.add_done_callback(_abandoned.discard)
        self._task.cancel()
        if asyncio.current_task(self._task.get_loop()) is self._task:  # it moved the clock of a test, or gave itself up
            self._tell(None, error)
        else:
            self._context.run(self._tell, None, error)


async def within(
    clock: Clock, seconds: float, work: Coroutine[Any, Any, T], *, dispose: Callable[[T], None] | None = None
) -> T:
    """Return what *work* returns, or raise Late once *seconds* have passed on *clock*: see `Work`.

    If the caller is cancelled, so is the work; a result that comes too late for the caller goes to *dispose*.
    """
    over: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def told(result: Any, error: BaseException | None) -> None:
        if error is None and over.done():  # its caller has been cancelled
            _disposed(result, dispose)
        elif isinstance(error, asyncio.CancelledError) or over.done():
            over.cancel()
        elif error is None:
            over.set_result(result)
        else:
            over.set_exception(error)

    running = Work(Deadlines(clock, seconds), work, told, dispose)
    try:
        return await over
    except asyncio.CancelledError:
        running.give_up()
        if not over.cancelled() and over.exception() is None:
            _disposed(over.result(), dispose)
        raise


def settle(future: asyncio.Future[T], result: T | None) -> None:
    """Give *future* its *result*, unless nobody waits for it any more; None, when there will be none, cancels it."""
    if result is None:
        future.cancel()
    elif not future.done():
        future.set_result(result)


def _disposed(result: T, dispose: Callable[[T], None] | None) -> None:
    if dispose is not None:
        dispose(result)


def time_left(clock: Clock) -> float | None:
    """Return the seconds until the deadline of the work that asks, the nearest where one is within another; None without one."""
    until = _until.get(None)
    return None if until is None else until - clock.monotonic()
