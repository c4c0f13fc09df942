"""Candles written by hand, in the sandbox's stand-in for InfluxDB."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandbox import candles
from sandbox.candles.minutes import Candles, compute_candles
from sandbox.market import Market

Candle: TypeAlias = tuple[str, int, float, float, float, float, float]
"""Symbol, opening in ms since 1970, open, high, low, close, volume."""


def generate_candles(market: Market, symbol: str, start: int, end: int) -> list[Candle]:
    """Return the simulated candles of the minutes since 1970 from *start*, before *end*."""
    return [(symbol, int(time), *values) for time, *values in compute_candles(market, symbol, start, end).T.tolist()]


class WrittenCandles:
    """The candles that were written, in the order of their times."""

    def __init__(self, rows: Iterable[Candle] = ()) -> None:
        self._candles: dict[str, Candles] = {}
        self.write(rows)

    def write(self, rows: Iterable[Candle]) -> None:
        for symbol, group in groupby(sorted(rows), itemgetter(0)):
            found = np.concatenate([self._written(symbol), np.array([row[1:] for row in group]).T], axis=1)
            self._candles[symbol] = found[:, np.argsort(found[0])]

    def symbols(self) -> Iterable[str]:
        return self._candles

    def times(self, symbol: str, start_ms: int, end_ms: int) -> NDArray[np.float64]:
        times: NDArray[np.float64] = self.candles(symbol, start_ms, end_ms)[0]
        return times

    def candles(self, symbol: str, start_ms: int, end_ms: int) -> Candles:
        found = self._written(symbol)
        first, last = np.searchsorted(found[0], [start_ms, end_ms])
        return found[:, first:last]

    def _written(self, symbol: str) -> Candles:
        return self._candles.get(symbol, np.empty((6, 0)))


@contextmanager
def serve_candles(rows: Iterable[Candle]) -> Iterator[str]:
    """Give the URL of a stand-in for InfluxDB that holds *rows*."""
    with candles.serve(WrittenCandles(rows)) as url:
        yield url
