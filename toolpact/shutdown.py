"""The life of a process: it serves until it is done or a signal says so, and stops in bounded time."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextvars import copy_context
from typing import Any, NoReturn

from toolpact.config.process_settings import Patience
from toolpact.sources import Source
from toolpact.telemetry.stderr_handler import write_last_line

_LOG = logging.getLogger(__name__)
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_STOP_S = 2.5
"""Seconds after which a process that has nothing left to wait for ends whatever still runs."""
_STEP_S = 0.8
"""Seconds for each step of stopping: the transport, connections, what is left."""


class Stop:
    """What a transport is told of the end: the first signal asks it to finish, the second to leave."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        """How long it may go on."""
        self.asked = asyncio.Event()
        """Calls in flight shall be finished, and no more taken."""
        self.at_once = asyncio.Event()
        """Everything shall be given up."""
        self._signalled = False

    def on_signals(self) -> None:
        """Listen to signals. Each also limits the time of a loop that is stuck."""
        loop, outside = asyncio.get_running_loop(), copy_context()  # a signal may come in the middle of any call

        def said(_signal: int, _frame: object) -> None:
            event = self.at_once if self._signalled else self.asked
            patience_s = 0 if self._signalled else self.patience.drain_s + self.patience.grace_s
            self._signalled = True
            _end_by_force_after(patience_s + _STOP_S)
            if not loop.is_closed():  # else the process is on its way out already
                loop.call_soon_threadsafe(self._heard, event, context=outside)

        for each in _SIGNALS:
            signal.signal(each, said)

    def _heard(self, event: asyncio.Event) -> None:
        event.set()
        _LOG.info("asked to stop%s", " at once" if event is self.at_once else "")


def leave_on_signals() -> None:
    """Exit without a word when a signal comes before there is anything to finish."""
    for each in _SIGNALS:
        signal.signal(each, _leave)


def _leave(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


async def live(
    serve: Callable[[Stop], Coroutine[Any, Any, None]], sources: Mapping[str, Source], patience: Patience
) -> None:
    """Run *serve* until it is done, or a second signal comes, and leave nothing open. Raises what *serve* raises."""
    stop = Stop(patience)
    stop.on_signals()
    serving = asyncio.create_task(serve(stop))
    leaving = asyncio.create_task(stop.at_once.wait())
    await asyncio.wait({serving, leaving}, return_when=asyncio.FIRST_COMPLETED)
    _end_by_force_after(_STOP_S)
    ended = serving.done()
    await _close_all(serving, sources)
    if ended:
        serving.result()


async def warm_up(sources: Mapping[str, Source]) -> None:
    """Connect ahead of the first call; a source that is away now may be there later."""
    for name, source in sources.items():
        try:
            await source.start()
        except Exception as error:
            _LOG.warning("source %s is not there yet: %s", name, error)


def _end_by_force_after(seconds: float) -> None:
    """End the process in bounded time, even if a handler or a thread never lets go."""
    timer = threading.Timer(seconds, _end_by_force)
    timer.daemon = True
    timer.start()


def _end_by_force() -> NoReturn:
    write_last_line("the process is ended by force: something still runs after its time to stop")
    os._exit(0)


async def _close_all(serving: asyncio.Task[None], sources: Mapping[str, Source]) -> None:
    """Give up what is still served, close the sources, and cancel what is left; each step has its limit."""
    serving.cancel()
    await asyncio.wait({serving}, timeout=_STEP_S)
    if serving.done() and not serving.cancelled() and (fault := serving.exception()):
        _LOG.debug("the protocol was cut short", exc_info=fault)  # as asked: it is no news
    if closing := {asyncio.create_task(_close(name, source)) for name, source in sources.items()}:
        await asyncio.wait(closing, timeout=_STEP_S)
    if left := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in left:
            task.cancel()
        _, going_on = await asyncio.wait(left, timeout=_STEP_S)
        if going_on:
            _LOG.warning("tasks that go on though they were cancelled, and are left: %s", len(going_on))
            # The interpreter would say it again of each, when there is hardly anything left to say it with.
            asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)


async def _close(name: str, source: Source) -> None:
    try:
        await source.close()
    except Exception:
        _LOG.exception("source %s did not close", name)
