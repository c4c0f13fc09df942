"""JSON Schemas of risk-mcp.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
    "description": "Traded instrument, e.g. EURUSD or BTC/USD",
}

_QUANTITY: Final[JsonObject] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": 1000000000000,
    "description": "Size of the order, in units of the instrument",
}

_CURRENT_POSITIONS: Final[JsonObject] = {
    "type": "object",
    "additionalProperties": {"type": "number", "minimum": -1000000000000, "maximum": 1000000000000},
    "description": "All open positions, in units by instrument, a short one negative; the stored ones if not given",
}

_TIME_HORIZON: Final[JsonObject] = {
    "type": "string",
    "enum": ["intraday", "swing"],
    "default": "intraday",
    "description": "Days of value at risk: 1 for intraday, 10 for swing",
}

RISK_POSITION_LIMITS_CHECK_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "portfolio_id": {
            "type": "string",
            "pattern": "^[a-zA-Z0-9_-]+$",
            "minLength": 1,
            "maxLength": 50,
            "description": "Portfolio that would trade",
        },
        "symbol": _SYMBOL,
        "quantity": _QUANTITY,
        "direction": {
            "type": "string",
            "enum": ["long", "short"],
            "description": "long adds the quantity to the position, short takes it away",
        },
        "current_positions": _CURRENT_POSITIONS,
        "time_horizon": _TIME_HORIZON,
        "force_refresh": {"type": "boolean", "default": False, "description": "Bypass cache and fetch fresh data"},
    },
    "required": ["portfolio_id", "symbol", "quantity", "direction"],
    "additionalProperties": False,
}
"""Schema of the arguments of risk.position_limits_check."""

_MAX_QUANTITY: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1000000000000,
    "description": "Largest order that violates no limit, in units of the instrument",
}

_POSITION_UTILIZATION: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "description": "Largest share of a limit that is used, from 0 to 1; 1 also above the limit",
}

_INSTRUMENT_CONCENTRATION: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "description": "The instrument's share of gross exposure, from 0 to 1",
}

_PORTFOLIO_EXPOSURE: Final[JsonObject] = {
    "type": "number",
    "minimum": 0,
    "description": "Gross exposure: the sum of absolute position values, in the currency of the prices",
}

_VAR_IMPACT: Final[JsonObject] = {
    "type": "number",
    "description": "Change of the 95 % value at risk by the order, in the currency of the prices; a hedge is negative",
}

_LIMITS_APPLIED: Final[JsonObject] = {
    "type": "array",
    "maxItems": 6,
    "description": "Limits that apply to the order, at most one of each type",
    "items": {
        "type": "object",
        "description": "A limit, and its value with the order executed.",
        "properties": {
            "rule_name": {"type": "string", "description": "Name of the rule in the portfolio's configuration"},
            "limit_type": {
                "type": "string",
                "enum": [
                    "position_limit_per_symbol",
                    "max_position_value",
                    "max_total_exposure",
                    "max_concentration",
                    "max_correlated_exposure",
                    "max_value_at_risk",
                ],
                "description": (
                    "Limited value: the instrument's units, its exposure, gross exposure, the "
                    "instrument's share of it, the exposure of its correlation group, or value at "
                    "risk"
                ),
            },
            "threshold": {
                "type": "number",
                "minimum": 0,
                "description": (
                    "Largest value: units of the instrument, a fraction for max_concentration, else "
                    "in the currency of the prices"
                ),
            },
            "current_value": {
                "type": "number",
                "minimum": 0,
                "description": "Value with the order executed, in the unit of the threshold",
            },
            "violated": {
                "type": "boolean",
                "description": "True if the value is above the threshold, and above the value without the order",
            },
        },
        "required": ["rule_name", "limit_type", "threshold", "current_value", "violated"],
        "additionalProperties": False,
    },
}

RISK_POSITION_LIMITS_CHECK_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "allowed": {"type": "boolean", "description": "True if the order violates no limit"},
        "reason": {"type": "string", "description": "Reason for the verdict, in a sentence"},
        "max_quantity": _MAX_QUANTITY,
        "risk_metrics": {
            "type": "object",
            "description": "Figures of the portfolio with the order executed",
            "properties": {
                "position_utilization": _POSITION_UTILIZATION,
                "instrument_concentration": _INSTRUMENT_CONCENTRATION,
                "portfolio_exposure": _PORTFOLIO_EXPOSURE,
                "var_impact": _VAR_IMPACT,
            },
            "required": ["position_utilization", "instrument_concentration", "portfolio_exposure", "var_impact"],
            "additionalProperties": False,
        },
        "limits_applied": _LIMITS_APPLIED,
    },
    "required": ["allowed", "reason", "max_quantity", "risk_metrics", "limits_applied"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_STRATEGY: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[a-zA-Z0-9_-]+$",
    "minLength": 1,
    "maxLength": 50,
    "description": "Strategy that would trade; portfolio_id in 2.0.0",
}

_SIDE: Final[JsonObject] = {
    "type": "string",
    "enum": ["buy", "sell", "long", "short"],
    "description": "buy and long add the quantity to the position, sell and short take it away",
}

RISK_POSITION_LIMITS_CHECK_PARAMETERS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy": _STRATEGY,
        "instrument": _SYMBOL,
        "qty": _QUANTITY,
        "side": _SIDE,
        "current_positions": _CURRENT_POSITIONS,
        "time_horizon": _TIME_HORIZON,
    },
    "required": ["strategy", "instrument", "qty", "side"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.1.0."""

