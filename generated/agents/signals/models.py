"""Requests and results of signal-mcp.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class CollectEvidenceRequest(ContractModel):
    """Arguments of collect_evidence."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""


class CollectEvidenceResultRawSignalTopStrategy(ContractModel):
    """The best strategy with a current signal, or the best without one.

    Absent without strategies.
    """

    name: str
    """Name of the strategy's spec"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""
    signal: Literal["BUY", "SELL", "HOLD"] | None = None
    """The strategy's current signal; absent without one"""
    parameters: dict[str, Any] | None = None
    """The strategy's parameters behind the signal, by name; absent without a signal"""


class CollectEvidenceResultRawSignalStrategyBreakdownItem(ContractModel):
    """A strategy with its current signal."""

    name: str
    """Name of the strategy's spec"""
    signal: Literal["BUY", "SELL", "HOLD"]
    """The strategy's current signal"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""


class CollectEvidenceResultRawSignalMarketContext(ContractModel):
    """State of the market; absent if unknown."""

    current_price: float | int | None = None
    """The newest price, in the quote currency"""
    price_change_1h: float | int | None = None
    """Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent"""
    volume_ratio: float | int | None = None
    """Volume of the last closed hour, as a ratio to the mean of the 24 hours before it"""
    volatility_1h: float | int | None = None
    """Standard deviation of hourly returns, as a fraction"""


class PublishSignalRequestClaim(ContractModel):
    """Values of a caller of 1.1.0, which must be those of the evidence."""

    action: Literal["BUY", "SELL", "HOLD"] | None = None
    """Direction of a signal"""
    confidence: float | int | None = None
    """
    Confidence from consensus and scores, less what missing data costs, as a fraction from
    0.27 to 0.95
    """
    strategies_analyzed: Annotated[int | None, Field(ge=0, le=100)] = None
    """Number of strategies with a current signal, at most 100"""
    strategies_bullish: Annotated[int | None, Field(ge=0, le=100)] = None
    """Number of strategies whose signal is BUY, at most 100"""
    strategies_bearish: Annotated[int | None, Field(ge=0, le=100)] = None
    """Number of strategies whose signal is SELL, at most 100"""
    strategies_neutral: Annotated[int | None, Field(ge=0, le=100)] = None
    """Number of strategies whose signal is HOLD, at most 100"""
    current_price: float | int | None = None
    """Price at the time of the evidence, in the quote currency"""
    timestamp: AwareDatetime | None = None
    """Time of the signal, in UTC, e.g. 2026-11-23T09:30:00Z"""


class PublishSignalResult(ContractModel):
    """Result of publish_signal."""

    signal_id: str
    """Id of the published signal"""
    channel: str
    """Channel of Redis on which it was published"""
    publication: Literal["published", "replaced", "duplicate"]
    """
    replaced: the complete signal follows a degraded one of its minute. duplicate: its minute
    had a signal, and nothing was sent
    """


class RawSignalTopStrategy(ContractModel):
    """The best strategy with a current signal, or the best without one.

    Absent without strategies.
    """

    name: str
    """Name of the strategy's spec"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""
    signal: Literal["BUY", "SELL", "HOLD"] | None = None
    """The strategy's current signal; absent without one"""
    parameters: dict[str, Any] | None = None
    """The strategy's parameters behind the signal, by name; absent without a signal"""


class RawSignalStrategyBreakdownItem(ContractModel):
    """A strategy with its current signal."""

    name: str
    """Name of the strategy's spec"""
    signal: Literal["BUY", "SELL", "HOLD"]
    """The strategy's current signal"""
    score: float | int
    """Share of right signals in the newest measured period, from 0 to 1"""


class RawSignalMarketContext(ContractModel):
    """State of the market; absent if unknown."""

    current_price: float | int | None = None
    """The newest price, in the quote currency"""
    price_change_1h: float | int | None = None
    """Change of the price in the last hour, as a fraction: 0.023 is 2.3 percent"""
    volume_ratio: float | int | None = None
    """Volume of the last closed hour, as a ratio to the mean of the 24 hours before it"""
    volatility_1h: float | int | None = None
    """Standard deviation of hourly returns, as a fraction"""


class CollectEvidenceResultRawSignal(ContractModel):
    """The signal that follows from the results of the tools."""

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
    top_strategy: CollectEvidenceResultRawSignalTopStrategy | None = None
    """
    The best strategy with a current signal, or the best without one; absent without
    strategies
    """
    strategy_breakdown: Annotated[list[CollectEvidenceResultRawSignalStrategyBreakdownItem], Field(max_length=100)]
    """The analysed strategies, best ranked first"""
    reasoning: Annotated[str, Field(max_length=8000, min_length=1)]
    """Explanation of the signal, at most 8,000 characters"""
    market_context: CollectEvidenceResultRawSignalMarketContext | None = None
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


class PublishSignalRequest(ContractModel):
    """Arguments of publish_signal."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    evidence_id: str
    """Id that collect_evidence returned: sig- and 1 to 32 letters or digits"""
    reasoning: Annotated[str, Field(max_length=8000, min_length=1)]
    """
    Explanation of the signal in plain English, whose numbers are those of the evidence, at
    most 8,000 characters
    """
    claim: PublishSignalRequestClaim | None = None
    """Values of a caller of 1.1.0, which must be those of the evidence"""


class RawSignal(ContractModel):
    """A signal for downstream processing."""

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
    top_strategy: RawSignalTopStrategy | None = None
    """
    The best strategy with a current signal, or the best without one; absent without
    strategies
    """
    strategy_breakdown: Annotated[list[RawSignalStrategyBreakdownItem], Field(max_length=100)]
    """The analysed strategies, best ranked first"""
    reasoning: Annotated[str, Field(max_length=8000, min_length=1)]
    """Explanation of the signal, at most 8,000 characters"""
    market_context: RawSignalMarketContext | None = None
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


class CollectEvidenceResult(ContractModel):
    """Result of collect_evidence."""

    evidence_id: str
    """Id for publish_signal, which takes it once"""
    expires_at: AwareDatetime
    """End of the evidence, in UTC, e.g. 2026-11-23T09:35:00Z"""
    raw_signal: CollectEvidenceResultRawSignal
    """The signal that follows from the results of the tools"""
