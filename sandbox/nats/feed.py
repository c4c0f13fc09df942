"""The sandbox's streams: ticks of the simulated market, and alerts.

Ticks are published while the sandbox runs. A tick is a pure function of the seed, the symbol and the second, so every
sandbox has the same ones.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import nats
import orjson
from nats.aio.client import Client
from nats.js.api import StorageType, StreamConfig

from handlers.platform.ticks import SUBJECT, to_subject
from sandbox.market import INSTRUMENTS, Market
from sandbox.seeded_random import cached_normal

SEED = 1
"""The seed of the market that the sandbox's candles follow as well."""
BACKLOG_S = 5 * 60
"""Seconds of ticks that exist when the sandbox starts."""
HALF_SPREAD = 0.0001
"""Half of the distance between bid and ask, as a fraction of the price."""
SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 24 * SECONDS_PER_HOUR
STREAMS = (
    StreamConfig(
        name="MARKET_DATA",
        subjects=[f"{SUBJECT}*"],
        storage=StorageType.MEMORY,
        max_age=SECONDS_PER_HOUR,
        allow_direct=True,
    ),
    StreamConfig(name="RISK_ALERTS", subjects=["risk.alerts"], max_msgs=10_000, duplicate_window=SECONDS_PER_HOUR),
)
"""Market data, for direct access; alerts, each once within risk-mcp's idempotency window."""
_LOG = logging.getLogger(__name__)


def make_tick(symbol: str, second: int) -> bytes:
    """Return the tick of *symbol*, *second* seconds after 1970."""
    price = Market(SEED).price(symbol, second / SECONDS_PER_HOUR)
    tick = {
        "symbol": symbol,
        "price": price,
        "bid": price * (1 - HALF_SPREAD),
        "ask": price * (1 + HALF_SPREAD),
        "volume": round(abs(cached_normal(SEED, f"{symbol} tick", 1, second)), 4),
        "timestamp": datetime.fromtimestamp(second, UTC).isoformat(),
    }
    return orjson.dumps(tick)


async def create_streams(client: Client) -> None:
    """Create the streams that do not exist."""
    for stream in STREAMS:
        await client.jetstream().add_stream(stream)


async def publish_ticks(client: Client, seconds: range) -> None:
    """Publish a tick of each symbol that is traded, for each of *seconds* after 1970.

    Return when they are stored.
    """
    ticks = [
        (to_subject(symbol), make_tick(symbol, second))
        for second in seconds
        for symbol, instrument in INSTRUMENTS.items()
        if instrument.is_traded_on(second // SECONDS_PER_DAY)
    ]
    for subject, tick in ticks[:-1]:
        await client.publish(subject, tick)
    for subject, tick in ticks[-1:]:  # acknowledged when all before it are stored
        await client.jetstream().publish(subject, tick)


@contextmanager
def running(url: str, now: Callable[[], float]) -> Iterator[None]:
    """Create the streams with the ticks of the last minutes, and publish further ones meanwhile.

    *now* returns the seconds since 1970. Works in a thread, since the caller may run inside an event loop.
    """
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.new_event_loop()
        first = int(now())
        client, stop = thread.submit(lambda: loop.run_until_complete(_start(url, first))).result()
        feeding = thread.submit(lambda: loop.run_until_complete(_feed(client, stop, first, now)))
        try:
            yield
        finally:
            loop.call_soon_threadsafe(stop.set)
            feeding.result()
            loop.close()


async def _start(url: str, second: int) -> tuple[Client, asyncio.Event]:
    client = await nats.connect(url, error_cb=_report)
    await create_streams(client)
    await publish_ticks(client, range(second - BACKLOG_S, second))
    return client, asyncio.Event()


async def _feed(client: Client, stop: asyncio.Event, published: int, now: Callable[[], float]) -> None:
    """Publish the ticks of each second from *published* on when it begins, until *stop*."""
    while not stop.is_set():
        second = int(now())
        await publish_ticks(client, range(published, second))
        published = second
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({stopping}, timeout=1 - now() % 1)
        stopping.cancel()
    await client.close()


async def _report(error: Exception) -> None:
    _LOG.debug("the sandbox's feed: %s: %s", type(error).__name__, error)
