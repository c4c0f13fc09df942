"""Requests and results of strategy-mcp.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from generated.shared import Pagination
from toolaccord.contract_model import ContractModel


class GetTopStrategiesRequest(ContractModel):
    """Arguments of get_top_strategies."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    limit: Annotated[int, Field(ge=1, le=100)] = 5
    """Number of strategies to return per page, 1 to 100; 5 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of strategies to skip for pagination"""
    metric: Literal["sharpe", "accuracy", "return"] = "sharpe"
    """Performance figure that ranks the strategies and is their score; sharpe if absent"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class Strategy(ContractModel):
    """A strategy and its performance."""

    strategy_id: str
    """Strategy identifier"""
    name: str
    """Name of the strategy's spec"""
    score: float | int
    """Value of the requested metric; the order also weighs signals_count"""
    sharpe: float | int
    """Sharpe ratio of the newest measured period"""
    accuracy: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""
    signals_count: Annotated[int, Field(ge=0)]
    """Number of signals in the newest measured period"""


class GetStrategySignalRequest(ContractModel):
    """Arguments of get_strategy_signal."""

    strategy_id: str
    """Strategy identifier"""
    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class GetStrategySignalResult(ContractModel):
    """Result of get_strategy_signal."""

    signal: Literal["BUY", "SELL", "HOLD"]
    confidence: float | int
    """The strategy's confidence, from 0 to 1"""
    triggered_at: AwareDatetime
    """Time of the signal, in UTC"""
    parameters: dict[str, Any]
    """The strategy's parameters behind the signal, by name"""


class GetStrategyConsensusRequest(ContractModel):
    """Arguments of get_strategy_consensus."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class GetStrategyConsensusResult(ContractModel):
    """Result of get_strategy_consensus."""

    bullish_count: Annotated[int, Field(ge=0)]
    """Strategies whose current signal is BUY"""
    bearish_count: Annotated[int, Field(ge=0)]
    """Strategies whose current signal is SELL"""
    neutral_count: Annotated[int, Field(ge=0)]
    """Strategies whose current signal is HOLD"""
    consensus: Literal["STRONG_BUY", "BUY", "NEUTRAL", "SELL", "STRONG_SELL"]
    """STRONG_BUY from a bullish share of 0.7, BUY above 0.5; SELL alike for bears; else NEUTRAL"""
    confidence: float | int
    """
    Mean confidence of the signals on the winning side, from 0 to 1. If NEUTRAL: of all
    signals, or 0 without signals
    """


class PromptAnalyzeSymbolRequest(ContractModel):
    """Arguments of the prompt analyze-symbol."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    strategies: Annotated[int, Field(ge=1, le=20)] = 5
    """Number of strategies to ask, 1 to 20"""


class GetTopStrategiesResult(ContractModel):
    """Result of get_top_strategies."""

    items: Annotated[list[Strategy], Field(max_length=100)]
    """
    Best first: those with 10 signals or more before others, then by the score, shrunk towards
    the mean of all the fewer signals it has
    """
    pagination: Pagination
