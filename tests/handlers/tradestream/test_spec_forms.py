"""A spec is stored in one form; it can be submitted in several."""

from typing import Any

import jsonschema_rs
import numpy as np
import pytest

from generated.tradestream.errors import InvalidConditions, SchemaValidationError
from generated.tradestream.strategy_db.models import SubmitNewSpecRequest
from generated.tradestream.strategy_db.schemas import SUBMIT_NEW_SPEC_PARAMETERS
from handlers.tradestream.spec_forms import Spec, normalise_spec
from handlers.tradestream.specs import build_error, check_spec, find_warnings
from sandbox.backtester.bars import to_bars
from sandbox.backtester.rules import find_spec_signals
from sandbox.backtester.specs import Parameter as SandboxParameter
from sandbox.backtester.specs import Spec as SandboxSpec
from tests.sandbox.backtester.plain import candles
from toolaccord.json_values import JsonObject

SHORT: dict[str, Any] = {
    "name": "rsi_mean_reversion",
    "indicators": [{"name": "RSI", "period": 14}],
    "entry_conditions": [{"rsi_below": 30}],
    "exit_conditions": [{"rsi_above": 70}],
    "parameters": [{"name": "rsi_period", "min": 7, "max": 21}],
}
"""A spec as TradeStream's own server is sent it."""
FULL: dict[str, Any] = {
    "name": "RSI_MEAN_REVERSION",
    "indicators": [{"id": "rsi", "type": "RSI", "params": {"period": "${rsi_period}"}}],
    "entry_conditions": [{"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}],
    "exit_conditions": [{"type": "OVER_CONSTANT", "indicator": "rsi", "params": {"value": 70}}],
    "parameters": [{"name": "rsi_period", "type": "INTEGER", "min": 7, "max": 21, "defaultValue": 14}],
}
"""The same spec, in full."""


def read(**changed: Any) -> Spec:
    """The short spec, with some of its arguments others, as it comes through the gate."""
    arguments = SHORT | changed
    jsonschema_rs.validate(SUBMIT_NEW_SPEC_PARAMETERS, arguments)
    return normalise_spec(SubmitNewSpecRequest.model_validate(arguments))


def stored(spec: Spec) -> JsonObject:
    """Return the stored form of *spec*."""
    parts = ("indicators", "entry_conditions", "exit_conditions", "parameters")
    return {"name": spec.name} | {part: [each.as_json() for each in getattr(spec, part)] for part in parts}


def found(**changed: Any) -> list[tuple[str, str]]:
    """Return the codes and locations of findings."""
    return [(finding.error.code, finding.violation.at) for finding in check_spec(read(**changed))]


def test_the_short_form_is_stored_in_full() -> None:
    spec = read()
    assert stored(spec) == FULL
    assert (list(check_spec(spec)), list(find_warnings(spec))) == ([], [])


def test_the_full_form_is_stored_as_it_was_given() -> None:
    assert stored(read(**FULL)) == FULL


def test_specs_are_stored_in_one_form_alone() -> None:
    again = read(**stored(read()))
    assert stored(again) == FULL


@pytest.mark.parametrize("name", ["rsi_mean_reversion", "RSI_Mean_Reversion", "RSI_MEAN_REVERSION"])
def test_a_name_is_stored_in_capitals_however_it_is_written(name: str) -> None:
    assert read(name=name).name == "RSI_MEAN_REVERSION"


@pytest.mark.parametrize(
    "short, full",
    [
        ({"name": "RSI", "period": 14}, {"id": "rsi", "type": "RSI", "params": {"period": 14}}),
        ({"name": "OBV"}, {"id": "obv", "type": "OBV"}),
        ({"name": "EMA", "id": "slow", "input": "rsi", "period": 50},
         {"id": "slow", "type": "EMA", "input": "rsi", "params": {"period": 50}}),
        ({"name": "MACD", "shortPeriod": 12, "longPeriod": "${slow}"},
         {"id": "macd", "type": "MACD", "params": {"shortPeriod": 12, "longPeriod": "${slow}"}}),
    ],
)  # fmt: skip
def test_a_short_indicator_has_its_settings_beside_its_name(short: dict[str, Any], full: dict[str, Any]) -> None:
    (indicator,) = read(indicators=[short], parameters=[]).indicators
    assert indicator.as_json() == full


@pytest.mark.parametrize(
    "short, full",
    [
        ({"rsi_below": 30}, [("UNDER_CONSTANT", "rsi", {"value": 30})]),
        ({"rsi_above": 70.5}, [("OVER_CONSTANT", "rsi", {"value": 70.5})]),
        ({"rsi_above": "${level}"}, [("OVER_CONSTANT", "rsi", {"value": "${level}"})]),
        ({"fast_ema_above": "slow_ema"}, [("OVER_INDICATOR", "fast_ema", {"other": "slow_ema"})]),
        ({"fast_ema_below": "slow_ema"}, [("UNDER_INDICATOR", "fast_ema", {"other": "slow_ema"})]),
        ({"rsi_below": 30, "adx_above": 25},
         [("UNDER_CONSTANT", "rsi", {"value": 30}), ("OVER_CONSTANT", "adx", {"value": 25})]),
    ],
)  # fmt: skip
def test_a_short_condition_compares_an_indicator_with_a_number_or_another(
    short: dict[str, Any], full: list[tuple[str, str, dict[str, Any]]]
) -> None:
    conditions = read(entry_conditions=[short]).entry_conditions
    assert [each.as_json() for each in conditions] == [
        {"type": rule, "indicator": indicator, "params": params} for rule, indicator, params in full
    ]


@pytest.mark.parametrize(
    "given, kind, default",
    [
        ({"name": "rsi_period", "min": 7, "max": 21}, "INTEGER", 14),
        ({"name": "rsi_period", "min": 7, "max": 21, "defaultValue": 9}, "INTEGER", 9),
        ({"name": "rsi_period", "min": 7.5, "max": 21}, "DOUBLE", 14),
        ({"name": "rsi_period", "type": "DOUBLE", "min": 7, "max": 21}, "DOUBLE", 14),
        ({"name": "other", "min": 7, "max": 22}, "INTEGER", 14),
        ({"name": "other", "min": 0.5, "max": 2}, "DOUBLE", 1.25),
        ({"name": "other", "min": 1, "max": 9, "defaultValue": 2.5}, "DOUBLE", 2.5),
        ({"name": "other", "min": -1.7e308, "max": 1.7e308, "type": "DOUBLE"}, "DOUBLE", 0),
    ],
)
def test_a_parameter_without_a_type_or_a_default_has_those_of_its_numbers(
    given: dict[str, Any], kind: str, default: float
) -> None:
    (parameter,) = read(parameters=[given]).parameters
    assert (parameter.type, parameter.default) == (kind, default)


def test_a_parameter_chooses_the_setting_of_a_short_indicator_that_it_is_called_like_and_no_other() -> None:
    indicators = [{"name": "RSI", "period": 14}, {"id": "ema", "type": "EMA", "params": {"period": 20}}]
    parameters = [{"name": name, "min": 2, "max": 50} for name in ("rsi_period", "ema_period")]
    spec = read(indicators=indicators, parameters=parameters)
    assert [each.params for each in spec.indicators] == [{"period": "${rsi_period}"}, {"period": 20}]
    assert list(find_warnings(spec)) == [
        "/indicators/1 is used by no condition and no indicator.",
        "/parameters/1 is used by nothing.",
    ]


def test_the_forms_may_be_mixed() -> None:
    spec = read(
        indicators=[*SHORT["indicators"], {"id": "ema", "type": "EMA", "params": {"period": 20}}],
        entry_conditions=[*FULL["entry_conditions"], {"ema_above": "rsi"}],
    )
    assert list(check_spec(spec)) == []


@pytest.mark.parametrize(
    "changed, code, place",
    [
        ({"indicators": [{}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/id"),
        ({"indicators": [{"type": "RSI"}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/id"),
        ({"indicators": [{"id": "rsi"}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/type"),
        ({"indicators": [{"id": "rsi", "type": "RSI", "period": 14}]}, "SCHEMA_VALIDATION_ERROR",
         "/indicators/0/period"),
        ({"indicators": [{"name": "RSI", "type": "RSI"}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/name"),
        ({"indicators": [{"name": "RSI", "params": {}}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/name"),
        ({"indicators": [{"name": "RSI", "period": "14"}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/period"),
        ({"indicators": [{"name": "RSI", "a/b": 1}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/a~1b"),
        ({"indicators": [{"name": "RSI"}, {"name": "RSI"}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/1/id"),
        ({"indicators": [{"name": "RSI", "input": "rsi"}]}, "INVALID_INDICATORS", "/indicators/0/input"),
        ({"indicators": [{"name": "RSI", "period": 5}]}, "SCHEMA_VALIDATION_ERROR", "/indicators/0/period"),
        ({"entry_conditions": [{}]}, "INVALID_CONDITIONS", "/entry_conditions/0/type"),
        ({"entry_conditions": [{"type": "IS_RISING"}]}, "INVALID_CONDITIONS", "/entry_conditions/0/indicator"),
        ({"entry_conditions": [{"type": "IS_RISING", "indicator": "rsi", "rsi_below": 1}]}, "INVALID_CONDITIONS",
         "/entry_conditions/0/rsi_below"),
        ({"entry_conditions": [{"rsi_under": 30}]}, "INVALID_CONDITIONS", "/entry_conditions/0/rsi_under"),
        ({"entry_conditions": [{"_below": 30}]}, "INVALID_CONDITIONS", "/entry_conditions/0/_below"),
        ({"exit_conditions": [{"ema_above": 30}]}, "INVALID_CONDITIONS", "/exit_conditions/0/ema_above"),
        ({"exit_conditions": [{"rsi_above": "ema"}]}, "INVALID_CONDITIONS", "/exit_conditions/0/rsi_above"),
        ({"exit_conditions": [{"rsi_above": "${level}"}]}, "INVALID_CONDITIONS", "/exit_conditions/0/rsi_above"),
    ],
)  # fmt: skip
def test_a_violation_has_the_callers_pointer(changed: dict[str, Any], code: str, place: str) -> None:
    assert (code, place) in found(**changed)


def test_of_several_forms_that_are_wrong_the_first_code_of_the_contract_is_answered() -> None:
    conditions = build_error(list(check_spec(read(indicators=[{"type": "RSI"}], entry_conditions=[{"rsi": 1}]))))
    assert isinstance(conditions, InvalidConditions)
    indicators = build_error(list(check_spec(read(indicators=[*SHORT["indicators"], {"type": "RSI"}]))))
    assert isinstance(indicators, SchemaValidationError)
    assert indicators.message == "/indicators/1/id is required, unless the short form is used."


@pytest.mark.parametrize(
    "indicator",
    [
        {"name": "MOON_PHASE"},
        {"name": "Rsi", "period": 14},
        {"name": "RSI", "period": True},
        {"name": "RSI", "period": [14]},
        {"name": "RSI", "period": None},
    ],
)
def test_the_schema_refuses_what_no_form_has(indicator: dict[str, Any]) -> None:
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(SUBMIT_NEW_SPEC_PARAMETERS, SHORT | {"indicators": [indicator]})


def runnable(document: JsonObject) -> SandboxSpec:
    """A stored spec, as the reference backtester runs it."""
    return SandboxSpec(
        name=document["name"],
        is_deployable=True,
        description="",
        indicators=tuple(document["indicators"]),
        entry_conditions=tuple(document["entry_conditions"]),
        exit_conditions=tuple(document["exit_conditions"]),
        parameters=tuple(SandboxParameter(each["name"], each["defaultValue"]) for each in document["parameters"]),
    )


@pytest.mark.parametrize("parameters", [{}, {"rsi_period": 7}])
def test_the_backtester_runs_a_spec_alike_whichever_form_it_was_submitted_in(parameters: dict[str, float]) -> None:
    year = to_bars(candles(600, volatility=0.01))
    answer = [find_spec_signals(runnable(stored(read(**given))), parameters, year) for given in (SHORT, FULL)]
    assert answer[0].entries.any()
    assert answer[0].exits.any()
    assert np.array_equal(answer[0].entries, answer[1].entries)
    assert np.array_equal(answer[0].exits, answer[1].exits)


def test_the_backtester_runs_numbers_parameters_and_prices_wherever_a_stored_spec_has_them() -> None:
    document = stored(
        read(
            indicators=[
                {"name": "SMA", "id": "slow", "input": "fast", "period": 3},
                {"name": "SMA", "id": "fast", "input": "open", "period": 2},
            ],
            entry_conditions=[{"fast_above": "slow"}],
            exit_conditions=[{"fast_below": "${level}"}],
            parameters=[{"name": "level", "min": 2000, "max": 4000}],
        )
    )
    walk = to_bars(candles(50))
    answer = find_spec_signals(runnable(document), {"level": 1e6}, walk)
    assert not answer.entries.any(), "each candle that would enter would leave, too"
    assert answer.exits.sum() < len(walk)
    fast = (walk.open[1:] + walk.open[:-1]) / 2
    expected = find_spec_signals(runnable(document), {"level": 0}, walk).entries[4:]
    assert list(expected) == [fast[i] > fast[i - 2 : i + 1].mean() for i in range(3, len(fast))]
