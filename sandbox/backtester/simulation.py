"""What would have come of it: money goes in as a whole and comes out as a whole, at closing prices, with fees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.backtester.bars import Bars, Numbers
from sandbox.backtester.rules import Signals, Stop

CASH = 10_000.0
FEE = 0.001
"""Of what changes hands, at each purchase and each sale."""
CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Trade:
    """A purchase and its sale."""

    entry: int
    """The candle at whose close was bought."""
    exit: int
    """The candle at whose close was sold."""
    paid: float
    """With the fee."""
    got: float
    """After the fee."""

    @property
    def gained(self) -> float:
        """What remains of it."""
        return self.got - self.paid


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the cash."""

    trades: Sequence[Trade]
    equity: Numbers
    """Cash, or what was bought at its closing price, after each candle."""


def simulate(bars: Bars, signals: Signals) -> Outcome:
    """Follow *signals* with CASH; what is still held is sold at the last candle."""
    cash, trades = CASH, list[Trade]()
    equity = np.empty(len(bars))
    told = 0
    for entry, leave in _positions(bars, signals):
        size = cash / (bars.close[entry] * (1 + FEE))
        equity[told:entry] = cash
        equity[entry:leave] = size * bars.close[entry:leave]
        got = float(size * bars.close[leave] * (1 - FEE))
        trades.append(Trade(entry, leave, cash, got))
        cash, told = got, leave
    equity[told:] = cash
    return Outcome(trades, equity)


def _positions(bars: Bars, signals: Signals) -> Iterator[tuple[int, int]]:
    """The candles of entry and exit, one position after the other."""
    entries, exits = np.flatnonzero(signals.entries), np.flatnonzero(signals.exits)
    last = len(bars) - 1
    free_from = 0
    while (turn := int(np.searchsorted(entries, free_from))) < len(entries) and entries[turn] < last:
        entry = int(entries[turn])
        turn = int(np.searchsorted(exits, entry + 1))
        leave = int(exits[turn]) if turn < len(exits) else last
        for stop in signals.stops:
            leave = min(leave, _stopped(stop, entry, float(bars.close[entry]), last))
        yield entry, leave
        free_from = leave + 1


def _stopped(stop: Stop, entry: int, price: float, last: int) -> int:
    """The first candle after *entry* at which *stop* sells; the last one if it never does."""
    highest = stop.series[entry]
    for start in range(entry + 1, last + 1, CHUNK):
        part = stop.series[start : start + CHUNK]
        tops = np.maximum.accumulate(np.concatenate([[highest], part]))
        limit = tops[1:] if stop.trailing else np.full(len(part), price)
        if len(found := np.flatnonzero(part <= limit * (1 - stop.fraction))):
            return start + int(found[0])
        highest = tops[-1]
    return last
