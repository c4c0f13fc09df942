"""Requests and results of market-data-mcp.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from generated.shared import Pagination
from toolaccord.contract_model import ContractModel


class GetCandlesRequest(ContractModel):
    """Arguments of get_candles."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    timeframe: Literal["1m", "5m", "15m", "1h", "4h", "1d"] = "1h"
    """Duration of a candle, 1h if absent; periods are aligned to midnight UTC"""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    """Number of candles to return per page, 1 to 1000; 100 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of candles to skip, counted back from the newest"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class Candle(ContractModel):
    """Prices and volume of one period."""

    timestamp: AwareDatetime
    """Opening time of the candle, in UTC"""
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


class GetCurrentPriceRequest(ContractModel):
    """Arguments of get_current_price."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class GetCurrentPriceResult(ContractModel):
    """Result of get_current_price."""

    price: float | int
    """The newest close, in the quote currency"""
    change_1h: float | int | None = None
    """
    Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent. Absent if there
    is no price between one and two hours ago
    """
    change_24h: float | int | None = None
    """
    Change of the price in the last 24 hours, as a fraction. Absent if there is no price
    between 24 and 25 hours ago
    """
    volume_24h: float | int
    """Traded volume of the 24 hours up to the price, in units of the base currency"""
    timestamp: AwareDatetime
    """Opening time of the minute whose close is the price, in UTC"""


class GetVolatilityRequest(ContractModel):
    """Arguments of get_volatility."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    timeframe: Literal["1h", "4h", "1d"] = "1h"
    """Duration of the measured bars, 1h if absent: the last 100 closed ones"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class GetVolatilityResult(ContractModel):
    """Result of get_volatility."""

    volatility: float | int
    """
    Population standard deviation of simple close-to-close returns, as a fraction per bar. Not
    annualised
    """
    atr: float | int
    """Average True Range after Wilder over 14 bars, in the quote currency"""
    high_low_range: float | int
    """Highest high minus lowest low, in the quote currency"""


class PromptDetectPatternsRequest(ContractModel):
    """Arguments of the prompt detect-patterns."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    candles: Annotated[int, Field(ge=20, le=500)] = 100
    """Number of candles to look at, 20 to 500"""


class GetCandlesResult(ContractModel):
    """Result of get_candles."""

    items: Annotated[list[Candle], Field(max_length=1000)]
    """The newest closed candles after the offset, oldest first"""
    pagination: Pagination
