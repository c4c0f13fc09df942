"""Requests and results of portfolio-mcp.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from generated.shared import Pagination
from toolaccord.contract_model import ContractModel


class GetPositionsRequest(ContractModel):
    """Arguments of get_positions."""

    symbol: str | None = None
    """Only positions in this trading pair, such as ETH/USD"""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    """Number of positions to return per page, 1 to 200; 50 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of positions to skip for pagination"""


class Position(ContractModel):
    """An open position."""

    symbol: str
    """Trading pair"""
    side: Literal["LONG", "SHORT"]
    """LONG gains when the price rises, SHORT when it falls"""
    size: float | int
    """Size of the position, in units of the symbol's first currency"""
    entry_price: float | int
    """Price of one unit when it was opened, in the account's currency"""
    current_price: float | int
    """Newest known price of one unit, in the account's currency"""
    unrealized_pnl: float | int
    """Profit at the current price, in the account's currency; a loss is negative"""
    opened_at: AwareDatetime
    """Time at which it was opened, in UTC"""


class GetBalanceRequest(ContractModel):
    """Arguments of get_balance."""


class GetBalanceResult(ContractModel):
    """Result of get_balance."""

    total_balance: float | int
    """Balance of the account, in its currency, without unrealized profit or loss"""
    available_balance: float | int
    """
    Balance available for new trades, in the account's currency; negative if the margin is
    overdrawn
    """
    margin_used: float | int
    """Margin of the open positions, in the account's currency"""
    unrealized_pnl: float | int
    """
    Profit of all open positions at current prices, in the account's currency; a loss is
    negative
    """


class ValidateTradeRequest(ContractModel):
    """Arguments of validate_trade."""

    symbol: str
    """Trading pair, such as ETH/USD: capital letters and digits around a slash"""
    side: Literal["BUY", "SELL"]
    """
    A SELL closes open long positions in the symbol first, a BUY open short ones; the risk
    rules apply to the excess only
    """
    size: float | int
    """Size of the trade, in units of the symbol's first currency"""
    price: float | int | None = None
    """Price of one unit, in the account's currency; the newest known price if not given"""


class ValidateTradeResult(ContractModel):
    """Result of validate_trade."""

    valid: bool
    """
    True if the risk rules allow the trade, or the user does, who is asked about a trade above
    the limit
    """
    reason: str
    """Reason for the verdict, in a sentence"""
    max_size: float | int | None = None
    """Largest valid size, with the part that closes positions; absent if no price is known"""
    risk_score: float | int | None = None
    """
    Value of the checked part as a share of the available balance, at most 1. Absent if no
    price is known
    """


class OversizedTradeAnswer(ContractModel):
    """Ask if a trade above the limit shall be allowed."""

    allow: bool
    """True to allow the trade"""


class GetPositionsResult(ContractModel):
    """Result of get_positions."""

    items: Annotated[list[Position], Field(max_length=200)]
    """The newest first"""
    pagination: Pagination
