"""Requests and results of strategy-db-mcp.

Generated from contracts/tradestream/strategy_db.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field

from generated.shared import Pagination
from toolaccord.contract_model import ContractModel


class GetTopSpecsRequest(ContractModel):
    """Arguments of get_top_specs."""

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """Number of specs to return per page, 1 to 100; 10 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of specs to skip for pagination"""
    source: Literal["CANONICAL", "LLM_GENERATED", "ALL"] = "ALL"
    """Only specs from this source; ALL if absent"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class Spec(ContractModel):
    """A strategy spec and the performance of its implementations."""

    spec_id: str
    """Identifier of the spec"""
    name: str
    """Name of the spec"""
    indicators: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    """Series computed from the candles"""
    avg_sharpe: float | int | None = None
    """Mean forward Sharpe ratio of the implementations that were measured; absent if none was"""
    implementations_count: Annotated[int, Field(ge=0)]
    """Number of implementations, measured or not"""


class GetImplementationsRequest(ContractModel):
    """Arguments of get_implementations."""

    spec_id: str
    """Identifier of the spec"""
    status: Literal["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED", "ALL"] = "VALIDATED"
    """Only implementations with this status; VALIDATED if absent"""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """Number of implementations to return per page, 1 to 100; 10 if absent"""
    offset: Annotated[int, Field(ge=0, le=1000000)] = 0
    """Number of implementations to skip for pagination"""
    force_refresh: bool = False
    """Bypass cache and fetch fresh data"""


class Implementation(ContractModel):
    """A spec fitted to a symbol."""

    impl_id: str
    """Identifier of the implementation"""
    parameters: dict[str, Any]
    """Chosen values of the spec's parameters, by name"""
    symbol: str
    """Trading pair"""
    forward_sharpe: float | int | None = None
    """Sharpe ratio since it was found; absent if it was not measured yet"""
    forward_accuracy: float | int | None = None
    """Share of right signals since it was found, from 0 to 1; absent if it was not measured yet"""
    status: Literal["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED"]
    """Progress of its validation"""


class Indicator(ContractModel):
    """A series that is computed from the candles or from another indicator.

    The full form has id and type, e.g. {"id": "rsi", "type": "RSI", "params": {"period": 14}}. The short form has
    name, and its settings beside it, e.g. {"name": "RSI", "period": 14}.
    """

    model_config = ConfigDict(extra="allow")
    id: Annotated[str | None, Field(max_length=64)] = None
    """
    Id of the indicator in this spec, at most 64 characters. In the short form the default is
    the name in lower case, e.g. rsi
    """
    type: (
        Literal[
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
        ]
        | None
    ) = None
    """Kind of the indicator, in the full form"""
    name: (
        Literal[
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
        ]
        | None
    ) = None
    """Kind of the indicator, in the short form"""
    input: Annotated[str | None, Field(max_length=64)] = None
    """
    Input of the indicator: the id of another indicator of this spec (at most 64 characters),
    or open, high, low, close or volume. The candles if not given
    """
    params: dict[str, int | float | str] | None = None
    """Its settings by name, in the full form: numbers, or ${name} for a parameter of this spec"""


class Condition(ContractModel):
    """A rule about an indicator.

    The full form has type and indicator, e.g. {"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value":
    30}}. The short form of the same rule is {"rsi_below": 30}: the id of an indicator and _below or _above, with
    a number, ${name} of a parameter, or the id of another indicator.
    """

    model_config = ConfigDict(extra="allow")
    type: (
        Literal[
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
        ]
        | None
    ) = None
    """Kind of the rule, in the full form"""
    indicator: Annotated[str | None, Field(max_length=64)] = None
    """The id of an indicator of this spec, in the full form, at most 64 characters"""
    params: dict[str, int | float | str] | None = None
    """
    Other side of the comparison, in the full form. crosses or other is the id of an
    indicator; value, or another name, is a number or ${name} for a parameter of this spec
    """


class Parameter(ContractModel):
    """A number that an implementation may choose.

    A name made of an indicator's id and setting, e.g. rsi_period, chooses that setting of an indicator in the
    short form.
    """

    name: Annotated[str, Field(max_length=64)]
    """
    Name of the parameter in this spec: a letter or _, then letters, digits or _; at most 64
    characters
    """
    type: Literal["INTEGER", "DOUBLE"] | None = None
    """INTEGER or DOUBLE; if not given, INTEGER if all of its numbers are whole"""
    min: int | float
    """Minimum value"""
    max: int | float
    """Maximum value"""
    defaultValue: int | float | None = None
    """
    Value if none is chosen. If not given: the number that the indicator states, else the
    middle between min and max
    """


