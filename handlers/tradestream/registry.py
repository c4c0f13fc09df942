"""The names that TradeStream's strategy engine knows.

The types of indicators and rules are in the contract of submit_new_spec.
"""

from collections.abc import Mapping
from enum import Enum, auto

STRATEGIES = frozenset(
    {
        "ADX_DMI",
        "ADX_STOCHASTIC",
        "AROON_MFI",
        "ATR_CCI",
        "ATR_TRAILING_STOP",
        "AWESOME_OSCILLATOR",
        "BBAND_WILLIAMS_R",
        "CHAIKIN_OSCILLATOR",
        "CMF_ZERO_LINE",
        "CMO_MFI",
        "DEMA_TEMA_CROSSOVER",
        "DONCHIAN_BREAKOUT",
        "DOUBLE_EMA_CROSSOVER",
        "DOUBLE_TOP_BOTTOM",
        "DPO_CROSSOVER",
        "ELDER_RAY_MA",
        "EMA_MACD",
        "FIBONACCI_RETRACEMENTS",
        "FRAMA",
        "GANN_SWING",
        "HEIKEN_ASHI",
        "ICHIMOKU_CLOUD",
        "KLINGER_VOLUME",
        "KST_OSCILLATOR",
        "LINEAR_REGRESSION_CHANNELS",
        "MACD_CROSSOVER",
        "MASS_INDEX",
        "MOMENTUM_PINBALL",
        "MOMENTUM_SMA_CROSSOVER",
        "OBV_EMA",
        "PARABOLIC_SAR",
        "PIVOT",
        "PRICE_GAP",
        "PRICE_OSCILLATOR_SIGNAL",
        "PVT",
        "RAINBOW_OSCILLATOR",
        "RANGE_BARS",
        "REGRESSION_CHANNEL",
        "RENKO_CHART",
        "ROC_MA_CROSSOVER",
        "RSI_EMA_CROSSOVER",
        "RVI",
        "SAR_MFI",
        "SMA_EMA_CROSSOVER",
        "SMA_RSI",
        "STOCHASTIC_EMA",
        "STOCHASTIC_RSI",
        "TICK_VOLUME_ANALYSIS",
        "TRIPLE_EMA_CROSSOVER",
        "TRIX_SIGNAL_LINE",
        "VARIABLE_PERIOD_EMA",
        "VOLATILITY_STOP",
        "VOLUME_BREAKOUT",
        "VOLUME_PROFILE",
        "VOLUME_PROFILE_DEVIATIONS",
        "VOLUME_SPREAD_ANALYSIS",
        "VOLUME_WEIGHTED_MACD",
        "VPT",
        "VWAP_CROSSOVER",
        "VWAP_MEAN_REVERSION",
    }
)
"""The built-in strategies; under such a name the engine runs its own rules, not a spec's."""

PRICES = frozenset({"open", "high", "low", "close", "volume"})
"""The inputs of indicators that are not indicators themselves."""

INDICATOR_OPERANDS = frozenset({"crosses", "other"})
"""The params of a condition that name an indicator; any other is a number."""


class Operand(Enum):
    """The kind of operand that a rule compares its indicator with."""

    NOTHING = auto()
    INDICATOR = auto()
    NUMBER = auto()
    EITHER = auto()


RULES: Mapping[str, Operand] = {
    "ABOVE": Operand.EITHER,
    "AND": Operand.NOTHING,
    "BELOW": Operand.EITHER,
    "CROSSED_DOWN": Operand.INDICATOR,
    "CROSSED_DOWN_CONSTANT": Operand.NUMBER,
    "CROSSED_UP": Operand.INDICATOR,
    "CROSSED_UP_CONSTANT": Operand.NUMBER,
    "CROSSES_ABOVE": Operand.EITHER,
    "CROSSES_BELOW": Operand.EITHER,
    "CROSSOVER": Operand.EITHER,
    "IS_FALLING": Operand.NOTHING,
    "IS_RISING": Operand.NOTHING,
    "OR": Operand.NOTHING,
    "OVER": Operand.EITHER,
    "OVER_CONSTANT": Operand.NUMBER,
    "OVER_INDICATOR": Operand.INDICATOR,
    "STOP_GAIN": Operand.NUMBER,
    "STOP_LOSS": Operand.NUMBER,
    "TRAILING_STOP_LOSS": Operand.NUMBER,
    "UNDER": Operand.EITHER,
    "UNDER_CONSTANT": Operand.NUMBER,
    "UNDER_INDICATOR": Operand.INDICATOR,
    "UP": Operand.NOTHING,
}
"""The operand that each type of rule needs in a condition's params; others are ignored."""
