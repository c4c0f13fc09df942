"""Sample candles: a pure function of the symbol and the time."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.backtester.bars import Bars
from sandbox.guardian.requests import BacktestRequest, Candle
from sandbox.market import random_walk

SEED = 1
SYMBOLS = ("AUDUSD", "EURJPY", "EURUSD", "GBPJPY", "GBPUSD", "USDCAD", "USDCHF", "USDJPY")
"""The symbols with sample candles."""
NAME = re.compile(rf"(?:[\w./-]*/)?(?:{'|'.join(SYMBOLS)})(?:_(?:M1|M5|M15|M30|H1|H4|D1))?(?:\.csv)?")
"""A file or a data_id with sample candles, such as data/historical/USDJPY_M1.csv."""
COUNT = 1000
"""The most candles of a backtest on sample candles: the last ones before its end."""
MINUTES = 60
"""The timeframe of a request without one."""
VOLATILITY = 0.006
"""The standard deviation of a day's logarithmic return."""
PRICES = {"JPY": 150.0, "USD": 1.1}
"""The price that a pair moves around, by the currency that it is quoted in."""


class NoCandlesError(Exception):
    """There is no such file, and nothing is cached under the data_id."""


@dataclass(frozen=True, slots=True)
class Candles:
    """Candles, the oldest first."""

    times: Sequence[int]
    """The opening of each, in seconds since 1970."""
    bars: Bars


def load_candles(request: BacktestRequest) -> Candles:
    """Return the candles that the Guardian would use.

    Sample candles stand for a file, and for what is cached under a `data_id`; a file without a `data_id` is not read.
    The request's own candles are used as they are. Candles outside of start_time and end_time are left out. Raises
    NoCandlesError.
    """
    minutes = request.timeframe or MINUTES
    if request.data_id is not None and not request.candles:
        name = request.candles_file or request.data_id
        if not NAME.fullmatch(name):
            raise NoCandlesError(f"there are no candles {name}")
        numbers = _candle_numbers(request, minutes)
        return Candles([number * minutes * 60 for number in numbers], _compute_bars(request.symbol, numbers, minutes))
    end = math.inf if request.end_time is None else request.end_time
    used = [candle for candle in request.candles if (request.start_time or 0) <= candle.t <= end]
    return Candles([candle.t for candle in used], _to_bars(used, minutes))


def _candle_numbers(request: BacktestRequest, minutes: int) -> range:
    """Return the numbers of the candles since 1970; the last one begins before end_time, or now."""
    end = int(time.time()) if request.end_time is None else request.end_time
    last, first = end // (60 * minutes), -(-(request.start_time or 0) // (60 * minutes))
    return range(max(first, last - COUNT + 1), last + 1)


def _compute_bars(symbol: str, numbers: range, minutes: int) -> Bars:
    """Return the candles with *numbers*, of three prices each: at the ends and in the middle."""
    halves = range(2 * numbers.start, 2 * numbers.stop + 1)
    prices = np.array([_compute_price(symbol, half * minutes / 120) for half in halves])
    opened, middle, closed = prices[:-1:2], prices[1::2], prices[2::2]
    high, low = np.maximum(np.maximum(opened, middle), closed), np.minimum(np.minimum(opened, middle), closed)
    return Bars(open=opened, high=high, low=low, close=closed, volume=np.full(len(closed), 1000.0), minutes=minutes)


def _compute_price(symbol: str, hour: float) -> float:
    price = PRICES.get(symbol[-3:], 1.0)
    return price * math.exp(VOLATILITY * random_walk(SEED, symbol, hour))


def _to_bars(candles: Sequence[Candle], minutes: int) -> Bars:
    rows = [(each.o or each.c, each.h or each.c, each.l or each.c, each.c, each.v) for each in candles]
    opened, high, low, close, volume = np.array(rows, dtype=float).reshape(-1, 5).T
    return Bars(open=opened, high=high, low=low, close=close, volume=volume, minutes=minutes)