class SubmitNewSpecResult(ContractModel):
    """Result of submit_new_spec."""

    spec_id: str
    """Identifier of the spec; if it is not stored, of the spec that it nearly repeats"""
    created: bool
    """True: the spec is stored; false: its author decided against a near copy"""
    validation_errors: Annotated[list[str], Field(max_length=1000)]
    """Warnings about the valid spec, one sentence each; usually empty"""


class ReadSpecsRequest(ContractModel):
    """Variables in the URI of specs."""


class ReadSpecsResultSpecsItem(ContractModel):
    name: str
    """Name of the spec"""
    source: Literal["CANONICAL", "LLM_GENERATED"]
    """Origin of the spec"""


class ReadSpecRequest(ContractModel):
    """Variables in the URI of spec."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    """Name of the spec"""


class ReadSpecResult(ContractModel):
    """Content of spec."""

    spec_id: str
    """Identifier of the spec, for get_implementations"""
    name: str
    """Name of the spec"""
    description: str
    """Purpose of the spec; may be empty"""
    indicators: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    """Series computed from the candles"""
    entry_conditions: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    """Rules to enter a position"""
    exit_conditions: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    """Rules to exit a position"""
    parameters: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    """Numbers that an implementation chooses"""
    reasoning: str | None = None
    """Reasoning of the author; absent for the engine's own specs"""
    source: Literal["CANONICAL", "LLM_GENERATED"]
    """Origin of the spec"""
    created_at: AwareDatetime
    """Time of its creation"""


class ReadIndicatorsRequest(ContractModel):
    """Variables in the URI of indicators."""


class ReadIndicatorsResult(ContractModel):
    """Content of indicators."""

    indicators: Annotated[list[str], Field(max_length=1000)]
    """Kinds of indicators"""
    prices: Annotated[list[str], Field(max_length=1000)]
    """Inputs that are no indicators"""
    conditions: Annotated[list[str], Field(max_length=1000)]
    """Kinds of rules"""
    built_in_strategies: Annotated[list[str], Field(max_length=1000)]
    """Names that the engine keeps for its own rules"""


class NearCopyAnswer(ContractModel):
    """Ask if a spec shall be stored that nearly repeats another one."""

    store: bool
    """True to store the spec"""


class GetTopSpecsResult(ContractModel):
    """Result of get_top_specs."""

    items: Annotated[list[Spec], Field(max_length=100)]
    """Best mean Sharpe ratio first; those that were never measured last"""
    pagination: Pagination


class GetImplementationsResult(ContractModel):
    """Result of get_implementations."""

    items: Annotated[list[Implementation], Field(max_length=100)]
    """Best Sharpe ratio first; those that were never measured last"""
    pagination: Pagination


class SubmitNewSpecRequest(ContractModel):
    """Arguments of submit_new_spec."""

    name: Annotated[str, Field(max_length=100)]
    """
    Unique name of the spec, e.g. RSI_VOLUME_BREAKOUT or rsi_mean_reversion, at most 100
    characters. It is stored in capitals
    """
    description: Annotated[str | None, Field(max_length=2000)] = None
    """Market situation that the strategy trades, in a sentence of at most 2,000 characters"""
    indicators: Annotated[list[Indicator], Field(max_length=50, min_length=1)]
    """Series computed from the candles; the full and the short form may be mixed"""
    entry_conditions: Annotated[list[Condition], Field(max_length=50, min_length=1)]
    """Conditions that must all hold to open a position; the full and the short form may be mixed"""
    exit_conditions: Annotated[list[Condition], Field(max_length=50, min_length=1)]
    """
    Conditions that must all hold to close the position; the full and the short form may be
    mixed
    """
    parameters: Annotated[list[Parameter], Field(max_length=50)]
    """Numbers that an implementation may choose; may be empty"""
    reasoning: Annotated[str | None, Field(max_length=10000)] = None
    """Reasoning behind the strategy, at most 10,000 characters; stored with the spec"""


class ReadSpecsResult(ContractModel):
    """Content of specs."""

    total: Annotated[int, Field(ge=0)]
    """Number of specs; the list has a thousand at most"""
    specs: Annotated[list[ReadSpecsResultSpecsItem], Field(max_length=1000)]
