"""Requests and results of decisions-mcp.

Generated from contracts/tradestream/decisions.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from generated.shared import Pagination
from toolaccord.contract_model import ContractModel


class GetRecentDecisionsRequest(ContractModel):
    """Arguments of get_recent_decisions."""

    symbol: str | None = None
    """Only decisions on this trading pair, such as ETH/USD"""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """Number of decisions to return per page, 1 to 100; 10 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of decisions to skip for pagination"""
    action: Literal["BUY", "SELL", "HOLD"] | None = None
    """Only decisions with this action"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class Decision(ContractModel):
    """An agent's decision with its reasoning."""

    decision_id: str
    """Identifier of the decision"""
    symbol: str
    """Trading pair"""
    action: Literal["BUY", "SELL", "HOLD"]
    """The decided action"""
    confidence: float | int
    """The agent's confidence, from 0 to 1"""
    opportunity_score: float | int | None = None
    """Quality of the opportunity, from 0 to 100; absent if not given"""
    reasoning: str
    """Reasoning behind the decision"""
    created_at: AwareDatetime
    """Time at which it was saved, in UTC"""


class SaveDecisionRequest(ContractModel):
    """Arguments of save_decision."""

    symbol: str
    """Trading pair of the decision, such as ETH/USD"""
    action: Literal["BUY", "SELL", "HOLD"]
    """The decided action"""
    confidence: float | int
    """The agent's confidence, from 0 to 1"""
    opportunity_score: float | int | None = None
    """Quality of the opportunity, from 0 to 100"""
    reasoning: Annotated[str, Field(max_length=10000, min_length=1)]
    """Reasoning behind the decision, for later readers, at most 10,000 characters"""
    tool_calls: list[Any] | None = None
    """Tool calls behind the decision, in order; stored unchanged"""


class SaveDecisionResult(ContractModel):
    """Result of save_decision."""

    decision_id: str
    """Identifier of the decision"""
    saved: bool
    """True: the decision is stored"""


class GetRecentDecisionsResult(ContractModel):
    """Result of get_recent_decisions."""

    items: Annotated[list[Decision], Field(max_length=100)]
    """The newest first"""
    pagination: Pagination
