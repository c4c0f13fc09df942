"""What a spec's conditions mean, and when a strategy would enter and leave.

========================================== =========================================================================
OVER_INDICATOR, UNDER_INDICATOR            one series is above or below another
OVER_CONSTANT, UNDER_CONSTANT              a series is above or below a number
CROSSED_UP, CROSSED_DOWN                   it is now, and one candle ago it was not
CROSSED_UP_CONSTANT, CROSSED_DOWN_CONSTANT the same with a number
IS_RISING, IS_FALLING                      a series is above or below its last value
STOP_LOSS, TRAILING_STOP_LOSS              a series is so many percent below the price of entry, or below its own
                                           highest value since then; only to leave
========================================== =========================================================================

A strategy enters, and leaves, on a candle that meets all conditions of its list. One that meets both does neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any, TypeAlias

import numpy as np

from sandbox.backtester.bars import Answers, Bars, Numbers
from sandbox.backtester.errors import BadParametersError, TooFewCandlesError, UnknownStrategyError
from sandbox.backtester.indicators import INDICATORS
from sandbox.tradestream.specs import Spec, specs

Operand: TypeAlias = Numbers | float
Condition: TypeAlias = Callable[[Numbers, Operand], Answers]


@dataclass(frozen=True, slots=True)
class Stop:
    """Leave where a series has fallen far enough."""

    series: Numbers
    fraction: float
    """How far."""
    trailing: bool
    """From its highest value since the entry; else from the price of entry."""


@dataclass(frozen=True, slots=True)
class Signals:
    """When a strategy would enter and leave."""

    entries: Answers
    exits: Answers
    stops: Sequence[Stop]


def _last(operand: Operand) -> Operand:
    """What *operand* was one candle ago; there is nothing before the first."""
    return operand if isinstance(operand, float) else np.concatenate([[np.nan], operand[:-1]])


def _crossed_up(series: Numbers, other: Operand) -> Answers:
    return (series > other) & (_last(series) <= _last(other))


def _crossed_down(series: Numbers, other: Operand) -> Answers:
    return (series < other) & (_last(series) >= _last(other))


CONDITIONS: Mapping[str, Condition] = {
    "OVER_INDICATOR": np.greater,
    "UNDER_INDICATOR": np.less,
    "OVER_CONSTANT": np.greater,
    "UNDER_CONSTANT": np.less,
    "CROSSED_UP": _crossed_up,
    "CROSSED_DOWN": _crossed_down,
    "CROSSED_UP_CONSTANT": _crossed_up,
    "CROSSED_DOWN_CONSTANT": _crossed_down,
    "IS_RISING": lambda series, _: series > _last(series),
    "IS_FALLING": lambda series, _: series < _last(series),
}
PRICES = ("open", "high", "low", "close", "volume")
"""What an indicator may be computed from without naming an indicator."""
STOPS = {"STOP_LOSS": False, "TRAILING_STOP_LOSS": True}
"""Whether each trails."""


def names() -> list[str]:
    """The strategies that can be run."""
    return [spec.name for spec in specs() if _unknown(spec) is None]


def signals(strategy_name: str, parameters: Mapping[str, float], bars: Bars) -> Signals:
    """When the strategy would enter and leave; a parameter that is missing has the spec's default.

    Raises UnknownStrategyError, BadParametersError, TooFewCandlesError.
    """
    spec = {spec.name: spec for spec in specs()}.get(strategy_name)
    if spec is None:
        raise UnknownStrategyError(f"there is no strategy {strategy_name}")
    return signals_of(spec, parameters, bars)


def signals_of(spec: Spec, parameters: Mapping[str, float], bars: Bars) -> Signals:
    """When *spec*, in the form in which it is stored, would enter and leave; raises as `signals` does."""
    if (lacking := _unknown(spec)) is not None:
        raise UnknownStrategyError(f"{spec.name} needs {lacking}, which this backtester does not have")
    chosen = {parameter.name: float(parameter.default) for parameter in spec.parameters} | dict(parameters)
    series: dict[str, Numbers] = {name: getattr(bars, name) for name in PRICES}
    for indicator in _inputs_first(spec.indicators):
        series[indicator["id"]] = _series(indicator, series, chosen, bars)
    entries = _all(spec.entry_conditions, series, chosen, bars)
    exits = _all([each for each in spec.exit_conditions if each["type"] not in STOPS], series, chosen, bars)
    stops = [
        Stop(series[each["indicator"]], _number(each["params"]["value"], chosen) / 100, STOPS[each["type"]])
        for each in spec.exit_conditions
        if each["type"] in STOPS
    ]
    return Signals(entries & ~exits, exits & ~entries, stops)


def _unknown(spec: Spec) -> str | None:
    """The first part of a spec that is in none of the tables."""
    conditions = [*spec.entry_conditions, *spec.exit_conditions]
    known = INDICATORS.keys() | CONDITIONS.keys() | STOPS.keys()
    return next((part["type"] for part in [*spec.indicators, *conditions] if part["type"] not in known), None)


def _inputs_first(indicators: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The indicators in an order in which each comes after what it is computed from."""
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
    except Exception as error:  # TA-Lib raises nothing more exact
        if "inputs are all NaN" in str(error):
            raise TooFewCandlesError(f"{indicator['type']} of a series that says nothing yet") from error
        raise BadParametersError(f"{indicator['type']} cannot be had of {of}: {error}") from error
    if np.isnan(found).all():
        raise TooFewCandlesError(f"{indicator['type']} says nothing of {len(bars)} candles")
    return found


def _all(
    conditions: Sequence[Mapping[str, Any]], series: Mapping[str, Numbers], chosen: Mapping[str, float], bars: Bars
) -> Answers:
    """Where all *conditions* are met; nowhere if there are none."""
    met = np.full(len(bars), bool(conditions))
    for condition in conditions:
        operand = _operand(condition.get("params", {}), series, chosen)
        met &= CONDITIONS[condition["type"]](series[condition["indicator"]], operand)
    return met


def _operand(params: Mapping[str, Any], series: Mapping[str, Numbers], chosen: Mapping[str, float]) -> Operand:
    other = params.get("other") or params.get("crosses")
    return _number(params.get("value", 0), chosen) if other is None else series[other]


def _number(value: float | str, chosen: Mapping[str, float]) -> float:
    """A number of a spec, or the one that was *chosen* for the parameter that stands there as ${name}."""
    return chosen[value.removeprefix("${").removesuffix("}")] if isinstance(value, str) else float(value)
