"""The findings in specs that fit the schema of submit_new_spec."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.tradestream.errors import DuplicateName, InvalidConditions, InvalidIndicators, SchemaValidationError
from generated.tradestream.strategy_db.models import SubmitNewSpecRequest
from generated.tradestream.strategy_db.schemas import SUBMIT_NEW_SPEC_PARAMETERS
from handlers.tradestream.registry import RULES, STRATEGIES
from handlers.tradestream.spec_forms import Spec, normalise_spec
from handlers.tradestream.specs import build_error, check_spec, find_warnings, name_taken
from sandbox.backtester.specs import read_specs

SOUND: dict[str, Any] = {
    "name": "RSI_ABOVE_EMA",
    "indicators": [
        {"id": "price", "type": "CLOSE"},
        {"id": "ema", "type": "EMA", "input": "price", "params": {"period": "${emaPeriod}"}},
        {"id": "rsi", "type": "RSI", "input": "close", "params": {"period": 14}},
    ],
    "entry_conditions": [
        {"type": "OVER_INDICATOR", "indicator": "price", "params": {"other": "ema"}},
        {"type": "CROSSED_UP_CONSTANT", "indicator": "rsi", "params": {"value": "${level}"}},
    ],
    "exit_conditions": [{"type": "CROSSED_DOWN", "indicator": "price", "params": {"crosses": "ema"}}],
    "parameters": [
        {"name": "emaPeriod", "type": "INTEGER", "min": 10, "max": 100, "defaultValue": 50},
        {"name": "level", "type": "DOUBLE", "min": 20.5, "max": 40, "defaultValue": 30},
    ],
}


KINDS = [
    kind
    for kind in SUBMIT_NEW_SPEC_PARAMETERS["properties"]["indicators"]["items"]["properties"]["type"]["enum"]
    if kind.isupper()
]


def spec(**changed: Any) -> Spec:
    """The sound spec, with some of its arguments others, as it comes through the gate."""
    arguments = SOUND | changed
    jsonschema_rs.validate(SUBMIT_NEW_SPEC_PARAMETERS, arguments)
    return normalise_spec(SubmitNewSpecRequest.model_validate(arguments))


def found(**changed: Any) -> list[tuple[str, str]]:
    """Return the codes and locations of findings."""
    return [(finding.error.code, finding.violation.at) for finding in check_spec(spec(**changed))]


def indicator(**values: Any) -> list[dict[str, Any]]:
    """The sound indicators and one more."""
    return [*SOUND["indicators"], {"id": "more", "type": "SMA"} | values]


def condition(**values: Any) -> list[dict[str, Any]]:
    """One condition."""
    return [{"type": "IS_RISING", "indicator": "price"} | values]


def parameter(**values: Any) -> list[dict[str, Any]]:
    """The sound parameters and one more."""
    return [*SOUND["parameters"], {"name": "more", "type": "INTEGER", "min": 1, "max": 3, "defaultValue": 2} | values]


def test_nothing_is_found_in_a_sound_spec() -> None:
    assert found() == []
    assert list(find_warnings(spec())) == []


def test_nothing_is_found_in_the_specs_of_the_sandbox() -> None:
    for each in read_specs():
        document: dict[str, Any] = {
            "indicators": list(each.indicators),
            "entry_conditions": list(each.entry_conditions),
            "exit_conditions": list(each.exit_conditions),
            "parameters": [declared.declaration() for declared in each.parameters],
        }
        assert found(**document) == [], each.name


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"indicators": indicator(input="sma")}, [("INVALID_INDICATORS", "/indicators/3/input")]),
        ({"indicators": indicator(input="more")}, [("INVALID_INDICATORS", "/indicators/3/input")]),
        ({"indicators": indicator(id="ema")}, [("SCHEMA_VALIDATION_ERROR", "/indicators/3/id")]),
        (
            {"indicators": indicator(params={"period": "${nobody}"})},
            [("SCHEMA_VALIDATION_ERROR", "/indicators/3/params/period")],
        ),
        (
            {"indicators": indicator(params={"period": "14"})},
            [("SCHEMA_VALIDATION_ERROR", "/indicators/3/params/period")],
        ),
        ({"indicators": indicator(params={"a/\0": 1})}, [("SCHEMA_VALIDATION_ERROR", "/indicators/3/params/a~1\0")]),
        ({"exit_conditions": condition(indicator="rsi2")}, [("INVALID_CONDITIONS", "/exit_conditions/0/indicator")]),
        ({"exit_conditions": condition(indicator="close")}, [("INVALID_CONDITIONS", "/exit_conditions/0/indicator")]),
        (
            {"entry_conditions": condition(params={"other": "rsi2", "value": "x"})},
            [("INVALID_CONDITIONS", f"/entry_conditions/0/params/{name}") for name in ("other", "value")],
        ),
        (
            {"entry_conditions": condition(params={"crosses": 5})},
            [("INVALID_CONDITIONS", "/entry_conditions/0/params/crosses")],
        ),
        ({"parameters": parameter(name="level")}, [("SCHEMA_VALIDATION_ERROR", "/parameters/2/name")]),
        ({"parameters": parameter(min=4)}, [("SCHEMA_VALIDATION_ERROR", "/parameters/2/max")]),
        ({"parameters": parameter(defaultValue=4)}, [("SCHEMA_VALIDATION_ERROR", "/parameters/2/defaultValue")]),
        (
            {"parameters": parameter(min=0.5, max=3.5)},
            [("SCHEMA_VALIDATION_ERROR", f"/parameters/2/{name}") for name in ("min", "max")],
        ),
        ({"parameters": parameter(type="DOUBLE", min=0.5, max=3.5)}, []),
        ({"parameters": parameter(min=1.0, max=3.0, defaultValue=2.0)}, []),
    ],
)
def test_a_fault_is_found_where_it_is(changed: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert found(**changed) == expected


@pytest.mark.parametrize(
    "written, expected",
    [
        ({"moon_below": "sun"}, {"/exit_conditions/0/moon_below": ["moon", "sun"]}),
        ({"moon_below": "moon"}, {"/exit_conditions/0/moon_below": ["moon"]}),
        (
            {"type": "OVER_INDICATOR", "indicator": "moon", "params": {"other": "moon", "crosses": "sun"}},
            {"/exit_conditions/0/indicator": ["moon"], "/exit_conditions/0/params/crosses": ["sun"]},
        ),
        (
            {"type": "OVER_INDICATOR", "indicator": "price", "params": {"other": "x" * 1000}},
            {"/exit_conditions/0/params/other": ["x" * 64]},
        ),
    ],
)
def test_each_unknown_id_of_a_condition_is_named_once(written: dict[str, Any], expected: dict[str, list[str]]) -> None:
    named: dict[str, list[str]] = {}
    for finding in check_spec(spec(exit_conditions=[written])):
        named.setdefault(finding.violation.at, []).append(finding.violation.message.split('"')[1])
    assert named == expected


@given(st.sampled_from(KINDS), st.booleans(), st.booleans())
def test_a_kind_of_indicator_may_be_written_in_small_letters(kind: str, is_small: bool, is_short: bool) -> None:  # noqa: FBT001 - hypothesis gives them
    written = kind.lower() if is_small else kind
    added = {"name": written, "id": "more"} if is_short else {"id": "more", "type": written}
    whole = spec(indicators=[*SOUND["indicators"], added])
    assert (whole.indicators[-1].type, list(check_spec(whole))) == (kind, [])


def test_a_circle_of_indicators_is_found_at_each_of_them() -> None:
    circle = [
        {"id": "a", "type": "EMA", "input": "b"},
        {"id": "b", "type": "EMA", "input": "c"},
        {"id": "c", "type": "EMA", "input": "a"},
        {"id": "outside", "type": "EMA", "input": "a"},
    ]
    places = [place for code, place in found(indicators=indicator() + circle)]
    assert places == [f"/indicators/{index}/input" for index in (4, 5, 6)]


@pytest.mark.parametrize("rule", list(RULES))
def test_a_rule_needs_what_it_compares_with(rule: str) -> None:
    fits = {
        name
        for name, params in (("nothing", {}), ("indicator", {"other": "ema"}), ("number", {"value": 1}))
        if not found(entry_conditions=condition(type=rule, params=params))
    }
    wants = {"CONSTANT": {"number"}, "INDICATOR": {"indicator"}, "LOSS": {"number"}, "GAIN": {"number"}}
    other = {"indicator"} if rule in {"CROSSED_UP", "CROSSED_DOWN"} else {"indicator", "number"}
    nothing = {"nothing"} if rule in {"AND", "OR", "UP", "IS_RISING", "IS_FALLING"} else set()
    assert fits == wants.get(rule.rpartition("_")[2], other | nothing)


def test_every_rule_of_the_contract_is_known_by_what_it_needs() -> None:
    for name in ("entry_conditions", "exit_conditions"):
        declared = SUBMIT_NEW_SPEC_PARAMETERS["properties"][name]["items"]["properties"]["type"]["enum"]
        assert declared == sorted(RULES)


def test_the_strategies_that_are_built_in_are_those_of_the_sandbox() -> None:
    assert {each.name for each in read_specs()} == STRATEGIES


def test_everything_that_is_wrong_is_named_and_the_first_code_of_the_contract_answered() -> None:
    faulty = spec(
        indicators=indicator(input="sma", params={"period": "${nobody}"}),
        entry_conditions=condition(indicator="rsi2"),
        parameters=parameter(min=4),
    )
    error = build_error(list(check_spec(faulty)))
    assert isinstance(error, InvalidIndicators)
    assert [violation["at"] for violation in error.details["violations"]] == [
        "/indicators/3/input",
        "/indicators/3/params/period",
        "/entry_conditions/0/indicator",
        "/parameters/2/max",
    ]
    assert error.message.startswith("/indicators/3/input must be the id of another indicator of this spec, or one of")


def test_codes_go_before_each_other_as_in_the_contract() -> None:
    name, conditions = name_taken(), list(check_spec(spec(entry_conditions=condition(indicator="rsi2"))))
    shape = list(check_spec(spec(parameters=parameter(min=4))))
    assert isinstance(build_error([*shape, *conditions, name]), DuplicateName)
    assert isinstance(build_error([*shape, *conditions]), InvalidConditions)
    assert isinstance(build_error(shape), SchemaValidationError)


def test_a_message_has_ten_findings_and_the_details_all() -> None:
    error = build_error(list(check_spec(spec(exit_conditions=condition(indicator="nobody") * 12))))
    assert error.message.count("must be the id") == 10
    assert error.message.endswith("; and 2 more.")
    assert len(error.details["violations"]) == 12


def test_an_unused_declaration_is_a_warning() -> None:
    odd = spec(indicators=indicator(), parameters=parameter())
    assert list(find_warnings(odd)) == [
        "/indicators/3 is used by no condition and no indicator.",
        "/parameters/2 is used by nothing.",
    ]
