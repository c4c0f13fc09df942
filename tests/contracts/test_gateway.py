"""Compare the contract of swimmy-mcp with the design of the gateway that it replaces."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.contracts.reading import CONTRACTS, contracts, load, tool
from tests.contracts.test_seeds import specification

SERVER = "gateway.swimmy"
DESIGN = specification("swimmy")
DIALECT = load(CONTRACTS / "dialects.json")["gateway"]
MORE = {"backtest.submit": {"status"}}
"""Members of results that the original sends and its design leaves out."""
NAMES = {
    "Invalid Request": "INVALID_REQUEST",
    "Method not found": "METHOD_NOT_FOUND",
    "Invalid params": "INVALID_PARAMS",
    "Unauthorized": "UNAUTHORIZED",
    "Internal error": "INTERNAL_ERROR",
}


def resolve_setting(name: str) -> dict[str, Any]:
    """Return a setting of the contract."""
    setting: dict[str, Any] = contracts()[SERVER]["settings"][name]
    return setting


def test_the_methods_are_those_of_the_design() -> None:
    assert [each["name"] for each in contracts()[SERVER]["tools"]] == [*DESIGN["methods"], "trade.submit"]


@pytest.mark.parametrize("name", DESIGN["methods"])
def test_a_result_requires_what_the_design_has(name: str) -> None:
    returns = tool(SERVER, name)["returns"]
    assert set(returns["required"]) == DESIGN["methods"][name].keys() | MORE.get(name, set())
    for member, value in DESIGN["methods"][name].items():
        if value != "...":
            assert Draft202012Validator(returns["properties"][member]).is_valid(value)


def test_the_numbers_of_errors_are_those_of_the_design() -> None:
    assert {name: DIALECT["codes"][code]["jsonrpc"] for name, code in NAMES.items()} == DESIGN["errors"]
    numbers = {code["jsonrpc"] for code in DIALECT["codes"].values()}
    assert numbers == {*DESIGN["errors"].values(), DESIGN["trade.submit"]["code"]}


def test_orders_are_rejected_where_the_design_has_the_method_and_not_offered_elsewhere() -> None:
    (error,) = tool(SERVER, "trade.submit")["errors"]
    assert DIALECT["codes"][error["code"]]["jsonrpc"] == DESIGN["trade.submit"]["code"]
    assert tool(SERVER, "trade.submit")["transports"] == ["content_length"]


def test_the_key_the_endpoint_and_the_files_are_those_of_the_design() -> None:
    contract = contracts()[SERVER]
    access = contract["access"]["content_length"]
    assert access["name"] == DESIGN["api_key"]["name"]
    assert resolve_setting(access["setting"])["env"] == DESIGN["api_key"]["env"]
    endpoint = resolve_setting(contract["sources"]["guardian"]["endpoint"]["setting"])
    assert {name: endpoint[name] for name in ("env", "default")} == DESIGN["endpoint"]
    paths = contract["sources"]["files"]["paths"]
    assert {name: resolve_setting(path["setting"])["default"] for name, path in paths.items()} == DESIGN["files"]


def test_no_argument_is_a_command_of_the_bus() -> None:
    contract = contracts()[SERVER]
    parameters = tool(SERVER, "backtest.submit")["parameters"]
    assert parameters["additionalProperties"] is False
    assert not {"action", "type"} & set(parameters["properties"])
    payload = contract["events"]["backtest_request"]["payload"]
    assert payload["properties"]["action"]["const"] == "BACKTEST"
    assert "type" not in payload["properties"]
