"""Requests and results of risk-mcp.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from toolaccord.contract_model import ContractModel


class RiskPositionLimitsCheckRequest(ContractModel):
    """Arguments of risk.position_limits_check."""

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


class RiskPositionLimitsCheckResultRiskMetrics(ContractModel):
    """Figures of the portfolio with the order executed."""

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


class AppliedLimit(ContractModel):
    """A limit, and its value with the order executed."""

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


class RiskTriggerAlertRequest(ContractModel):
    """Arguments of risk.trigger_alert."""

    violation_type: Literal[
        "max_daily_loss",
        "position_limit",
        "correlation_limit",
        "concentration_risk",
        "velocity_limit",
        "exposure_limit",
    ]
    """Violated limit"""
    severity: Literal["warning", "critical", "emergency"]
    """warning: act soon. critical: act now. emergency: stop trading"""
    message: Annotated[str, Field(max_length=500, min_length=1)]
    """The alert in a sentence, for people, at most 500 characters"""
    portfolio_id: Annotated[str | None, Field(max_length=50, min_length=1)] = None
    """Portfolio at risk: at most 50 letters, digits, _ or -"""
    symbol: str | None = None
    """Instrument at risk, e.g. EURUSD or BTC/USD"""
    threshold: float | int | None = None
    """Threshold of the limit, in the limit's own unit"""
    current_value: float | int | None = None
    """Current value, in the unit of the threshold"""


class RiskTriggerAlertResult(ContractModel):
    """Result of risk.trigger_alert."""

    published: bool
    """True: JetStream has stored the alert"""
    subject: str
    """Subject on which the alert was published"""
    timestamp: AwareDatetime
    """Time of the alert, in UTC"""


class RiskAlert(ContractModel):
    """A violated limit, or one that is about to be violated."""

    violation_type: Literal[
        "max_daily_loss",
        "position_limit",
        "correlation_limit",
        "concentration_risk",
        "velocity_limit",
        "exposure_limit",
    ]
    """Violated limit"""
    severity: Literal["warning", "critical", "emergency"]
    """warning: act soon. critical: act now. emergency: stop trading"""
    message: Annotated[str, Field(max_length=500, min_length=1)]
    """The alert in a sentence, for people, at most 500 characters"""
    timestamp: AwareDatetime
    """Time of the alert, in UTC"""
    portfolio_id: Annotated[str | None, Field(max_length=50, min_length=1)] = None
    """Portfolio at risk"""
    symbol: str | None = None
    """Instrument at risk, e.g. EURUSD or BTC/USD"""
    threshold: float | int | None = None
    """Threshold of the limit, in the limit's own unit"""
    current_value: float | int | None = None
    """Current value, in the unit of the threshold"""


class RiskPositionLimitsCheckResult(ContractModel):
    """Result of risk.position_limits_check."""

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
