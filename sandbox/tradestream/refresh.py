"""Keep the sample data fresh while a process uses them."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import asyncpg

from sandbox.tradestream.load import load

EVERY_S = 300.0
"""Seconds between two checks of the data's age, also the longest delay after a laptop wakes."""

_LOG = logging.getLogger(__name__)


@contextmanager
def keep_fresh_in_thread(url: str, seed: int) -> Iterator[None]:
    """Keep the data in the database at *url* fresh, in a thread that ends with the context."""
    over = threading.Event()
    keep = (url, seed, lambda: datetime.now(UTC), over.wait)
    thread = threading.Thread(target=keep_fresh, args=keep, name="sandbox TradeStream", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def keep_fresh(url: str, seed: int, now: Callable[[], datetime], wait: Callable[[float], bool]) -> None:
    """Refresh stale data until *wait*, which takes seconds, returns true.

    Of the processes that share a database the first to notice does it. Data of another version of the sample belong to
    another checkout, and stay. The first of several failures in a row is logged.
    """
    failed = False
    while not wait(EVERY_S):
        try:
            asyncio.run(load(url, seed, now(), replace=False))
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            if not failed:
                _LOG.warning("the sandbox's TradeStream data could not be brought up to date", exc_info=True)
            failed = True
        else:
            failed = False
