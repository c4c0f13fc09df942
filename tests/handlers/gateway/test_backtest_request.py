"""The Guardian's request, made of arguments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.gateway.errors import InconsistentParams
from generated.gateway.swimmy.models import BacktestSubmitRequest
from handlers.gateway.backtest_request import MISROUTED, build_request
from tests.handlers.gateway.arguments import CANDLES, FILTER, STRATEGY

FILE = "data/historical/USDJPY_M1.csv"
NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
SEGMENTS = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,9}", fullmatch=True)
FILES = st.lists(SEGMENTS, min_size=1, max_size=5).map(lambda names: "/".join(names) + ".csv")


def build(**arguments: Any) -> dict[str, Any]:
    """Return the request of *arguments*, without absent members."""
    request = BacktestSubmitRequest.model_validate({"strategy": STRATEGY} | arguments)
    return build_request(request, "r1").model_dump(exclude_none=True)


def violations(**arguments: Any) -> dict[str, str]:
    """Return the keyword of each violation by its place."""
    with pytest.raises(InconsistentParams) as caught:
        build(**arguments)
    assert caught.value.message.endswith(".")
    assert caught.value.details is not None
    return {each["at"]: each["keyword"] for each in caught.value.details["violations"]}


def test_optional_values_are_lists_of_one_and_absent_ones_are_absent() -> None:
    assert build(data_id="USDJPY_M1") == {
        "action": "BACKTEST",
        "strategy": STRATEGY,
        "data_id": ["USDJPY_M1"],
        "request_id": "r1",
    }
    given = {"symbol": "USDJPY", "timeframe": 60, "start_time": 0, "end_time": 0, "include_trades": False}
    assert build(candles=CANDLES, swap_history=[], **given) == {
        "action": "BACKTEST",
        "strategy": STRATEGY,
        "symbol": "USDJPY",
        "timeframe": [60],
        "start_time": [0],
        "end_time": [0],
        "candles": CANDLES,
        "swap_history": [],
        "include_trades": False,
        "request_id": "r1",
    }


def test_a_file_has_a_name_without_which_the_guardian_does_not_read_it() -> None:
    built = build(candles_file=FILE)
    assert (built["candles_file"], built["data_id"]) == ([FILE], [f"mcp:{FILE}"])


@given(NAMES, FILES)
def test_no_name_of_a_caller_is_that_of_a_file(name: str, file: str) -> None:
    if MISROUTED not in name + file:
        assert build(data_id=name)["data_id"] != build(candles_file=file)["data_id"]


@given(FILES, FILES)
def test_two_files_have_two_names(one: str, other: str) -> None:
    if MISROUTED not in one + other:
        names = [build(candles_file=file)["data_id"] for file in (one, other)]
        assert (names[0] == names[1]) == (one == other)


@pytest.mark.parametrize(
    "arguments,expected",
    [
        ({}, {"/candles": "required"}),
        ({"candles": CANDLES, "candles_file": FILE}, {"/candles_file": "oneOf"}),
        ({"candles": CANDLES, "data_id": "X"}, {"/data_id": "oneOf"}),
        ({"candles": CANDLES, "candles_file": FILE, "data_id": "X"}, {"/candles_file": "oneOf", "/data_id": "oneOf"}),
        ({"data_id": "X", "aux_candles": {"h1": CANDLES}}, {"/aux_candles": "dependentRequired"}),
        ({"candles_file": FILE, "aux_candles": {}}, {"/aux_candles": "dependentRequired"}),
    ],
)
def test_candles_have_one_origin_that_no_other_request_can_fill(
    arguments: dict[str, Any], expected: dict[str, str]
) -> None:
    assert violations(**arguments) == expected


def test_a_complete_filter_is_sent() -> None:
    strategy = STRATEGY | FILTER
    assert build(strategy=strategy, candles=CANDLES, aux_candles={"h1": CANDLES})["strategy"] == strategy
    assert build(strategy=strategy, data_id="X")["strategy"] == strategy


@pytest.mark.parametrize("missing", ["filter_tf", "filter_period", "filter_logic"])
def test_a_filter_that_the_guardian_would_ignore_is_rejected(missing: str) -> None:
    strategy = {name: value for name, value in (STRATEGY | FILTER).items() if name != missing}
    found = violations(strategy=strategy, candles=CANDLES, aux_candles={"h1": CANDLES})
    assert found == {f"/strategy/{missing}": "dependentRequired"}


@pytest.mark.parametrize("aux", [{}, {"aux_candles": {}}, {"aux_candles": {"d1": CANDLES}}])
def test_a_filter_without_candles_of_its_timeframe_is_rejected(aux: dict[str, Any]) -> None:
    found = violations(strategy=STRATEGY | FILTER, candles=CANDLES, **aux)
    assert found == {"/aux_candles/h1": "dependentRequired"}


def test_a_disabled_filter_needs_nothing() -> None:
    strategy = STRATEGY | {"filter_enabled": False, "filter_tf": "h1"}
    assert build(strategy=strategy, candles=CANDLES)["strategy"] == strategy


@pytest.mark.parametrize(
    "arguments,at",
    [
        ({"strategy": STRATEGY | {"name": f"x {MISROUTED}"}, "data_id": "X"}, "/strategy/name"),
        ({"candles_file": f"data/{MISROUTED}.csv"}, "/candles_file"),
        ({"data_id": f"_{MISROUTED}_"}, "/data_id"),
        ({"data_id": "X", "request_id": MISROUTED}, "/request_id"),
    ],
)
def test_a_text_that_the_guardian_takes_for_another_command_is_rejected(arguments: dict[str, Any], at: str) -> None:
    assert violations(**arguments) == {at: "not"}


def test_all_violations_are_listed() -> None:
    found = violations(strategy=STRATEGY | {"name": MISROUTED, "filter_enabled": True}, aux_candles={})
    assert list(found) == [
        "/candles",
        "/aux_candles",
        "/strategy/filter_tf",
        "/strategy/filter_period",
        "/strategy/filter_logic",
        "/strategy/name",
    ]
