"""Series of the agents' metrics before the first request."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, get_args

import pytest

import generated.agents.moex_analyst.agent as moex_analyst_agent
import generated.agents.signal_generator.agent as signal_generator_agent
from generated.agents.signal_generator.models import Signal
from handlers.agents import moex_analyst, signal_generator
from toolaccord.agent.metrics import AgentMetrics


def samples(declared: Any) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the values of new metrics by the name of the metric and the values of its labels."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in AgentMetrics(declared).registry.collect():
        for sample in family.samples:
            if not sample.name.endswith(("_created", "_bucket")):
                found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_each_action_of_the_contract_has_a_series_at_zero() -> None:
    counted = samples(signal_generator_agent.agent(signal_generator))["signal_generator_signals_total"]
    actions = get_args(Signal.model_fields["action"].annotation)
    assert counted == {(action,): 0 for action in actions}
    assert set(actions) == {"BUY", "SELL", "HOLD"}


@pytest.mark.parametrize(
    "module, handler", [(moex_analyst_agent, moex_analyst), (signal_generator_agent, signal_generator)]
)
def test_each_error_that_a_used_tool_declares_has_a_series_at_zero(module: ModuleType, handler: ModuleType) -> None:
    declared = module.agent(handler)
    name = f"{declared.name.replace('-', '_')}_errors_total"
    codes = {each.error.code for use in declared.uses for used in use.tools for each in used.tool.errors}
    assert samples(declared)[name] == {(code,): 0 for code in codes | {"INVALID_PARAMETERS", "TIMEOUT"}}


def test_nothing_is_counted_before_the_first_request() -> None:
    values = [
        value
        for series in samples(signal_generator_agent.agent(signal_generator)).values()
        for value in series.values()
    ]
    assert {value for value in values if not math.isnan(value)} == {0}, "the success rate is no number yet"
