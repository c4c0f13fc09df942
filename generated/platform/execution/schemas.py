"""JSON Schemas of execution-mcp.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

EXECUTION_SIM_QUOTE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "instrument": {
            "type": "string",
            "pattern": "^[A-Z]{3,6}(/[A-Z]{3,6})?$",
            "description": "Instrument e.g. EURUSD or ETH/USD",
        },
        "side": {"type": "string", "enum": ["buy", "sell"], "description": "Buy or sell the base currency"},
        "qty": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000000000000,
            "description": "Quantity, in units of the base currency",
        },
        "order_type": {
            "type": "string",
            "enum": ["market", "limit", "stop"],
            "default": "market",
            "description": (
                "Kind of the order, market if absent. A limit order needs limit_price, a stop "
                "order stop_price; a stop becomes a market order"
            ),
        },
        "limit_price": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000000000000,
            "description": "Worst price of a limit order, in the quote currency",
        },
        "stop_price": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000000000000,
            "description": "Price that triggers a stop order, in the quote currency; already passed, it triggers at once",
        },
        "timestamp": {
            "type": "string",
            "format": "date-time",
            "description": (
                "Time of the order, e.g. 2026-11-23T09:30:00Z; its market is estimated from the "
                "minutes that closed before it"
            ),
        },
    },
    "required": ["instrument", "side", "qty", "timestamp"],
    "additionalProperties": False,
}
"""Schema of the arguments of execution.sim_quote."""

EXECUTION_SIM_QUOTE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "expected_price": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Expected price of the order's last fill, in the quote currency",
        },
        "slippage_bps": {
            "type": "number",
            "description": (
                "Cost of expected_price against the mid price, or against the trigger of a "
                "resting stop, in basis points; a gain is negative"
            ),
        },
        "market_impact": {
            "type": "object",
            "description": "Cost of an execution at once. Its shift of the price follows the square-root law (Tóth et al. 2011).",
            "properties": {
                "permanent_bps": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Shift of the price that remains after the order, in basis points",
                },
                "temporary_bps": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Shift of the price that decays after the order, in basis points",
                },
                "total_cost_bps": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Both shifts and half the spread, in basis points of the mid price",
                },
            },
            "required": ["permanent_bps", "temporary_bps", "total_cost_bps"],
            "additionalProperties": False,
        },
        "execution_estimate": {
            "type": "object",
            "description": "Prospects of an order that lapses after an hour, for a price without drift.",
            "properties": {
                "fill_probability": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "Probability that the market reaches the order's price, from 0 to 1",
                },
                "expected_fill_time_ms": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Expected milliseconds to the last fill, if the order is filled",
                },
                "partial_fill_risk": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "Probability that a part of the order stays unfilled, from 0 to 1",
                },
            },
            "required": ["fill_probability", "expected_fill_time_ms", "partial_fill_risk"],
            "additionalProperties": False,
        },
        "market_conditions": {
            "type": "object",
            "description": "State of the market, estimated from the bars of the hour before the order.",
            "properties": {
                "bid_price": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "description": "Price of a small sale, in the quote currency",
                },
                "ask_price": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "description": "Price of a small purchase, in the quote currency",
                },
                "spread_bps": {
                    "type": "number",
                    "minimum": 0,
                    "description": "Ask less bid, in basis points of the mid price (Abdi and Ranaldo 2017)",
                },
                "liquidity_score": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "Share of the largest quantity that the order leaves, from 0 to 1",
                },
                "volatility_regime": {
                    "type": "string",
                    "enum": ["low", "normal", "high", "extreme"],
                    "description": "Annualised volatility (Parkinson 1980): below 20, 60, 120 percent, or higher",
                },
            },
            "required": ["bid_price", "ask_price", "spread_bps", "liquidity_score", "volatility_regime"],
            "additionalProperties": False,
        },
    },
    "required": ["expected_price", "slippage_bps", "market_impact", "execution_estimate", "market_conditions"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""
