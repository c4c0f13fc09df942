"""The conditions of a spec, and the candles at which a strategy enters and exits.

- OVER_INDICATOR, UNDER_INDICATOR: one series is above or below another.
- OVER_CONSTANT, UNDER_CONSTANT: a series is above or below a number.
- CROSSED_UP, CROSSED_DOWN: it is now above or below another, and one candle ago it was not.
- CROSSED_UP_CONSTANT, CROSSED_DOWN_CONSTANT: the same with a number.
- IS_RISING, IS_FALLING: a series is above or below its last value.
- STOP_LOSS: a series is so many percent below the price of entry. Only for exits.
- TRAILING_STOP_LOSS: it is so many percent below its highest value since the entry. Only for exits.

A strategy enters, and exits, on a candle that meets all conditions of that list. A candle that meets both does neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any, TypeAlias

import numpy as np

from sandbox.backtester.bars import Bars, Flags, Numbers
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError, UnknownStrategyError
from sandbox.backtester.indicators import INDICATORS
from sandbox.backtester.specs import Spec, read_specs

Operand: TypeAlias = Numbers | float
Condition: TypeAlias = Callable[[Numbers, Operand], Flags]


@dataclass(frozen=True, slots=True)
class Stop:
    """An exit where a series has fallen far enough."""

    series: Numbers
    fraction: float
    """The fall that triggers the exit, as a fraction."""
    is_trailing: bool
    """The fall is from the highest value since the entry; else from the price of entry."""


@dataclass(frozen=True, slots=True)
class Signals:
    """The candles at which a strategy would enter and exit."""

    entries: Flags
    exits: Flags
    stops: Sequence[Stop]


def _previous(operand: Operand) -> Operand:
    """Return *operand* as it was one candle ago; NaN for the first."""
    return operand if isinstance(operand, float) else np.concatenate([[np.nan], operand[:-1]])


def _crossed_up(series: Numbers, other: Operand) -> Flags:
    return (series > other) & (_previous(series) <= _previous(other))


def _crossed_down(series: Numbers, other: Operand) -> Flags:
    return (series < other) & (_previous(series) >= _previous(other))


CONDITIONS: Mapping[str, Condition] = {
    "OVER_INDICATOR": np.greater,
    "UNDER_INDICATOR": np.less,
    "OVER_CONSTANT": np.greater,
    "UNDER_CONSTANT": np.less,
    "CROSSED_UP": _crossed_up,
    "CROSSED_DOWN": _crossed_down,
    "CROSSED_UP_CONSTANT": _crossed_up,
    "CROSSED_DOWN_CONSTANT": _crossed_down,
    "IS_RISING": lambda series, _: series > _previous(series),
    "IS_FALLING": lambda series, _: series < _previous(series),
}
PRICES = ("open", "high", "low", "close", "volume")
"""The inputs of indicators that are not indicators."""
STOPS = {"STOP_LOSS": False, "TRAILING_STOP_LOSS": True}
"""The types of stops, and True for those that trail."""


def strategy_names() -> list[str]:
    """Return the strategies that can be run."""
    return [spec.name for spec in read_specs() if _unsupported_type(spec) is None]


def find_signals(strategy_name: str, parameters: Mapping[str, float], bars: Bars) -> Signals:
    """Return the signals of a strategy on *bars*; a missing parameter has the spec's default.

    Raises UnknownStrategyError, BadParametersError, TooFewCandlesError.
    """
    spec = {spec.name: spec for spec in read_specs()}.get(strategy_name)
    if spec is None:
        raise UnknownStrategyError(f"there is no strategy {strategy_name}")
    return find_spec_signals(spec, parameters, bars)


def find_spec_signals(spec: Spec, parameters: Mapping[str, float], bars: Bars) -> Signals:
    """Return the signals of a stored spec on *bars*. Raises the errors of `find_signals`."""
    if (unsupported := _unsupported_type(spec)) is not None:
        raise UnknownStrategyError(f"{spec.name} needs {unsupported}, which this backtester does not have")
    chosen = {parameter.name: float(parameter.default) for parameter in spec.parameters} | dict(parameters)
    series: dict[str, Numbers] = {name: getattr(bars, name) for name in PRICES}
    for indicator in _inputs_first(spec.indicators):
        series[indicator["id"]] = _series(indicator, series, chosen, bars)
    entries = _meet_all(spec.entry_conditions, series, chosen, bars)
    exits = _meet_all([each for each in spec.exit_conditions if each["type"] not in STOPS], series, chosen, bars)
    stops = [
        Stop(series[each["indicator"]], _number(each["params"]["value"], chosen) / 100, STOPS[each["type"]])
        for each in spec.exit_conditions
        if each["type"] in STOPS
    ]
    return Signals(entries & ~exits, exits & ~entries, stops)


def _unsupported_type(spec: Spec) -> str | None:
    """Return the first type of a spec that is in none of the tables."""
    conditions = [*spec.entry_conditions, *spec.exit_conditions]
    known = INDICATORS.keys() | CONDITIONS.keys() | STOPS.keys()
    return next((part["type"] for part in [*spec.indicators, *conditions] if part["type"] not in known), None)


def _inputs_first(indicators: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the indicators in an order in which each follows its input."""
    by_id = {indicator["id"]: indicator for indicator in indicators}
    inputs = {name: {indicator["input"]} if "input" in indicator else set[str]() for name, indicator in by_id.items()}
    return [by_id[name] for name in TopologicalSorter(inputs).static_order() if name in by_id]


def _series(
    indicator: Mapping[str, Any], series: Mapping[str, Numbers], chosen: Mapping[str, float], bars: Bars
) -> Numbers:
    of = {key: _number(value, chosen) for key, value in indicator.get("params", {}).items()}
    periods = [value for key, value in of.items() if key.lower().endswith("period")]
    if any(not value >= 1 for value in periods):
        raise BadParametersError(f"{indicator['type']} cannot look back over {of}")
    if any(value > len(bars) for value in periods):
        raise TooFewCandlesError(f"{indicator['type']} looks back over {of}, and there are {len(bars)} candles")
    try:
        found = INDICATORS[indicator["type"]](bars, series.get(indicator.get("input", ""), bars.close), of)
    except Exception as error:  # TA-Lib raises no class of its own
        if "inputs are all NaN" in str(error):
            raise TooFewCandlesError(f"{indicator['type']} of a series without a value") from error
        raise BadParametersError(f"{indicator['type']} cannot be computed with {of}: {error}") from error
    if np.isnan(found).all():
        raise TooFewCandlesError(f"{indicator['type']} has no value within {len(bars)} candles")
    return found


def _meet_all(
    conditions: Sequence[Mapping[str, Any]], series: Mapping[str, Numbers], chosen: Mapping[str, float], bars: Bars
) -> Flags:
    """Return the candles at which all *conditions* are met; none without conditions."""
    met = np.full(len(bars), bool(conditions))
    for condition in conditions:
        operand = _operand(condition.get("params", {}), series, chosen)
        met &= CONDITIONS[condition["type"]](series[condition["indicator"]], operand)
    return met


def _operand(params: Mapping[str, Any], series: Mapping[str, Numbers], chosen: Mapping[str, float]) -> Operand:
    other = params.get("other") or params.get("crosses")
    return _number(params.get("value", 0), chosen) if other is None else series[other]


def _number(value: float | str, chosen: Mapping[str, float]) -> float:
    """Return a number of a spec; for ${name}, the *chosen* value of that parameter."""
    return chosen[value.removeprefix("${").removesuffix("}")] if isinstance(value, str) else float(value)
