"""JSON Schemas of strategy-db-mcp.

Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

_FORCE_REFRESH: Final[JsonObject] = {
    "type": "boolean",
    "default": False,
    "description": "Bypass cache and fetch fresh data",
}

GET_TOP_SPECS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "limit": {
            "type": "integer",
            "default": 10,
            "minimum": 1,
            "maximum": 100,
            "description": "Number of specs to return per page, 1 to 100; 10 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of specs to skip for pagination",
        },
        "source": {
            "type": "string",
            "enum": ["CANONICAL", "LLM_GENERATED", "ALL"],
            "default": "ALL",
            "description": "Only specs from this source; ALL if absent",
        },
        "force_refresh": _FORCE_REFRESH,
    },
    "additionalProperties": False,
}
"""Schema of the arguments of get_top_specs."""

_PAGINATION: Final[JsonObject] = {
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
}

GET_TOP_SPECS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 100,
            "description": "Best mean Sharpe ratio first; those that were never measured last",
            "items": {
                "type": "object",
                "description": "A strategy spec and the performance of its implementations.",
                "properties": {
                    "spec_id": {"type": "string", "description": "Identifier of the spec"},
                    "name": {"type": "string", "description": "Name of the spec"},
                    "indicators": {
                        "type": "array",
                        "maxItems": 1000,
                        "description": "Series computed from the candles",
                        "items": {"type": "object", "additionalProperties": True},
                    },
                    "avg_sharpe": {
                        "type": "number",
                        "description": "Mean forward Sharpe ratio of the implementations that were measured; absent if none was",
                    },
                    "implementations_count": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "Number of implementations, measured or not",
                    },
                },
                "required": ["spec_id", "name", "indicators", "implementations_count"],
                "additionalProperties": False,
            },
        },
        "pagination": _PAGINATION,
    },
    "required": ["items", "pagination"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

GET_IMPLEMENTATIONS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "spec_id": {"type": "string", "description": "Identifier of the spec"},
        "status": {
            "type": "string",
            "enum": ["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED", "ALL"],
            "default": "VALIDATED",
            "description": "Only implementations with this status; VALIDATED if absent",
        },
        "limit": {
            "type": "integer",
            "default": 10,
            "minimum": 1,
            "maximum": 100,
            "description": "Number of implementations to return per page, 1 to 100; 10 if absent",
        },
        "offset": {
            "type": "integer",
            "default": 0,
            "minimum": 0,
            "maximum": 1000000,
            "description": "Number of implementations to skip for pagination",
        },
        "force_refresh": _FORCE_REFRESH,
    },
    "required": ["spec_id"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_implementations."""

GET_IMPLEMENTATIONS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "maxItems": 100,
            "description": "Best Sharpe ratio first; those that were never measured last",
            "items": {
                "type": "object",
                "description": "A spec fitted to a symbol.",
                "properties": {
                    "impl_id": {"type": "string", "description": "Identifier of the implementation"},
                    "parameters": {
                        "type": "object",
                        "additionalProperties": True,
                        "description": "Chosen values of the spec's parameters, by name",
                    },
                    "symbol": {"type": "string", "description": "Trading pair"},
                    "forward_sharpe": {
                        "type": "number",
                        "description": "Sharpe ratio since it was found; absent if it was not measured yet",
                    },
                    "forward_accuracy": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Share of right signals since it was found, from 0 to 1; absent if it was not measured yet",
                    },
                    "status": {
                        "type": "string",
                        "enum": ["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED"],
                        "description": "Progress of its validation",
                    },
                },
                "required": ["impl_id", "parameters", "symbol", "status"],
                "additionalProperties": False,
            },
        },
        "pagination": _PAGINATION,
    },
    "required": ["items", "pagination"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_INDICATORS_ITEM_VALUE: Final[JsonObject] = {
    "anyOf": [
        {"type": "integer", "minimum": -1000000000000, "maximum": 1000000000000},
        {"type": "number", "minimum": -1000000000000, "maximum": 1000000000000},
        {"type": "string", "maxLength": 128},
    ]
}

_ENTRY_CONDITIONS_ITEM: Final[JsonObject] = {
    "type": "object",
    "description": (
        'A rule about an indicator. The full form has type and indicator, e.g. {"type": '
        '"UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}. The short form '
        'of the same rule is {"rsi_below": 30}: the id of an indicator and _below or '
        "_above, with a number, ${name} of a parameter, or the id of another indicator."
    ),
    "properties": {
        "type": {
            "type": "string",
            "enum": [
                "ABOVE",
                "AND",
                "BELOW",
                "CROSSED_DOWN",
                "CROSSED_DOWN_CONSTANT",
                "CROSSED_UP",
                "CROSSED_UP_CONSTANT",
                "CROSSES_ABOVE",
                "CROSSES_BELOW",
                "CROSSOVER",
                "IS_FALLING",
                "IS_RISING",
                "OR",
                "OVER",
                "OVER_CONSTANT",
                "OVER_INDICATOR",
                "STOP_GAIN",
                "STOP_LOSS",
                "TRAILING_STOP_LOSS",
                "UNDER",
                "UNDER_CONSTANT",
                "UNDER_INDICATOR",
                "UP",
            ],
            "description": "Kind of the rule, in the full form",
        },
        "indicator": {
            "type": "string",
            "maxLength": 64,
            "description": "The id of an indicator of this spec, in the full form, at most 64 characters",
        },
        "params": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]},
            "description": (
                "Other side of the comparison, in the full form. crosses or other is the id of "
                "an indicator; value, or another name, is a number or ${name} for a parameter of "
                "this spec"
            ),
        },
    },
    "additionalProperties": _INDICATORS_ITEM_VALUE,
}