RISK_POSITION_LIMITS_CHECK_RETURNS_1_1_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "allowed": {"type": "boolean", "description": "True if the order violates no limit"},
        "reason": {"type": "string", "description": "Reason for the verdict, in a sentence"},
        "max_qty": _MAX_QUANTITY,
        "risk_metrics": {
            "type": "object",
            "description": "Figures of the portfolio with the order executed",
            "properties": {
                "position_utilization": _POSITION_UTILIZATION,
                "instrument_concentration": _INSTRUMENT_CONCENTRATION,
                "strategy_exposure": _PORTFOLIO_EXPOSURE,
                "var_impact": _VAR_IMPACT,
            },
            "required": ["position_utilization", "instrument_concentration", "strategy_exposure", "var_impact"],
            "additionalProperties": False,
        },
        "limits_applied": _LIMITS_APPLIED,
    },
    "required": ["allowed", "reason", "max_qty", "risk_metrics", "limits_applied"],
    "additionalProperties": False,
}
"""Schema of the result of version 1.1.0."""

RISK_POSITION_LIMITS_CHECK_PARAMETERS_1_0_0: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "strategy": _STRATEGY,
        "instrument": _SYMBOL,
        "qty": _QUANTITY,
        "side": _SIDE,
        "current_positions": _CURRENT_POSITIONS,
    },
    "required": ["strategy", "instrument", "qty", "side"],
    "additionalProperties": False,
}
"""Schema of the arguments of version 1.0.0."""

RISK_POSITION_LIMITS_CHECK_RETURNS_1_0_0: Final[JsonObject] = RISK_POSITION_LIMITS_CHECK_RETURNS_1_1_0
"""Schema of the result of version 1.0.0."""

_VIOLATION_TYPE: Final[JsonObject] = {
    "type": "string",
    "enum": [
        "max_daily_loss",
        "position_limit",
        "correlation_limit",
        "concentration_risk",
        "velocity_limit",
        "exposure_limit",
    ],
    "description": "Violated limit",
}

_SEVERITY: Final[JsonObject] = {
    "type": "string",
    "enum": ["warning", "critical", "emergency"],
    "description": "warning: act soon. critical: act now. emergency: stop trading",
}

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 500,
    "description": "The alert in a sentence, for people, at most 500 characters",
}

_RISK_TRIGGER_ALERT_PARAMETERS_SYMBOL: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
    "description": "Instrument at risk, e.g. EURUSD or BTC/USD",
}

_THRESHOLD: Final[JsonObject] = {
    "type": "number",
    "minimum": -1000000000000,
    "maximum": 1000000000000,
    "description": "Threshold of the limit, in the limit's own unit",
}

_CURRENT_VALUE: Final[JsonObject] = {
    "type": "number",
    "minimum": -1000000000000,
    "maximum": 1000000000000,
    "description": "Current value, in the unit of the threshold",
}

RISK_TRIGGER_ALERT_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "violation_type": _VIOLATION_TYPE,
        "severity": _SEVERITY,
        "message": _MESSAGE,
        "portfolio_id": {
            "type": "string",
            "pattern": "^[a-zA-Z0-9_-]+$",
            "minLength": 1,
            "maxLength": 50,
            "description": "Portfolio at risk: at most 50 letters, digits, _ or -",
        },
        "symbol": _RISK_TRIGGER_ALERT_PARAMETERS_SYMBOL,
        "threshold": _THRESHOLD,
        "current_value": _CURRENT_VALUE,
    },
    "required": ["violation_type", "severity", "message"],
    "additionalProperties": False,
}
"""Schema of the arguments of risk.trigger_alert."""

_TIMESTAMP: Final[JsonObject] = {"type": "string", "format": "date-time", "description": "Time of the alert, in UTC"}

RISK_TRIGGER_ALERT_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "published": {"type": "boolean", "description": "True: JetStream has stored the alert"},
        "subject": {"type": "string", "description": "Subject on which the alert was published"},
        "timestamp": _TIMESTAMP,
    },
    "required": ["published", "subject", "timestamp"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

RISK_ALERT_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "description": "A violated limit, or one that is about to be violated.",
    "properties": {
        "violation_type": _VIOLATION_TYPE,
        "severity": _SEVERITY,
        "message": _MESSAGE,
        "timestamp": _TIMESTAMP,
        "portfolio_id": {
            "type": "string",
            "pattern": "^[a-zA-Z0-9_-]+$",
            "minLength": 1,
            "maxLength": 50,
            "description": "Portfolio at risk",
        },
        "symbol": _RISK_TRIGGER_ALERT_PARAMETERS_SYMBOL,
        "threshold": _THRESHOLD,
        "current_value": _CURRENT_VALUE,
    },
    "required": ["violation_type", "severity", "message", "timestamp"],
    "additionalProperties": False,
}
"""Schema of the payload of the event risk_alert."""
