"""Prove that every server exports each error code of its contract from its start, at zero."""

import importlib
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.contracts.reading import CONTRACTS, contracts, load
from toolaccord.telemetry.metrics import Metrics

DIALECTS: dict[str, Any] = load(CONTRACTS / "dialects.json")
NEEDS = {"rate_limit": "rate_limit", "conflict": "idempotency", "sunset": "versions"}
"""Occasions of tools with a key of the contract."""


def promised_codes(tool: dict[str, Any], occasions: dict[str, str]) -> set[str]:
    """Return the codes of a tool, and those of its dialect for other occasions."""
    named = {error.get("when", {}).get("occasion") for error in tool["errors"]} | {"access", "unknown_tool"}
    standard = {
        code
        for occasion, code in occasions.items()
        if occasion not in named and (occasion not in NEEDS or tool.get(NEEDS[occasion]))
    }
    return standard | {error["code"] for error in tool["errors"]}


@pytest.mark.parametrize("module", contracts())
def test_every_error_code_of_the_contract_is_exported_at_zero_and_no_other(module: str) -> None:
    contract = contracts()[module]
    served = importlib.import_module(f"generated.{module}.server").server(importlib.import_module(f"handlers.{module}"))
    text = Metrics(served, {}).exposition()[0].decode()
    samples = [
        sample
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "mcp_errors_total"
    ]
    assert {sample.value for sample in samples} == {0}
    for tool in contract["tools"]:
        exported = {each.labels["error_code"] for each in samples if each.labels["tool"] == tool["name"]}
        assert exported == promised_codes(tool, DIALECTS[contract["dialect"]]["occasions"])
