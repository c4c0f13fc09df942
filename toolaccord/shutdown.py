"""Shutdown of a server process, in bounded time.

The first signal lets calls finish, the second abandons them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextvars import copy_context
from typing import Any, NoReturn

from toolaccord.config.process_settings import StopTimeouts
from toolaccord.errors import SourceError
from toolaccord.sources import Source
from toolaccord.sources.availability import report_failure
from toolaccord.telemetry.line_handler import write_last_line

_LOG = logging.getLogger(__name__)
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STOP_S = 2.5
"""Seconds for closing everything; after them a process is ended by force."""
_CONNECT_S = 3.0
"""Seconds that a source has to answer before the first call; then others have their turn."""
_STEP_S = 0.8
"""Seconds for each step of it: the transport, the sources, the remaining tasks."""


class StopSignal:
    """Stop signals, as transports see them: the first requests a stop, the second forces it."""

    def __init__(self, timeouts: StopTimeouts) -> None:
        self.timeouts = timeouts
        """The time for finishing calls."""
        self.requested = asyncio.Event()
        """Set when calls in flight must be finished and no new ones accepted."""
        self.forced = asyncio.Event()
        """Set when everything must be abandoned."""
        self._received_one = False

    def listen(self) -> None:
        """Install handlers of SIGTERM, SIGINT and SIGHUP.

        Each signal also starts a timer that ends the process, in case the event loop is stuck.
        """
        loop, outside = asyncio.get_running_loop(), copy_context()  # a signal may interrupt any call

        def on_signal(_signal: int, _frame: object) -> None:
            event = self._take()
            if not loop.is_closed():  # a closed loop has nothing left to stop
                loop.call_soon_threadsafe(self._set, event, context=outside)

        _handle_signals(on_signal)

    def request(self, timeouts: StopTimeouts | None = None) -> None:
        """Stop as after a first signal, with *timeouts* if given; nothing more after one."""
        if not self._received_one:
            self.timeouts = timeouts or self.timeouts
            self._set(self._take())

    def force(self) -> None:
        """Stop as after a second signal."""
        self._received_one = True
        self._set(self._take())

    def _take(self) -> asyncio.Event:
        """Start the timer for a stop, and return the event to set."""
        event = self.forced if self._received_one else self.requested
        allowed_s = 0 if self._received_one else self.timeouts.drain_s + self.timeouts.grace_s
        self._received_one = True
        _end_by_force_after(allowed_s + STOP_S)
        return event

    def _set(self, event: asyncio.Event) -> None:
        event.set()
        _LOG.info("asked to stop%s", " at once" if event is self.forced else "")


def exit_on_signals() -> None:
    """Exit silently on a signal that arrives before the server runs."""
    _handle_signals(_exit)


def block_signals() -> None:
    """Leave signals pending until `deliver_signals`.

    Threads and processes that start meanwhile inherit this.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


def deliver_signals() -> None:
    """Deliver pending signals, and those that follow."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _handle_signals(handler: Callable[[int, object], None]) -> None:
    """Install *handler* for each signal; SIGHUP stays ignored in a process under `nohup`."""
    for each in _SIGNALS:
        if each is not signal.SIGHUP or signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, handler)


def _exit(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


async def run_until_stopped(
    serve: Callable[[StopSignal], Coroutine[Any, Any, None]], sources: Mapping[str, Source], timeouts: StopTimeouts
) -> None:
    """Run *serve* until it returns or a stop is forced.

    Afterwards close *sources* and cancel remaining tasks. Raises what *serve* raises.
    """
    stop = StopSignal(timeouts)
    stop.listen()
    serving = asyncio.create_task(serve(stop))
    forced = asyncio.create_task(stop.forced.wait())
    await asyncio.wait({serving, forced}, return_when=asyncio.FIRST_COMPLETED)
    _end_by_force_after(STOP_S)
    returned = serving.done()
    await _close_all(serving, sources)
    if returned:
        serving.result()


async def connect_sources(sources: Mapping[str, Source]) -> None:
    """Connect *sources* ahead of the first call; log those that do not answer in time."""
    # One after the other: a source that loads its library blocks the event loop, and others would time out meanwhile.
    for name, source in sources.items():
        try:
            async with asyncio.timeout(_CONNECT_S):
                await source.start()
        except SourceError as error:
            report_failure(error)
        except TimeoutError:
            _LOG.warning("source %s is not there yet: it did not answer within %s s", name, _CONNECT_S)
        except Exception as error:
            _LOG.warning("source %s is not there yet: %s", name, error)


def _end_by_force_after(seconds: float) -> None:
    """End the process after *seconds*, even if a handler or a thread never returns."""
    timer = threading.Timer(seconds, _end_by_force)
    timer.daemon = True
    timer.start()


def _end_by_force() -> NoReturn:
    write_last_line("the process is ended by force: something still runs after its time to stop")
    os._exit(0)


async def _close_all(serving: asyncio.Task[None], sources: Mapping[str, Source]) -> None:
    """Cancel *serving*, close *sources*, and cancel all other tasks; each step has a time limit."""
    serving.cancel()
    await asyncio.wait({serving}, timeout=_STEP_S)
    if serving.done() and not serving.cancelled() and (fault := serving.exception()):
        _LOG.debug("the protocol was cut short", exc_info=fault)  # the stop is its cause
    if closing := {asyncio.create_task(_close(name, source)) for name, source in sources.items()}:
        await asyncio.wait(closing, timeout=_STEP_S)
    if remaining := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in remaining:
            task.cancel()
        _, stubborn = await asyncio.wait(remaining, timeout=_STEP_S)
        if stubborn:
            _LOG.warning("tasks that ignored their cancellation, and are left running: %s", len(stubborn))
            # At its exit, the interpreter would report each of them once more.
            asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)


async def _close(name: str, source: Source) -> None:
    try:
        await source.close()
    except Exception:
        _LOG.exception("source %s did not close", name)