SUBMIT_NEW_SPEC_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "pattern": "^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$",
            "maxLength": 100,
            "description": (
                "Unique name of the spec, e.g. RSI_VOLUME_BREAKOUT or rsi_mean_reversion, at "
                "most 100 characters. It is stored in capitals"
            ),
        },
        "description": {
            "type": "string",
            "maxLength": 2000,
            "pattern": "^[^\\u0000]*$",
            "description": "Market situation that the strategy trades, in a sentence of at most 2,000 characters",
        },
        "indicators": {
            "type": "array",
            "minItems": 1,
            "maxItems": 50,
            "description": "Series computed from the candles; the full and the short form may be mixed",
            "items": {
                "type": "object",
                "description": (
                    "A series that is computed from the candles or from another indicator. The full "
                    'form has id and type, e.g. {"id": "rsi", "type": "RSI", "params": {"period": '
                    '14}}. The short form has name, and its settings beside it, e.g. {"name": "RSI", '
                    '"period": 14}.'
                ),
                "properties": {
                    "id": {
                        "type": "string",
                        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
                        "maxLength": 64,
                        "description": (
                            "Id of the indicator in this spec, at most 64 characters. In the short form the "
                            "default is the name in lower case, e.g. rsi"
                        ),
                    },
                    "type": {
                        "type": "string",
                        "description": "Kind of the indicator, in the full form",
                        "enum": [
                            "AD",
                            "ADX",
                            "AROON_DOWN",
                            "AROON_UP",
                            "ATR",
                            "AWESOME_OSCILLATOR",
                            "BOLLINGER_LOWER",
                            "BOLLINGER_MIDDLE",
                            "BOLLINGER_UPPER",
                            "CCI",
                            "CHAIKIN_OSCILLATOR",
                            "CLOSE",
                            "CMF",
                            "CMO",
                            "CONSTANT",
                            "DEMA",
                            "DONCHIAN_LOWER",
                            "DONCHIAN_MIDDLE",
                            "DONCHIAN_UPPER",
                            "DPO",
                            "EMA",
                            "FRAMA",
                            "HIGH",
                            "KAMA",
                            "KELTNER_LOWER",
                            "KELTNER_MIDDLE",
                            "KELTNER_UPPER",
                            "KLINGER_VOLUME_OSCILLATOR",
                            "LOW",
                            "MACD",
                            "MASS_INDEX",
                            "MEDIAN_PRICE",
                            "MFI",
                            "MINUS_DI",
                            "MOMENTUM",
                            "NVI",
                            "OBV",
                            "OPEN",
                            "PARABOLIC_SAR",
                            "PLUS_DI",
                            "PREVIOUS",
                            "PVT",
                            "ROC",
                            "RSI",
                            "SMA",
                            "STD_DEV",
                            "STOCHASTIC_D",
                            "STOCHASTIC_K",
                            "TEMA",
                            "TRIX",
                            "TYPICAL_PRICE",
                            "VOLUME",
                            "VWAP",
                            "WILLIAMS_R",
                            "WMA",
                            "ZLEMA",
                            "ad",
                            "adx",
                            "aroon_down",
                            "aroon_up",
                            "atr",
                            "awesome_oscillator",
                            "bollinger_lower",
                            "bollinger_middle",
                            "bollinger_upper",
                            "cci",
                            "chaikin_oscillator",
                            "close",
                            "cmf",
                            "cmo",
                            "constant",
                            "dema",
                            "donchian_lower",
                            "donchian_middle",
                            "donchian_upper",
                            "dpo",
                            "ema",
                            "frama",
                            "high",
                            "kama",
                            "keltner_lower",
                            "keltner_middle",
                            "keltner_upper",
                            "klinger_volume_oscillator",
                            "low",
                            "macd",
                            "mass_index",
                            "median_price",
                            "mfi",
                            "minus_di",
                            "momentum",
                            "nvi",
                            "obv",
                            "open",
                            "parabolic_sar",
                            "plus_di",
                            "previous",
                            "pvt",
                            "roc",
                            "rsi",
                            "sma",
                            "std_dev",
                            "stochastic_d",
                            "stochastic_k",
                            "tema",
                            "trix",
                            "typical_price",
                            "volume",
                            "vwap",
                            "williams_r",
                            "wma",
                            "zlema",
                        ],
                    },
                    "name": {
                        "type": "string",
                        "description": "Kind of the indicator, in the short form",
                        "enum": [
                            "AD",
                            "ADX",
                            "AROON_DOWN",
                            "AROON_UP",
                            "ATR",
                            "AWESOME_OSCILLATOR",
                            "BOLLINGER_LOWER",
                            "BOLLINGER_MIDDLE",
                            "BOLLINGER_UPPER",
                            "CCI",
                            "CHAIKIN_OSCILLATOR",
                            "CLOSE",
                            "CMF",
                            "CMO",
                            "CONSTANT",
                            "DEMA",
                            "DONCHIAN_LOWER",
                            "DONCHIAN_MIDDLE",
                            "DONCHIAN_UPPER",
                            "DPO",
                            "EMA",
                            "FRAMA",
                            "HIGH",
                            "KAMA",
                            "KELTNER_LOWER",
                            "KELTNER_MIDDLE",
                            "KELTNER_UPPER",
                            "KLINGER_VOLUME_OSCILLATOR",
                            "LOW",
                            "MACD",
                            "MASS_INDEX",
                            "MEDIAN_PRICE",
                            "MFI",
                            "MINUS_DI",
                            "MOMENTUM",
                            "NVI",
                            "OBV",
                            "OPEN",
                            "PARABOLIC_SAR",
                            "PLUS_DI",
                            "PREVIOUS",
                            "PVT",
                            "ROC",
                            "RSI",
                            "SMA",
                            "STD_DEV",
                            "STOCHASTIC_D",
                            "STOCHASTIC_K",
                            "TEMA",
                            "TRIX",
                            "TYPICAL_PRICE",
                            "VOLUME",
                            "VWAP",
                            "WILLIAMS_R",
                            "WMA",
                            "ZLEMA",
                            "ad",
                            "adx",
                            "aroon_down",
                            "aroon_up",
                            "atr",
                            "awesome_oscillator",
                            "bollinger_lower",
                            "bollinger_middle",
                            "bollinger_upper",
                            "cci",
                            "chaikin_oscillator",
                            "close",
                            "cmf",
                            "cmo",
                            "constant",
                            "dema",
                            "donchian_lower",
                            "donchian_middle",
                            "donchian_upper",
                            "dpo",
                            "ema",
                            "frama",
                            "high",
                            "kama",
                            "keltner_lower",
                            "keltner_middle",
                            "keltner_upper",
                            "klinger_volume_oscillator",
                            "low",
                            "macd",
                            "mass_index",
                            "median_price",
                            "mfi",
                            "minus_di",
                            "momentum",
                            "nvi",
                            "obv",
                            "open",
                            "parabolic_sar",
                            "plus_di",
                            "previous",
                            "pvt",
                            "roc",
                            "rsi",
                            "sma",
                            "std_dev",
                            "stochastic_d",
                            "stochastic_k",
                            "tema",
                            "trix",
                            "typical_price",
                            "volume",
                            "vwap",
                            "williams_r",
                            "wma",
                            "zlema",
                        ],
                    },
                    "input": {
                        "type": "string",
                        "maxLength": 64,
                        "description": (
                            "Input of the indicator: the id of another indicator of this spec (at most 64 "
                            "characters), or open, high, low, close or volume. The candles if not given"
                        ),
                    },
                    "params": {
                        "type": "object",
                        "additionalProperties": {
                            "anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]
                        },
                        "description": "Its settings by name, in the full form: numbers, or ${name} for a parameter of this spec",
                    },
                },
                "additionalProperties": _INDICATORS_ITEM_VALUE,
            },
        },
        "entry_conditions": {
            "type": "array",
            "minItems": 1,
            "maxItems": 50,
            "description": "Conditions that must all hold to open a position; the full and the short form may be mixed",
            "items": _ENTRY_CONDITIONS_ITEM,
        },
        "exit_conditions": {
            "type": "array",
            "minItems": 1,
            "maxItems": 50,
            "description": "Conditions that must all hold to close the position; the full and the short form may be mixed",
            "items": _ENTRY_CONDITIONS_ITEM,
        },
        "parameters": {
            "type": "array",
            "maxItems": 50,
            "description": "Numbers that an implementation may choose; may be empty",
            "items": {
                "type": "object",
                "description": (
                    "A number that an implementation may choose. A name made of an indicator's id "
                    "and setting, e.g. rsi_period, chooses that setting of an indicator in the short "
                    "form."
                ),
                "properties": {
                    "name": {
                        "type": "string",
                        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
                        "maxLength": 64,
                        "description": "Name of the parameter in this spec: a letter or _, then letters, digits or _; at most 64 characters",
                    },
                    "type": {
                        "type": "string",
                        "enum": ["INTEGER", "DOUBLE"],
                        "description": "INTEGER or DOUBLE; if not given, INTEGER if all of its numbers are whole",
                    },
                    "min": {"anyOf": [{"type": "integer"}, {"type": "number"}], "description": "Minimum value"},
                    "max": {"anyOf": [{"type": "integer"}, {"type": "number"}], "description": "Maximum value"},
                    "defaultValue": {
                        "anyOf": [{"type": "integer"}, {"type": "number"}],
                        "description": (
                            "Value if none is chosen. If not given: the number that the indicator states, "
                            "else the middle between min and max"
                        ),
                    },
                },
                "required": ["name", "min", "max"],
                "additionalProperties": False,
            },
        },
        "reasoning": {
            "type": "string",
            "maxLength": 10000,
            "pattern": "^[^\\u0000]*$",
            "description": "Reasoning behind the strategy, at most 10,000 characters; stored with the spec",
        },
    },
    "required": ["name", "indicators", "entry_conditions", "exit_conditions", "parameters"],
    "additionalProperties": False,
}
"""Schema of the arguments of submit_new_spec."""

