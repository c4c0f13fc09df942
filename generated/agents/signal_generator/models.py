"""Requests and results of signal-generator.

Generated from contracts/agents/signal_generator.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class SignalRequest(ContractModel):
    """The symbol to analyse."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""


class TopStrategy(ContractModel):
    """The strategy that strategy-mcp ranks first."""

    name: str
    """Name of the strategy's spec"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""
    signal: Literal["BUY", "SELL", "HOLD"] | None = None
    """The strategy's current signal; absent without one"""
    parameters: dict[str, Any] | None = None
    """The strategy's parameters behind the signal, by name; absent without a signal"""


class StrategySignal(ContractModel):
    """A strategy with its current signal."""

    name: str
    """Name of the strategy's spec"""
    signal: Literal["BUY", "SELL", "HOLD"]
    """The strategy's current signal"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""


class MarketContext(ContractModel):
    """Price, volume and volatility; members that could not be had are absent."""

    current_price: float | int | None = None
    """The newest price, in the quote currency"""
    price_change_1h: float | int | None = None
    """Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent"""
    volume_ratio: float | int | None = None
    """Volume of the last closed hour, as a ratio to the mean of the 24 hours before it"""
    volatility_1h: float | int | None = None
    """Standard deviation of hourly returns, as a fraction"""


class FailedSymbol(ContractModel):
    """A symbol without a signal."""

    symbol: Annotated[str, Field(max_length=200)]
    """The symbol as it was given"""
    error: Annotated[str, Field(max_length=2000)]
    """The reason"""
    error_type: Annotated[str, Field(max_length=100)]
    """Code or class of the error"""
    retries_attempted: Annotated[int, Field(ge=0)]
    """Number of retries before the failure"""


class Signal(ContractModel):
    """A raw signal."""

    signal_id: str
    """Id of the signal, equal for one symbol in one minute: sig- and 1 to 32 letters or digits"""
    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    action: Literal["BUY", "SELL", "HOLD"]
    """Direction of a signal"""
    confidence: float | int
    """
    Confidence from consensus and scores, less what missing data costs, as a fraction from
    0.27 to 0.95
    """
    strategies_analyzed: Annotated[int, Field(ge=0, le=100)]
    """Number of strategies with a current signal, at most 100"""
    strategies_bullish: Annotated[int, Field(ge=0, le=100)]
    """Number of strategies whose signal is BUY, at most 100"""
    strategies_bearish: Annotated[int, Field(ge=0, le=100)]
    """Number of strategies whose signal is SELL, at most 100"""
    strategies_neutral: Annotated[int, Field(ge=0, le=100)]
    """Number of strategies whose signal is HOLD, at most 100"""
    top_strategy: TopStrategy | None = None
    """
    The best strategy with a current signal, or the best without one; absent without
    strategies
    """
    strategy_breakdown: Annotated[list[StrategySignal], Field(max_length=100)]
    """The analysed strategies, best ranked first"""
    reasoning: Annotated[str, Field(max_length=8000, min_length=1)]
    """Explanation of the signal, at most 8,000 characters"""
    market_context: MarketContext | None = None
    """State of the market; absent if unknown"""
    revision: Annotated[int | None, Field(ge=2, le=2)] = None
    """2 if this signal from complete data replaces a degraded one with its id; absent otherwise"""
    is_degraded: bool | None = None
    """
    True if a call failed, or no majority of the requested strategies has a current signal;
    absent otherwise
    """
    timestamp: AwareDatetime
    """Time of the judgement, in UTC, never before that of its data, e.g. 2026-11-23T09:30:00Z"""
