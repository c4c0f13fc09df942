"""Requests and results of execution-mcp.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class ExecutionSimQuoteRequest(ContractModel):
    """Arguments of execution.sim_quote."""

    instrument: str
    """Instrument e.g. EURUSD or ETH/USD"""
    side: Literal["buy", "sell"]
    """Buy or sell the base currency"""
    qty: float | int
    """Quantity, in units of the base currency"""
    order_type: Literal["market", "limit", "stop"] = "market"
    """
    Kind of the order, market if absent. A limit order needs limit_price, a stop order
    stop_price; a stop becomes a market order
    """
    limit_price: float | int | None = None
    """Worst price of a limit order, in the quote currency"""
    stop_price: float | int | None = None
    """
    Price that triggers a stop order, in the quote currency; already passed, it triggers at
    once
    """
    timestamp: AwareDatetime
    """
    Time of the order, e.g. 2026-11-23T09:30:00Z; its market is estimated from the minutes
    that closed before it
    """


class MarketImpact(ContractModel):
    """Cost of an execution at once.

    Its shift of the price follows the square-root law (Tóth et al. 2011).
    """

    permanent_bps: float | int
    """Shift of the price that remains after the order, in basis points"""
    temporary_bps: float | int
    """Shift of the price that decays after the order, in basis points"""
    total_cost_bps: float | int
    """Both shifts and half the spread, in basis points of the mid price"""


class ExecutionEstimate(ContractModel):
    """Prospects of an order that lapses after an hour, for a price without drift."""

    fill_probability: float | int
    """Probability that the market reaches the order's price, from 0 to 1"""
    expected_fill_time_ms: Annotated[int, Field(ge=0)]
    """Expected milliseconds to the last fill, if the order is filled"""
    partial_fill_risk: float | int
    """Probability that a part of the order stays unfilled, from 0 to 1"""


class MarketConditions(ContractModel):
    """State of the market, estimated from the bars of the hour before the order."""

    bid_price: float | int
    """Price of a small sale, in the quote currency"""
    ask_price: float | int
    """Price of a small purchase, in the quote currency"""
    spread_bps: float | int
    """Ask less bid, in basis points of the mid price (Abdi and Ranaldo 2017)"""
    liquidity_score: float | int
    """Share of the largest quantity that the order leaves, from 0 to 1"""
    volatility_regime: Literal["low", "normal", "high", "extreme"]
    """Annualised volatility (Parkinson 1980): below 20, 60, 120 percent, or higher"""


class ExecutionSimQuoteResult(ContractModel):
    """Result of execution.sim_quote."""

    expected_price: float | int
    """Expected price of the order's last fill, in the quote currency"""
    slippage_bps: float | int
    """
    Cost of expected_price against the mid price, or against the trigger of a resting stop, in
    basis points; a gain is negative
    """
    market_impact: MarketImpact
    execution_estimate: ExecutionEstimate
    market_conditions: MarketConditions
