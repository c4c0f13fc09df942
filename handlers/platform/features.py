"""The tools of features-mcp: windows of bars with their features, and live ticks."""

from collections.abc import Sequence
from datetime import timedelta
from operator import attrgetter
from typing import Any

from generated.platform.errors import InsufficientData, InvalidArguments
from generated.platform.features import models
from generated.platform.features.models import (
    FeaturesLiveMarketDataRequest,
    FeaturesLiveMarketDataResult,
    FeaturesOhlcvWindowRequest,
    FeaturesOhlcvWindowResult,
)
from generated.platform.features.server import FeaturesCall
from handlers.candles.store import WIDTH_MS, Bar, CandleStore
from handlers.platform import indicators
from handlers.platform.ticks import parse_tick, to_subject
from handlers.platform.windows import Window
from toolpact import Provisional

MOST_MESSAGES = 1000
"""Messages that a call reads, whatever its limit: late ticks of older times are among them."""
MAX_ROWS = 1440
"""The minutes of a day."""
HISTORY_BARS = 250
"""Bars up to the end of a window from which indicators are computed.

After 250 bars, the start of an average of 26 counts for less than a ten-millionth of it.
"""
_COLUMNS = ("timestamp", *Bar._fields[1:])
"""The contract's names of the values of a bar."""


async def features_ohlcv_window(
    request: FeaturesOhlcvWindowRequest, call: FeaturesCall
) -> FeaturesOhlcvWindowResult | Provisional[FeaturesOhlcvWindowResult]:
    """Return a window's closed bars and features; provisional if bars are still to close."""
    width = timedelta(milliseconds=WIDTH_MS[request.interval])
    requested = Window.between(request.start, request.end, width)
    _check_size(requested)
    window = requested.closed_at(call.now)
    history = window.since(window.stop - HISTORY_BARS)
    bars = await _read_bars(call, request, window.since(min(window.first, history.first))) if window.bars else []
    rows = [bar for bar in bars if bar.time >= window.start]
    if not rows:
        raise InsufficientData(f"{request.symbol} has no closed bar in the window.", available=0, required=1)
    result = FeaturesOhlcvWindowResult(
        symbol=request.symbol,
        interval=request.interval,
        rows=[models.Bar.model_construct(None, **dict(zip(_COLUMNS, bar, strict=True))) for bar in rows],
        stats=_compute_stats(request, rows, [bar for bar in bars if bar.time >= history.start]),
        metadata=models.WindowMetadata(
            total_rows=len(rows),
            first_timestamp=rows[0].time,
            last_timestamp=rows[-1].time,
            data_completeness=window.completeness(len(rows)),
        ),
    )
    return result if window == requested else Provisional(result)


async def features_live_market_data(
    request: FeaturesLiveMarketDataRequest, call: FeaturesCall
) -> FeaturesLiveMarketDataResult:
    """Return the ticks of the last minutes. Messages that are no ticks are skipped and counted."""
    lookback = timedelta(minutes=request.lookback_minutes)
    batch = await call.stream.last_messages(to_subject(request.symbol), lookback, limit=MOST_MESSAGES)
    parsed = [parse_tick(message.payload, request.symbol) for message in batch.messages]
    recent = (tick for tick in parsed if tick is not None and tick.timestamp >= call.now - lookback)
    ticks = sorted(recent, key=attrgetter("timestamp"))  # the stream has them as they arrived
    if not ticks:
        message = f"No tick of {request.symbol} arrived in the last {request.lookback_minutes} minutes."
        raise InsufficientData(message, available=0, required=1)
    left_out = len(ticks[request.limit :])
    return FeaturesLiveMarketDataResult(
        symbol=request.symbol,
        ticks=[models.Tick.model_construct(**tick._asdict()) for tick in ticks[: request.limit]],
        metadata=models.TickMetadata(
            total_ticks=len(ticks) - left_out, skipped=parsed.count(None), remaining=batch.remaining + left_out
        ),
    )


async def _read_bars(call: FeaturesCall, request: FeaturesOhlcvWindowRequest, window: Window) -> list[Bar]:
    """Return the bars of *window* that exist. Raises SourceError."""
    return await CandleStore(call.influxdb).between(request.symbol, request.interval, window.start, window.end)


def _check_size(window: Window) -> None:
    """Raise InvalidArguments if a window holds no bar, or too many."""
    if not 1 <= window.bars <= MAX_ROWS:
        message = (
            f"The window holds {window.bars} whole bars, and 1 to {MAX_ROWS} are possible;"
            " choose another end or interval."
        )
        raise InvalidArguments(message, field="end")


def _compute_stats(
    request: FeaturesOhlcvWindowRequest, rows: Sequence[Bar], history: Sequence[Bar]
) -> models.WindowStats:
    """Return the requested features. Raises InsufficientData."""
    stats: dict[str, Any] = {}
    closes = indicators.to_array([bar.close for bar in history])
    for feature in request.features:
        if feature == "volume_profile":
            stats |= _compute_volumes(rows)
            continue
        indicator = indicators.INDICATORS[feature]
        if len(history) < indicator.bars:
            raise InsufficientData(
                f"{feature} needs {indicator.bars} bars of {request.interval} up to the end of the window, and"
                f" {request.symbol} has {len(history)}; choose a later end or another feature.",
                available=len(history),
                required=indicator.bars,
            )
        stats |= indicator.compute(closes)
    return models.WindowStats(**stats)


def _compute_volumes(rows: Sequence[Bar]) -> dict[str, Any]:
    """Return the average price of the traded volume, and its profile."""
    highs, lows, closes, volumes = (
        indicators.to_array([getattr(bar, name) for bar in rows]) for name in ("high", "low", "close", "volume")
    )
    profile = [models.PriceBin(**each._asdict()) for each in indicators.compute_profile(highs, lows, volumes)]
    return {"volume_vwap": indicators.compute_vwap(closes, volumes), "volume_profile": profile}
