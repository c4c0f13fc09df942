"""Requests and results of features-mcp.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class PeriodFeature(ContractModel):
    """A feature with a chosen period."""

    feature: Literal["sma", "ema", "rsi", "atr"]
    """Feature that has a period"""
    period: Annotated[int, Field(ge=2, le=200)]
    """Period of the feature in bars, 2 to 200"""


class Bar(ContractModel):
    """Prices and volume of one interval."""

    timestamp: AwareDatetime
    """Opening time of the bar, in UTC"""
    open: float | int
    """First price, in the quote currency"""
    high: float | int
    """Highest price"""
    low: float | int
    """Lowest price"""
    close: float | int
    """Last price"""
    volume: float | int
    """Traded volume, in units of the base currency"""


class PriceBin(ContractModel):
    """The volume that was traded between two prices."""

    low: float | int
    """Lower price of the bin"""
    high: float | int
    """Upper price of the bin"""
    volume: float | int
    """
    Traded volume, in units of the base currency; that of a bar is spread evenly from its low
    to its high
    """


class PeriodValue(ContractModel):
    """The value of a feature with a chosen period."""

    feature: Literal["sma", "ema", "rsi", "atr"]
    """Feature that has a period"""
    period: Annotated[int, Field(ge=2, le=200)]
    """Period of the feature in bars, 2 to 200"""
    value: float | int
    """Price or, for atr, range of prices in the quote currency; for rsi an index from 0 to 100"""


class WindowMetadata(ContractModel):
    """Extent and completeness of the rows."""

    total_rows: Annotated[int, Field(ge=1)]
    """Number of rows"""
    first_timestamp: AwareDatetime
    """Opening time of the first row, in UTC"""
    last_timestamp: AwareDatetime
    """Opening time of the last row, in UTC"""
    data_completeness: float | int
    """Share of the window's minutes that are stored, of its bars that have closed"""


class FeaturesLiveMarketDataRequest(ContractModel):
    """Arguments of features.live_market_data."""

    symbol: str
    """Instrument e.g. EURUSD or ETH/USD"""
    lookback_minutes: Annotated[int, Field(ge=1, le=60)] = 5
    """Minutes up to now whose ticks are returned, 1 to 60; 5 if absent"""
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000
    """
    Maximum number of ticks, 1 to 1000; 1000 if absent. If more exist, the oldest are left
    out: 1 gives the newest tick
    """


class Tick(ContractModel):
    """A price at a moment."""

    timestamp: AwareDatetime
    """Time of the tick, in UTC"""
    price: float | int
    """Last traded price in the quote currency"""
    bid: float | int | None = None
    """Best price of buyers in the quote currency"""
    ask: float | int | None = None
    """Best price of sellers in the quote currency"""
    volume: float | int | None = None
    """Traded volume, in units of the base currency"""


class TickMetadata(ContractModel):
    """Completeness of the ticks."""

    total_ticks: Annotated[int, Field(ge=1, le=1000)]
    """Number of ticks"""
    skipped: Annotated[int, Field(ge=0, le=1000)]
    """
    Number of read messages that are no ticks of the symbol, e.g. because they lie in the
    future
    """
    remaining: Annotated[int, Field(ge=0)]
    """Number of older messages that were left out"""


class FeaturesOhlcvWindowRequest(ContractModel):
    """Arguments of features.ohlcv_window."""

    symbol: str
    """Instrument e.g. EURUSD or ETH/USD"""
    start: AwareDatetime
    """Begin of the window; the first bar opens then or later"""
    end: AwareDatetime
    """End of the window; the last bar closes then or earlier"""
    interval: Literal["1m", "5m", "15m", "1h", "4h", "1d"]
    """Duration of a bar; bars are aligned to midnight UTC"""
    features: Annotated[
        list[Literal["sma", "ema", "rsi", "macd", "bollinger", "volatility", "volume_profile"] | PeriodFeature],
        Field(max_length=10, min_length=1),
    ]
    """
    Features to compute for the last bar of the window, 1 to 10: names, or objects such as
    {"feature": "sma", "period": 34}; volume_profile is of the whole window
    """


class WindowStats(ContractModel):
    """Values of the requested features."""

    sma_20: float | int | None = None
    """Mean of the last 20 closes"""
    sma_50: float | int | None = None
    """Mean of the last 50 closes. Absent if fewer exist"""
    ema_12: float | int | None = None
    """Exponential moving average of the closes, factor 2/13"""
    ema_26: float | int | None = None
    """Exponential moving average of the closes, factor 2/27. Absent if fewer than 26 exist"""
    rsi_14: float | int | None = None
    """
    Wilder's relative strength index over 14 changes of the close. Absent if the close never
    changed
    """
    macd_line: float | int | None = None
    """ema_12 minus ema_26, in the quote currency"""
    macd_signal: float | int | None = None
    """Exponential moving average of macd_line, factor 2/10"""
    macd_histogram: float | int | None = None
    """macd_line minus macd_signal"""
    bollinger_upper: float | int | None = None
    """bollinger_middle plus two population standard deviations of the last 20 closes"""
    bollinger_middle: float | int | None = None
    """Mean of the last 20 closes"""
    bollinger_lower: float | int | None = None
    """bollinger_middle minus two population standard deviations of the last 20 closes"""
    volatility: float | int | None = None
    """
    Sample standard deviation of the last 20 simple returns between closes, as a fraction per
    bar. Not annualised
    """
    volume_vwap: float | int | None = None
    """
    Mean of the closes of the rows in the quote currency, weighted by volume. Absent if
    nothing was traded
    """
    volume_profile: Annotated[list[PriceBin] | None, Field(max_length=20)] = None
    """
    Traded volume of the rows by price, in 20 equal bins from the lowest low to the highest
    high, or in one bin if all prices are equal
    """
    by_period: Annotated[list[PeriodValue] | None, Field(max_length=10)] = None
    """
    Values of the features that were requested with a period, in the requested order. Without
    an rsi whose closes never changed
    """


class FeaturesLiveMarketDataResult(ContractModel):
    """Result of features.live_market_data."""

    symbol: str
    """Instrument e.g. EURUSD or ETH/USD"""
    ticks: Annotated[list[Tick], Field(max_length=1000)]
    """The ticks, oldest first"""
    metadata: TickMetadata


class FeaturesOhlcvWindowResult(ContractModel):
    """Result of features.ohlcv_window."""

    symbol: str
    """Instrument e.g. EURUSD or ETH/USD"""
    interval: Literal["1m", "5m", "15m", "1h", "4h", "1d"]
    """Duration of a bar; bars are aligned to midnight UTC"""
    rows: Annotated[list[Bar], Field(max_length=1440)]
    """The bars of the window that exist, oldest first"""
    stats: WindowStats
    metadata: WindowMetadata
