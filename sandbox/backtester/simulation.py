"""The simulation of trades: all cash in, all cash out, at closing prices, with fees."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.backtester.bars import Bars, Numbers
from sandbox.backtester.rules import Signals, Stop

CASH = 10_000.0
FEE = 0.001
"""The fee as a fraction of each purchase and each sale."""
CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Trade:
    """A purchase and its sale."""

    entry: int
    """The index of the candle at whose close it was bought."""
    exit: int
    """The index of the candle at whose close it was sold."""
    cost: float
    """Dollars paid, with the fee."""
    proceeds: float
    """Dollars received, after the fee."""

    @property
    def profit(self) -> float:
        """The proceeds less the cost."""
        return self.proceeds - self.cost


@dataclass(frozen=True, slots=True)
class Outcome:
    """The trades of a simulation, and the equity over time."""

    trades: Sequence[Trade]
    equity: Numbers
    """Dollars after each candle: cash, or the position at its closing price."""


def simulate(bars: Bars, signals: Signals) -> Outcome:
    """Follow *signals* with CASH; an open position is sold at the last candle."""
    cash, trades = CASH, list[Trade]()
    equity = np.empty(len(bars))
    filled = 0
    for entry, exit_ in find_positions(bars, signals):
        size = cash / (bars.close[entry] * (1 + FEE))
        equity[filled:entry] = cash
        equity[entry:exit_] = size * bars.close[entry:exit_]
        proceeds = float(size * bars.close[exit_] * (1 - FEE))
        trades.append(Trade(entry, exit_, cash, proceeds))
        cash, filled = proceeds, exit_
    equity[filled:] = cash
    return Outcome(trades, equity)


def find_positions(bars: Bars, signals: Signals) -> Iterator[tuple[int, int]]:
    """Yield the candles of entry and exit, position by position."""
    entries, exits = np.flatnonzero(signals.entries).tolist(), np.flatnonzero(signals.exits).tolist()
    last = len(bars) - 1
    flat_from = 0
    while (index := bisect_left(entries, flat_from)) < len(entries) and entries[index] < last:
        entry = entries[index]
        index = bisect_left(exits, entry + 1)
        exit_ = exits[index] if index < len(exits) else last
        for stop in signals.stops:
            exit_ = min(exit_, _stop_exit(stop, entry, float(bars.close[entry]), last))
        yield entry, exit_
        flat_from = exit_ + 1


def _stop_exit(stop: Stop, entry: int, price: float, last: int) -> int:
    """Return the first candle after *entry* at which *stop* sells, else the last one."""
    highest = stop.series[entry]
    for start in range(entry + 1, last + 1, CHUNK):
        part = stop.series[start : start + CHUNK]
        tops = np.maximum.accumulate(np.concatenate([[highest], part]))
        limit = tops[1:] if stop.is_trailing else np.full(len(part), price)
        if len(found := np.flatnonzero(part <= limit * (1 - stop.fraction))):
            return start + int(found[0])
        highest = tops[-1]
    return last
