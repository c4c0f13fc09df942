"""Prove that each tool of the platform limits its callers as the specification says."""

import importlib
from typing import Any

import pytest

from tests.contracts.reading import contracts
from tests.servers.contracts import Observations, answers
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import pipeline

CALLS_A_MINUTE = {
    "features.ohlcv_window": 100,
    "features.live_market_data": 100,
    "risk.position_limits_check": 500,
    "risk.trigger_alert": 100,
    "execution.sim_quote": 200,
    "storage.shared_state.get": 1000,
    "storage.shared_state.set": 500,
}


def platform_tools() -> list[Any]:
    """Return module and name of each tool of the platform, which claims to answer MCP-006."""
    servers = {module: contract for module, contract in contracts().items() if module.startswith("platform.")}
    found = [(module, tool["name"]) for module, contract in servers.items() for tool in contract["tools"]]
    return [pytest.param(module, name, marks=answers(name, "MCP-006")) for module, name in found]


def serve(module: str) -> Pipeline:
    """Return the server of *module*, which counts calls in memory because its Redis is away."""
    declared = importlib.import_module(f"generated.{module}.server")
    return pipeline(declared.server(importlib.import_module(f"handlers.{module}")))


def test_every_tool_of_the_platform_has_a_limit_that_replicas_share() -> None:
    limits = {
        tool["name"]: tool.get("rate_limit")
        for module, contract in contracts().items()
        if module.startswith("platform.")
        for tool in contract["tools"]
    }
    expected = {"per": "caller", "window_s": 60, "store": "state"}
    assert limits == {name: expected | {"calls": CALLS_A_MINUTE[name]} for name in limits}


@pytest.mark.parametrize("module,name", platform_tools())
async def test_a_caller_beyond_the_limit_of_a_tool_is_rejected(
    module: str, name: str, observations: Observations
) -> None:
    served = serve(module)
    codes = [(await served.call(name, {"unknown": 1})).code for _ in range(CALLS_A_MINUTE[name] + 1)]
    observations.answers.add((name, str(codes[-1])))
    assert codes == ["MCP-001"] * CALLS_A_MINUTE[name] + ["MCP-006"]
