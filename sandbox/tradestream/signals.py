"""The signals of the deployed strategies, by their rules on the candles before."""

import json
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias
from uuid import UUID

from sandbox.backtester.bars import Bars
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError
from sandbox.backtester.rules import find_signals
from sandbox.backtester.simulation import find_positions
from sandbox.candles.minutes import DAY, HOUR
from sandbox.market import PAIRS, Market
from sandbox.seeded_random import identifier, normals, uniform
from sandbox.tradestream.performance import read_bars
from sandbox.tradestream.strategies import Implementation, generate_implementations

SignalRow: TypeAlias = tuple[UUID, UUID, str, str, float, float, str, datetime]
"""The values of a row of signals, in the order of its columns."""

HISTORY = timedelta(days=7)
LATENCY_S = 90
"""The most seconds from the hour of a signal to its time."""
LOOKBACK = 24 * 60
"""The minutes in which an entry or an exit makes a signal; without one it is HOLD."""
WARM_UP = 10 * DAY
"""The minutes of candles before a week that its entries and exits are computed with."""
WEEK = 7 * DAY
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.3, 0.97

Event: TypeAlias = tuple[int, str]
"""The end of a candle in minutes since 1970, and BUY for an entry, SELL for an exit."""


def signal_rows(implementation: Implementation, market: Market, now: datetime) -> Iterator[SignalRow]:
    """Yield the rows of signals of the week before *now*, oldest first; none without a cadence."""
    cadence_h = implementation.cadence_h
    if cadence_h is None:
        return
    chosen = json.dumps(implementation.parameters)
    # The strategies give their signals at different hours.
    shift = int(uniform("shift", *implementation.draw_key) * cadence_h)
    first = math.floor((hours_since_epoch(now - HISTORY) - shift) / cadence_h)
    last = math.ceil((hours_since_epoch(now) - shift) / cadence_h)
    for turn in range(first, last + 1):
        row = _signal_row(implementation, market, turn * cadence_h + shift, chosen)
        if now - HISTORY < row[-1] <= now:
            yield row


def hours_since_epoch(moment: datetime) -> float:
    """Return the hours from 1970 to *moment*, in UTC."""
    return moment.timestamp() / 3600


def _signal_row(implementation: Implementation, market: Market, hour: int, chosen: str) -> SignalRow:
    key = (*implementation.draw_key, hour)
    noise, delay = normals(2, "signal", *key)
    signal, age = _find_signal(implementation, hour * HOUR)
    confidence = 0.55 + 0.05 * noise + (0 if age is None else 0.35 * (1 - age / LOOKBACK))
    return (
        identifier("signal", *key),
        implementation.strategy_id,
        implementation.symbol,
        signal,
        round(min(max(confidence, MIN_CONFIDENCE), MAX_CONFIDENCE), 4),
        market.price(implementation.symbol, hour),
        chosen,
        datetime.fromtimestamp(hour * 3600 + 1 + min(int(20 * abs(delay)), LATENCY_S), UTC),
    )


def _find_signal(implementation: Implementation, minute: int) -> tuple[str, int | None]:
    """Return the signal at a *minute* since 1970, and its trade's age in minutes.

    The trade is the last entry or exit of the strategy's rules, if it is not older than LOOKBACK.
    """
    events = _find_events(implementation.seed, minute // WEEK).get(implementation.strategy_id, ())
    place = bisect_right(events, minute, key=itemgetter(0)) - 1
    if place < 0 or minute - events[place][0] >= LOOKBACK:
        return "HOLD", None
    at, action = events[place]
    return action, minute - at


@lru_cache(maxsize=8)
def _find_events(seed: int, week: int) -> Mapping[UUID, Sequence[Event]]:
    """Return the events in a *week* since 1970 and in the WARM_UP before, by strategy."""
    start, end = week * WEEK - WARM_UP, (week + 1) * WEEK
    bars = {symbol: read_bars(Market(seed), symbol, start, end) for symbol in PAIRS}
    return {
        each.strategy_id: list(_list_events(each, bars[each.symbol], start))
        for each in generate_implementations(seed)
        if each.cadence_h is not None
    }


def _list_events(implementation: Implementation, bars: Bars, start: int) -> Iterator[Event]:
    """Yield the events of a strategy on *bars*, the first of which opens in the minute *start*."""
    try:
        signals = find_signals(implementation.spec.name, implementation.parameters, bars)
    except (BadParametersError, TooFewCandlesError):
        return
    for entry, exit_ in find_positions(bars, signals):
        yield start + entry + 1, "BUY"
        if exit_ < len(bars) - 1:  # else it is the end of the candles, no exit of the rules
            yield start + exit_ + 1, "SELL"
