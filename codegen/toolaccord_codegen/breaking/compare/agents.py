"""Compare two states of an agent: its schemas, its model, its uses and its metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.agents import Metric
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.access import agent_access_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.events import event_changes
from toolaccord_codegen.breaking.compare.fields import field_changes, split_members
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.settings import setting_changes
from toolaccord_codegen.breaking.compare.sources import source_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.record_keys import list_keys

CONNECTION = ("contract", "url", "token", "credentials", "command")
"""Keys of a use that an operator has to know."""


def agent_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield all changes of an agent."""
    yield from field_changes(contract, AgentContract)
    for changes in (
        agent_access_changes,
        setting_changes,
        source_changes,
        event_changes,
        _schema_changes,
        _use_changes,
        _skill_changes,
        _metric_changes,
    ):
        yield from changes(contract)


def _schema_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the input, the output and the result of batches."""
    for keys, direction, noun, whole in (
        (("input",), Direction.INPUT, "argument", "arguments"),
        (("output",), Direction.OUTPUT, "result", "result"),
        (("batch", "result"), Direction.OUTPUT, "result of a batch", "result of a batch"),
    ):
        if None not in contract.values(*keys):
            topic = Topic(direction=direction, noun=noun, whole=whole, subject=keys[-1] if len(keys) > 1 else keys[0])
            old, new = (side.at(*keys[:-1]).node(keys[-1]) for side in (contract.old, contract.new))
            yield from schema_changes(topic, old, new)


def _use_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield servers that the agent uses now, no longer, or in another way."""
    before, after = contract.old.items("uses"), contract.new.items("uses")
    for name in {**before, **after}:
        use = contract.at("uses", name, label=f"use of {name}")
        if name not in after:
            yield use.change("USE_REMOVED", "the agent no longer needs the server")
        elif name not in before:
            yield use.change("USE_ADDED", "the agent needs the server")
        else:
            changed = sorted(key for key in {**before[name].value, **after[name].value} if use.differs(key))
            if not {*changed}.isdisjoint(CONNECTION):
                yield use.change("USE_ADDED", f"the agent finds the server in another way: {', '.join(changed)}")
            elif changed:
                yield use.change("USE_CHANGED", f"{', '.join(changed)} changed")


def _skill_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the skills."""
    agent = contract.at("agent")
    before, after = (side.listed_by("skills", "name") for side in (agent.old, agent.new))
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None or not equal_json(old.value, new.value):
            verb = "was added" if old is None else "was removed" if new is None else "changed"
            rule = f"SKILL_{verb.rpartition(' ')[2].upper()}"
            places: Mapping[str, Any] = {"old": old and old.place, "new": new and new.place}
            yield agent.change(rule, f"the skill {name} {verb}", "skills", detail=name, **places)


def _metric_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the metrics."""
    changes, kept = split_members(contract, "metrics", "metric", added="METRIC_ADDED", removed="METRIC_REMOVED")
    yield from changes
    for metric in kept:
        yield from field_changes(metric, Metric)
        changed = [key.name for key in list_keys(Metric) if key.name != "description" and metric.differs(key.name)]
        if changed:
            yield metric.change("METRIC_CHANGED", f"{', '.join(changed)} changed")
