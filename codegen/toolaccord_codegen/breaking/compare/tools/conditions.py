"""Compare the conditions between the arguments of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolaccord.contract.tools import Condition
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.tools.condition_witness import find_violation, is_implied
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.scalars import parse_duration
from toolaccord_codegen.loading.schema_nodes import ContractValue


def condition_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's conditions. Arguments show the stricter ones."""
    before, after = map(_necessary_conditions, (tool.old, tool.new))
    for name, rule in before.items():
        if name not in after:
            message = f"{name} is no longer required"
            yield tool.change(
                "CONDITION_REMOVED", message, "conditions", detail=name, old=rule.place, direction=Direction.INPUT
            )
    for name, rule in after.items():
        if name in before:
            pair = ContractPair(old=before[name], new=rule, tool=tool.tool, direction=Direction.INPUT, label=name)
            changes = [*_one_condition_changes(pair)]
        else:
            facts: dict[str, Any] = {"detail": name, "new": rule.place, "direction": Direction.INPUT}
            changes = [tool.change("CONDITION_ADDED", f"{name} is now required", "conditions", **facts)]
        for change in changes:
            is_stricter = change.rule in {"CONDITION_ADDED", "CONDITION_TIGHTENED"}
            yield from _unless_implied(tool, change, before, rule) if is_stricter else [change]


def _necessary_conditions(side: ContractValue) -> dict[str, ContractValue]:
    """Return the conditions of a tool by name, without the implied ones."""
    rules, parameters = side.listed("conditions"), side.node("parameters").inlined
    for rule in side.listed("conditions"):
        others = [other for other in rules if other.place != rule.place]
        if is_implied(parameters, rule.read(Condition), [other.read(Condition) for other in others]):
            rules = others
    return {name_condition(rule.read(Condition)): rule for rule in rules}


def _unless_implied(
    tool: ContractPair, change: Change, before: Mapping[str, ContractValue], rule: ContractValue
) -> Iterator[Change]:
    """Yield a change with rejected arguments, unless there are provably none."""
    parameters = tool.old.node("parameters").inlined, tool.new.node("parameters").inlined
    condition, unchanged = rule.read(Condition), [other.read(Condition) for other in before.values()]
    if not any(is_implied(schema, condition, unchanged) for schema in parameters):
        arguments = find_violation(parameters, unchanged, condition, tool.example_value("arguments"))
        yield replace(change, lost_value=arguments)


def name_condition(condition: Condition) -> str:
    """Return the kind and the operands of a condition."""
    return f"{'span' if condition.span else 'ordered'} {', '.join(condition.span or condition.ordered)}"


def _one_condition_changes(rule: ContractPair) -> Iterator[Change]:
    """Yield the changes of one condition."""
    old, new = rule.records(Condition)
    if old.strict is not new.strict:
        name = "CONDITION_TIGHTENED" if new.strict else "CONDITION_RELAXED"
        yield rule.change(name, f"equal values are now {'rejected' if new.strict else 'allowed'}", "strict")
    if old.at_most and new.at_most and parse_duration(old.at_most) != parse_duration(new.at_most):
        is_shorter = parse_duration(new.at_most) < parse_duration(old.at_most)
        yield from rule.value_change("CONDITION_TIGHTENED" if is_shorter else "CONDITION_RELAXED", "at_most")
    yield from rule.value_change("CONDITION_CODE_CHANGED", "code", noun="the code")
