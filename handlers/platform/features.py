"""The tools of features-mcp: windows of bars with their features, and live ticks."""

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from generated.platform.errors import InsufficientData, InvalidArguments
from generated.platform.features import models
from generated.platform.features.models import (
    FeaturesLiveMarketDataRequest,
    FeaturesLiveMarketDataResult,
    FeaturesOhlcvWindowRequest,
    FeaturesOhlcvWindowResult,
)
from generated.platform.features.server import FeaturesLiveMarketDataCall, FeaturesOhlcvWindowCall
from handlers.candles.store import WIDTH_MS, Bar, CandleStore
from handlers.platform import indicators
from handlers.platform.ticks import Fault, Tick, parse_tick, to_subject
from handlers.platform.windows import Window
from toolaccord import Provisional

SPARE_MESSAGES = 20
"""Messages that are read beyond the limit: among the last may be late ticks of older times."""
MOST_MESSAGES = 1000
"""Messages that are read where too few of the last are ticks."""
MAX_ROWS = 1440
"""The minutes of a day."""
HISTORY_BARS = 250
"""Bars up to the end of a window from which indicators are computed, or more.

After 250 bars, the start of an average of 26 counts for less than a ten-millionth of it.
"""
_LOG = logging.getLogger(__name__)
_COLUMNS = ("timestamp", *Bar._fields[1:])
"""The contract's names of the values of a bar."""
_OPENING = attrgetter("time")
_Feature: TypeAlias = str | models.PeriodFeature


async def features_ohlcv_window(
    request: FeaturesOhlcvWindowRequest, call: FeaturesOhlcvWindowCall
) -> FeaturesOhlcvWindowResult | Provisional[FeaturesOhlcvWindowResult]:
    """Return a window's closed bars and features; provisional if bars are still to close."""
    width = timedelta(milliseconds=WIDTH_MS[request.interval])
    requested = Window.between(request.start, request.end, width)
    _check_size(requested)
    window = requested.closed_at(call.now)
    history = window.since(window.stop - max(map(_count_history, request.features)))
    store, read = CandleStore(call.influxdb), window.since(min(window.first, history.first))
    bars = await store.between(request.symbol, request.interval, read.start, read.end) if window.bars else []
    rows = [bar for bar in bars if bar.time >= window.start]
    if not rows:
        raise InsufficientData(f"{request.symbol} has no closed bar in the window.", available=0, required=1)
    is_minutes = request.interval == "1m"
    minutes = len(rows) if is_minutes else await store.count_minutes(request.symbol, window.start, window.end)
    result = FeaturesOhlcvWindowResult(
        symbol=request.symbol,
        interval=request.interval,
        rows=[models.Bar.model_construct(None, **dict(zip(_COLUMNS, bar, strict=True))) for bar in rows],
        stats=_compute_stats(request, window, bars, rows),
        metadata=models.WindowMetadata(
            total_rows=len(rows),
            first_timestamp=rows[0].time,
            last_timestamp=rows[-1].time,
            data_completeness=window.completeness(minutes),
        ),
    )
    return result if window == requested else Provisional(result)


async def features_live_market_data(
    request: FeaturesLiveMarketDataRequest, call: FeaturesLiveMarketDataCall
) -> FeaturesLiveMarketDataResult:
    """Return the newest ticks of the last minutes; count and log messages that are no ticks."""
    ticks, faults, remaining = await _read_ticks(request, call)
    if faults:
        kinds = ", ".join(f"{count} {fault.value}" for fault, count in Counter(faults).items())
        _LOG.warning("messages on %s are no ticks: %s", to_subject(request.symbol), kinds)
    if not ticks:
        message = f"No tick of {request.symbol} arrived in the last {request.lookback_minutes} minutes."
        raise InsufficientData(message, available=0, required=1)
    newest = ticks[-request.limit :]
    return FeaturesLiveMarketDataResult(
        symbol=request.symbol,
        ticks=[models.Tick.model_construct(**tick._asdict()) for tick in newest],
        metadata=models.TickMetadata(
            total_ticks=len(newest), skipped=len(faults), remaining=remaining + len(ticks) - len(newest)
        ),
    )


class _Read(NamedTuple):
    """The last messages of a subject."""

    ticks: list[Tick]
    """The ticks of the lookback, by time."""
    faults: list[Fault]
    """The reasons why other messages are no ticks."""
    remaining: int
    """Number of older messages."""


