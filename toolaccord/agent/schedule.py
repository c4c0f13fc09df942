"""Rounds at fixed times, without drift and without overlap."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from toolaccord.timing.clock import Clock, sleep

_LOG = logging.getLogger(__name__)


async def run_every(
    clock: Clock, period_s: float, work: Callable[[datetime], Awaitable[None]], stop: asyncio.Event
) -> None:
    """Run *work* now, and at each multiple of *period_s* since 1970 in UTC, until *stop* is set.

    *work* takes the time at which its round was due. A round that is due while another one still runs is left out.
    """
    tick = _tick(clock, period_s)
    while not stop.is_set():
        await work(datetime.fromtimestamp(tick * period_s, UTC))
        current = _tick(clock, period_s)
        skipped, tick = current - tick, max(current, min(tick, current + 1)) + 1
        if skipped > 0:
            _LOG.warning("rounds left out, because the last one took too long: %s", skipped)
        await pause(clock, tick * period_s - clock.now().timestamp(), stop)


async def pause(clock: Clock, seconds: float, stop: asyncio.Event) -> None:
    """Wait until *seconds* have passed on *clock*, or *stop* is set."""
    waiting = {asyncio.create_task(sleep(clock, seconds)), asyncio.create_task(stop.wait())}
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


def _tick(clock: Clock, period_s: float) -> int:
    return math.floor(clock.now().timestamp() / period_s)