SUBMIT_NEW_SPEC_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "spec_id": {
            "type": "string",
            "description": "Identifier of the spec; if it is not stored, of the spec that it nearly repeats",
        },
        "created": {
            "type": "boolean",
            "description": "True: the spec is stored; false: its author decided against a near copy",
        },
        "validation_errors": {
            "type": "array",
            "maxItems": 1000,
            "description": "Warnings about the valid spec, one sentence each; usually empty",
            "items": {"type": "string"},
        },
    },
    "required": ["spec_id", "created", "validation_errors"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

READ_SPECS_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the variables in the URI of specs."""

_SOURCE: Final[JsonObject] = {
    "type": "string",
    "enum": ["CANONICAL", "LLM_GENERATED"],
    "description": "Origin of the spec",
}

READ_SPECS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "total": {"type": "integer", "minimum": 0, "description": "Number of specs; the list has a thousand at most"},
        "specs": {
            "type": "array",
            "maxItems": 1000,
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Name of the spec"}, "source": _SOURCE},
                "required": ["name", "source"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["total", "specs"],
    "additionalProperties": False,
}
"""Schema of the content of specs."""

READ_SPEC_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Name of the spec"}},
    "required": ["name"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of spec."""

READ_SPEC_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "spec_id": {"type": "string", "description": "Identifier of the spec, for get_implementations"},
        "name": {"type": "string", "description": "Name of the spec"},
        "description": {"type": "string", "description": "Purpose of the spec; may be empty"},
        "indicators": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "object", "additionalProperties": True},
            "description": "Series computed from the candles",
        },
        "entry_conditions": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "object", "additionalProperties": True},
            "description": "Rules to enter a position",
        },
        "exit_conditions": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "object", "additionalProperties": True},
            "description": "Rules to exit a position",
        },
        "parameters": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "object", "additionalProperties": True},
            "description": "Numbers that an implementation chooses",
        },
        "reasoning": {"type": "string", "description": "Reasoning of the author; absent for the engine's own specs"},
        "source": _SOURCE,
        "created_at": {"type": "string", "format": "date-time", "description": "Time of its creation"},
    },
    "required": [
        "spec_id",
        "name",
        "description",
        "indicators",
        "entry_conditions",
        "exit_conditions",
        "parameters",
        "source",
        "created_at",
    ],
    "additionalProperties": False,
}
"""Schema of the content of spec."""

READ_INDICATORS_PARAMETERS: Final[JsonObject] = READ_SPECS_PARAMETERS
"""Schema of the variables in the URI of indicators."""

READ_INDICATORS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "indicators": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "string"},
            "description": "Kinds of indicators",
        },
        "prices": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "string"},
            "description": "Inputs that are no indicators",
        },
        "conditions": {"type": "array", "maxItems": 1000, "items": {"type": "string"}, "description": "Kinds of rules"},
        "built_in_strategies": {
            "type": "array",
            "maxItems": 1000,
            "items": {"type": "string"},
            "description": "Names that the engine keeps for its own rules",
        },
    },
    "required": ["indicators", "prices", "conditions", "built_in_strategies"],
    "additionalProperties": False,
}
"""Schema of the content of indicators."""

NEAR_COPY_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"store": {"type": "boolean", "description": "True to store the spec"}},
    "required": ["store"],
}
"""Schema of the form of the ask near_copy."""