async def _read_ticks(request: FeaturesLiveMarketDataRequest, call: FeaturesLiveMarketDataCall) -> _Read:
    """Return enough ticks for *request*, or all among the last messages. Raises SourceError."""
    few = request.limit + SPARE_MESSAGES
    read = await _read_last(request, call, min(few, MOST_MESSAGES))
    if len(read.ticks) < request.limit and read.remaining and few < MOST_MESSAGES:
        read = await _read_last(request, call, MOST_MESSAGES)
    return read


async def _read_last(request: FeaturesLiveMarketDataRequest, call: FeaturesLiveMarketDataCall, limit: int) -> _Read:
    lookback = timedelta(minutes=request.lookback_minutes)
    batch = await call.stream.last_messages(to_subject(request.symbol), lookback, limit=limit)
    parsed = [parse_tick(message.payload, request.symbol, call.now) for message in batch.messages]
    ticks = [each for each in parsed if isinstance(each, Tick) and each.timestamp >= call.now - lookback]
    faults = [each for each in parsed if isinstance(each, Fault)]
    return _Read(sorted(ticks, key=attrgetter("timestamp")), faults, batch.remaining)


def _check_size(window: Window) -> None:
    """Raise InvalidArguments if a window holds no bar, or too many."""
    if not 1 <= window.bars <= MAX_ROWS:
        message = (
            f"The window holds {window.bars} whole bars, and 1 to {MAX_ROWS} are possible;"
            " choose another end or interval."
        )
        raise InvalidArguments(message, field="end")


def _count_history(feature: _Feature) -> int:
    """Return the number of bars up to the end of a window from which a feature is computed."""
    if isinstance(feature, str):
        return HISTORY_BARS
    return max(HISTORY_BARS, feature.period * indicators.PERIOD_INDICATORS[feature.feature].periods)


def _compute_stats(
    request: FeaturesOhlcvWindowRequest, window: Window, bars: Sequence[Bar], rows: Sequence[Bar]
) -> models.WindowStats:
    """Return the requested features. Raises InsufficientData."""
    stats: dict[str, Any] = {}
    prices = indicators.Prices(
        *(indicators.to_array([getattr(bar, name) for bar in bars]) for name in ("high", "low", "close"))
    )
    for feature in request.features:
        if feature == "volume_profile":
            stats |= _compute_volumes(rows)
            continue
        start = window.since(window.stop - _count_history(feature)).start
        history = prices.since(bisect_left(bars, start, key=_OPENING))
        _check_history(request, feature, len(history.closes))
        if isinstance(feature, str):
            stats |= indicators.INDICATORS[feature].compute(history.closes)
        else:
            stats.setdefault("by_period", []).extend(_compute_period(feature, history))
    return models.WindowStats(**stats)


def _check_history(request: FeaturesOhlcvWindowRequest, feature: _Feature, available: int) -> None:
    """Raise InsufficientData if a feature needs more bars than exist."""
    if isinstance(feature, str):
        name, required = feature, indicators.INDICATORS[feature].bars
    else:
        name = f"{feature.feature} of {feature.period} bars"
        required = feature.period + indicators.PERIOD_INDICATORS[feature.feature].before
    if available < required:
        raise InsufficientData(
            f"{name} needs {required} bars of {request.interval} up to the end of the window, and"
            f" {request.symbol} has {available}; choose a later end or another feature.",
            available=available,
            required=required,
        )


def _compute_period(feature: models.PeriodFeature, history: indicators.Prices) -> list[models.PeriodValue]:
    """Return the value of a feature with a period, if it has one."""
    value = indicators.PERIOD_INDICATORS[feature.feature].compute(history, feature.period)
    return [] if value is None else [models.PeriodValue(feature=feature.feature, period=feature.period, value=value)]


def _compute_volumes(rows: Sequence[Bar]) -> dict[str, Any]:
    """Return the average price of the traded volume, and its profile."""
    highs, lows, closes, volumes = (
        indicators.to_array([getattr(bar, name) for bar in rows]) for name in ("high", "low", "close", "volume")
    )
    profile = [models.PriceBin(**each._asdict()) for each in indicators.compute_profile(highs, lows, volumes)]
    return {"volume_vwap": indicators.compute_vwap(closes, volumes), "volume_profile": profile}
