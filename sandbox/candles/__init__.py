"""A month of one-minute candles, in a stand-in for InfluxDB 1.x on loopback.

Each process computes the candles when a query needs them. They are a pure function of the seed and the minute, so all
processes answer alike.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sandbox.candles.influxql import CandleStore, answer
from sandbox.candles.minutes import DAY, Candles, compute_candles
from sandbox.http_service import Service
from sandbox.market import INSTRUMENTS, Market

SEED = 1
"""The seed of the market that the strategies' signals follow as well."""
MINUTES = 31 * 24 * 60
"""The number of candles of each symbol, which hold the last thirty whole days."""
MINUTE_MS = 60_000


def _utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SimulatedCandles:
    """The candles of the simulated market: MINUTES of each symbol, the last of them running."""

    now: Callable[[], datetime] = _utc_now

    def symbols(self) -> Iterable[str]:
        """Return the symbols of the market."""
        return INSTRUMENTS

    def times(self, symbol: str, start_ms: int, end_ms: int) -> NDArray[np.float64]:
        """Return the openings of the candles, in ms since 1970."""
        minutes = self._minutes(start_ms, end_ms) if symbol in INSTRUMENTS else range(0)
        days = range(minutes.start // DAY, -(-minutes.stop // DAY))
        spans = [
            np.arange(max(day * DAY, minutes.start), min((day + 1) * DAY, minutes.stop), dtype=np.float64)
            for day in days
            if INSTRUMENTS[symbol].is_traded_on(day)
        ]
        return np.concatenate([np.empty(0), *spans]) * MINUTE_MS

    def candles(self, symbol: str, start_ms: int, end_ms: int) -> Candles:
        """Return the candles."""
        minutes = self._minutes(start_ms, end_ms)
        return compute_candles(Market(SEED), symbol, minutes.start, minutes.stop)

    def _minutes(self, start_ms: int, end_ms: int) -> range:
        """Return the minutes since 1970 that open from *start_ms*, before *end_ms*."""
        last = int(self.now().timestamp()) // 60
        start, end = -(-start_ms // MINUTE_MS), -(-end_ms // MINUTE_MS)  # rounded up
        return range(max(start, last - MINUTES + 1), min(end, last + 1))


@contextmanager
def serve(store: CandleStore | None = None) -> Iterator[str]:
    """Serve *store*, or simulated candles, on a free port of 127.0.0.1, and yield the URL.

    Runs in a thread of this process.
    """
    with Service(partial(answer, store or SimulatedCandles())).running() as service:
        yield f"http://127.0.0.1:{service.port}"
