"""JSON Schemas of portfolio-mcp.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

GET_POSITIONS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": "Only positions in this trading pair, such as ETH/USD",
        },
        "limit": {
            "type": "integer",
            "default": 50,
            "minimum": 1,
            "maximum": 200,
            "description": "Number of positions to return per page, 1 to 200; 50 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of positions to skip for pagination",
        },
    },
    "additionalProperties": False,
}
"""Schema of the arguments of get_positions."""

GET_POSITIONS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 200,
            "description": "The newest first",
            "items": {
                "type": "object",
                "description": "An open position.",
                "properties": {
                    "symbol": {"type": "string", "description": "Trading pair"},
                    "side": {
                        "type": "string",
                        "enum": ["LONG", "SHORT"],
                        "description": "LONG gains when the price rises, SHORT when it falls",
                    },
                    "size": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Size of the position, in units of the symbol's first currency",
                    },
                    "entry_price": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Price of one unit when it was opened, in the account's currency",
                    },
                    "current_price": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Newest known price of one unit, in the account's currency",
                    },
                    "unrealized_pnl": {
                        "type": "number",
                        "description": "Profit at the current price, in the account's currency; a loss is negative",
                    },
                    "opened_at": {
                        "type": "string",
                        "format": "date-time",
                        "description": "Time at which it was opened, in UTC",
                    },
                },
                "required": ["symbol", "side", "size", "entry_price", "current_price", "unrealized_pnl", "opened_at"],
                "additionalProperties": False,
            },
        },
        "pagination": {
            "type": "object",
            "description": "Position of a page in the whole list.",
            "properties": {
                "offset": {"type": "integer", "minimum": 0, "description": "Number of skipped items"},
                "limit": {"type": "integer", "minimum": 1, "description": "Maximum number of items in a page"},
                "total": {"type": "integer", "minimum": 0, "description": "Number of items in the whole list"},
                "has_more": {"type": "boolean", "description": "True if items follow this page"},
            },
            "required": ["offset", "limit", "total", "has_more"],
            "additionalProperties": False,
        },
    },
    "required": ["items", "pagination"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_BALANCE_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of get_balance."""

GET_BALANCE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "total_balance": {
            "type": "number",
            "description": "Balance of the account, in its currency, without unrealized profit or loss",
        },
        "available_balance": {
            "type": "number",
            "description": "Balance available for new trades, in the account's currency; negative if the margin is overdrawn",
        },
        "margin_used": {
            "type": "number",
            "minimum": 0,
            "description": "Margin of the open positions, in the account's currency",
        },
        "unrealized_pnl": {
            "type": "number",
            "description": "Profit of all open positions at current prices, in the account's currency; a loss is negative",
        },
    },
    "required": ["total_balance", "available_balance", "margin_used", "unrealized_pnl"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

VALIDATE_TRADE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "symbol": {
            "type": "string",
            "pattern": "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$",
            "description": "Trading pair, such as ETH/USD: capital letters and digits around a slash",
        },
        "side": {
            "type": "string",
            "enum": ["BUY", "SELL"],
            "description": (
                "A SELL closes open long positions in the symbol first, a BUY open short ones; "
                "the risk rules apply to the excess only"
            ),
        },
        "size": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000000000,
            "description": "Size of the trade, in units of the symbol's first currency",
        },
        "price": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1000000000000,
            "description": "Price of one unit, in the account's currency; the newest known price if not given",
        },
    },
    "required": ["symbol", "side", "size"],
    "additionalProperties": False,
}
"""Schema of the arguments of validate_trade."""

VALIDATE_TRADE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "valid": {
            "type": "boolean",
            "description": "True if the risk rules allow the trade, or the user does, who is asked about a trade above the limit",
        },
        "reason": {"type": "string", "description": "Reason for the verdict, in a sentence"},
        "max_size": {
            "type": "number",
            "minimum": 0,
            "maximum": 1000000000000,
            "description": "Largest valid size, with the part that closes positions; absent if no price is known",
        },
        "risk_score": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": (
                "Value of the checked part as a share of the available balance, at most 1. Absent if no price is known"
            ),
        },
    },
    "required": ["valid", "reason"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

OVERSIZED_TRADE_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "description": "True to allow the trade"}},
    "required": ["allow"],
}
"""Schema of the form of the ask oversized_trade."""
