"""Requests and results of risk-mcp.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class RiskPositionLimitsCheckRequest(BaseModel):
    """Arguments of risk.position_limits_check."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    portfolio_id: Annotated[str, Field(max_length=50, min_length=1)]
    """Portfolio that would trade"""
    symbol: str
    """Traded instrument, e.g. EURUSD or BTC/USD"""
    quantity: float | int
    """Size of the order, in units of the instrument"""
    direction: Literal["long", "short"]
    """long adds the quantity to the position, short takes it away"""
    current_positions: dict[str, float | int] | None = None
    """
    All open positions, in units by instrument, a short one negative; the stored ones if not
    given
    """
    time_horizon: Literal["intraday", "swing"] = "intraday"
    """Days of value at risk: 1 for intraday, 10 for swing"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class RiskPositionLimitsCheckResultRiskMetrics(BaseModel):
    """Figures of the portfolio with the order executed."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    position_utilization: float | int
    """Largest share of a limit that is used, from 0 to 1; 1 also above the limit"""
    instrument_concentration: float | int
    """The instrument's share of gross exposure, from 0 to 1"""
    portfolio_exposure: float | int
    """Gross exposure: the sum of absolute position values, in the currency of the prices"""
    var_impact: float | int
    """
    Change of the 95 % value at risk by the order, in the currency of the prices; a hedge is
    negative
    """


class AppliedLimit(BaseModel):
    """A limit, and its value with the order executed."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    rule_name: str
    """Name of the rule in the portfolio's configuration"""
    limit_type: Literal[
        "position_limit_per_symbol",
        "max_position_value",
        "max_total_exposure",
        "max_concentration",
        "max_correlated_exposure",
        "max_value_at_risk",
    ]
    """
    Limited value: the instrument's units, its exposure, gross exposure, the instrument's
    share of it, the exposure of its correlation group, or value at risk
    """
    threshold: float | int
    """
    Largest value: units of the instrument, a fraction for max_concentration, else in the
    currency of the prices
    """
    current_value: float | int
    """Value with the order executed, in the unit of the threshold"""
    violated: bool
    """True if the value is above the threshold, and above the value without the order"""


class RiskPositionLimitsCheckResult(BaseModel):
    """Result of risk.position_limits_check."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    allowed: bool
    """True if the order violates no limit"""
    reason: str
    """Reason for the verdict, in a sentence"""
    max_quantity: float | int
    """Largest order that violates no limit, in units of the instrument"""
    risk_metrics: RiskPositionLimitsCheckResultRiskMetrics
    """Figures of the portfolio with the order executed"""
    limits_applied: Annotated[list[AppliedLimit], Field(max_length=6)]
    """Limits that apply to the order, at most one of each type"""
