"""Compare two states of an agent: its schemas, its model, its uses and its metrics."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.agents import AgentTasks
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.access import agent_access_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.events import event_changes
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.settings import setting_changes
from toolaccord_codegen.breaking.compare.sources import source_changes
from toolaccord_codegen.breaking.compare.tools.tasks import policy_changes
from toolaccord_codegen.breaking.compare.tools.tool import text_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import as_object

POLICIES = (
    ("cache",),
    ("retry",),
    ("limits", "max_concurrent"),
    ("batch", "size"),
    ("batch", "delay_ms"),
    ("batch", "min_success_rate"),
    ("batch", "all"),
)
"""Keys that change how an agent works, and not what it answers."""
CONNECTION = ("contract", "url", "token", "credentials", "command")
"""Keys of a use that an operator has to know."""


def agent_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield all changes of an agent."""
    agent = contract.at("agent")
    yield from agent.value_change("AGENT_RENAMED", "name", noun="the name")
    yield from text_changes(agent, "tool")
    for changes in (
        agent_access_changes,
        setting_changes,
        source_changes,
        event_changes,
        _schema_changes,
        _limit_changes,
        _queue_changes,
        _task_changes,
        _use_changes,
    ):
        yield from changes(contract)
    yield from _model_changes(agent)
    yield from _skill_changes(agent)
    yield from _metric_changes(contract)


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


def _limit_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of deadlines, batches, progress and policies."""
    yield from contract.numeric_changes("TIMEOUT_LOWERED", "TIMEOUT_RAISED", "limits", "timeout_ms")
    yield from contract.numeric_changes("SLO_TIGHTENED", "SLO_RELAXED", "limits", "p95_ms")
    for rule, message, is_added, *keys in (
        ("SLO_TIGHTENED", "p95_ms was added: {} ms", True, "limits", "p95_ms"),
        ("SLO_RELAXED", "p95_ms was removed: it was {} ms", False, "limits", "p95_ms"),
        ("PROGRESS_ADDED", "callers can request progress", True, "progress"),
        ("PROGRESS_REMOVED", "callers can no longer request progress", False, "progress"),
    ):
        yield from contract.presence_change(rule, message, *keys, is_added=is_added)
    if contract.values("batch")[0] is not None and contract.differs("batch", "argument"):
        noun = "the argument of batches"
        yield from contract.value_change(
            "BATCH_CHANGED", "batch", "argument", noun=noun, describe=format_optional, detail="batch"
        )
    for policy in POLICIES:
        if contract.differs(*policy):
            name = ".".join(policy)
            yield contract.change("POLICY_CHANGED", f"{name} changed", *policy, detail=name)


def _queue_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield a queue in which messages of the other state would be left."""
    keys = ("batch", "queue")
    yield from contract.presence_change("QUEUE_ADDED", "processes can share requests", *keys, is_added=True)
    yield from contract.presence_change("QUEUE_REMOVED", "nobody takes requests from the queue", *keys, is_added=False)
    if None not in contract.values(*keys):
        queue = contract.at(*keys, label="queue")
        for key in ("source", "stream"):
            yield from queue.value_change("QUEUE_CHANGED", key, detail=key)
        yield from queue.value_change("POLICY_CHANGED", "max_age_s", detail="max_age_s")


def _task_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the tasks that requests over A2A become."""
    yield from policy_changes(contract, "tasks", AgentTasks)


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


def _model_changes(agent: ContractPair) -> Iterator[Change]:
    """Yield changes of the model."""
    before, after = (as_object(model) for model in agent.values("model"))
    for key in sorted({**before, **after}):
        if agent.differs("model", key):
            yield agent.change("MODEL_CHANGED", f"{key} of the model changed", "model", key, detail=key)


def _skill_changes(agent: ContractPair) -> Iterator[Change]:
    """Yield changes of the skills."""
    before, after = (side.listed_by("skills", "name") for side in (agent.old, agent.new))
    for name in {**before, **after}:
        facts = {"old": before[name].place if name in before else None} | {
            "new": after[name].place if name in after else None
        }
        if name not in after:
            yield agent.change("SKILL_REMOVED", f"the skill {name} was removed", "skills", detail=name, **facts)
        elif name not in before:
            yield agent.change("SKILL_ADDED", f"the skill {name} was added", "skills", detail=name, **facts)
        elif not equal_json(before[name].value, after[name].value):
            yield agent.change("SKILL_CHANGED", f"the skill {name} changed", "skills", detail=name, **facts)


def _metric_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the metrics."""
    before, after = contract.old.items("metrics"), contract.new.items("metrics")
    for name in {**before, **after}:
        metric = contract.at("metrics", name, label=f"metric {name}")
        if name not in after:
            yield metric.change("METRIC_REMOVED", "it is no longer measured")
        elif name not in before:
            yield metric.change("METRIC_ADDED", "it is new")
        else:
            yield from metric.text_change("DESCRIPTION_CHANGED", "description")
            changed = [key for key in ("kind", "value", "buckets", "when", "labels") if metric.differs(key)]
            if changed:
                yield metric.change("METRIC_CHANGED", f"{', '.join(changed)} changed")
