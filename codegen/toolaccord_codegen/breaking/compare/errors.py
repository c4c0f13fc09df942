"""Compare the error codes of a tool and the conditions between its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.condition_witness import find_violation, is_implied
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.keyword_change import format_value
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.scalars import parse_duration
from toolaccord_codegen.loading.schema_nodes import ContractValue


def error_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's error codes."""
    before, after = (side.listed_by("errors", "code") for side in (tool.old, tool.new))
    for code, error in before.items():
        if code in after:
            pair = ContractPair(old=error, new=after[code], tool=tool.tool, direction=Direction.OUTPUT, label=code)
            yield from _code_changes(pair)
        else:
            message, place = f"{code} is no longer returned", error.place.at("code")
            yield tool.change(
                "ERROR_CODE_REMOVED", message, "errors", detail=code, old=place, direction=Direction.OUTPUT
            )
    for code, error in after.items():
        if code not in before:
            message, place = f"{code} is a new error code", error.place.at("code")
            yield tool.change("ERROR_CODE_ADDED", message, "errors", detail=code, new=place, direction=Direction.OUTPUT)
    old = [code for code in before if code in after and "at" in as_object(as_object(before[code].value).get("when"))]
    new = [code for code in after if code in old]
    if old != new:
        text = f"where several codes match, the first of {', '.join(new)} is returned; before, of {', '.join(old)}"
        yield tool.change("ERROR_BINDING_CHANGED", text, "errors", detail="order", direction=Direction.OUTPUT)


def _code_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the changes of one error code."""
    before, after = error.values("http")
    if isinstance(before, int) and isinstance(after, int):
        rule = "ERROR_STATUS_CHANGED" if before // 100 == after // 100 else "ERROR_CLASS_CHANGED"
        yield from error.value_change(rule, "http", noun="the HTTP status")
    yield from number_changes(error)
    old, new = error.values("when")
    if not equal_json(_unordered(old), _unordered(new)):
        text = f"it is now returned {_describe_binding(new)} instead of {_describe_binding(old)}"
        yield error.change("ERROR_BINDING_CHANGED", text, "when")
    yield from retryable_changes(error, *map(bool, error.values("retryable")))
    yield from error.text_change("DESCRIPTION_CHANGED", "description")
    for name in error.old.items("details") | error.new.items("details"):
        old, new = error.values("details", name)
        detail = f"/{name}"
        if new is None:
            text = f'the details no longer have "{name}"'
            yield error.change("ERROR_DETAIL_REMOVED", text, "details", name, detail=detail)
        elif old is None:
            yield error.change("ERROR_DETAIL_ADDED", f'the details now have "{name}"', "details", name, detail=detail)
        elif as_object(old).get("type") != as_object(new).get("type"):
            text = f'"{name}" changed from type {old.get("type")} to {new.get("type")}'
            yield error.change("ERROR_DETAIL_CHANGED", text, "details", name, "type", detail=detail)


def number_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the change of an error code's number in JSON-RPC that both sides have."""
    if None not in error.values("jsonrpc"):
        yield from error.value_change("ERROR_NUMBER_CHANGED", "jsonrpc", noun="the number", detail="jsonrpc")


def retryable_changes(error: ContractPair, before: bool, after: bool) -> Iterator[Change]:  # noqa: FBT001 - two states
    """Yield the change of an error code that turns retryable, or not retryable."""
    if before and not after:
        yield error.change("ERROR_RETRYABLE_REMOVED", "it is no longer retryable", "retryable", detail="retryable")
    elif after and not before:
        yield error.change("ERROR_RETRYABLE_ADDED", "it is now retryable", "retryable", detail="retryable")


def _unordered(when: Any) -> Any:
    """Return the occasion of an error code with its arguments sorted."""
    return {**when, "at": sorted(map(str, as_array(when["at"])))} if "at" in as_object(when) else when


def _describe_binding(when: Any) -> str:
    """Return the occasion of an error code for a message."""
    return "by the handler" if when is None else f"when {format_value(when)}"


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
        if is_implied(parameters, rule.value, [other.value for other in others]):
            rules = others
    return {_condition_name(rule.value): rule for rule in rules}


def _unless_implied(
    tool: ContractPair, change: Change, before: Mapping[str, ContractValue], rule: ContractValue
) -> Iterator[Change]:
    """Yield a change with rejected arguments, unless there are provably none."""
    parameters = tool.old.node("parameters").inlined, tool.new.node("parameters").inlined
    unchanged = [other.value for other in before.values()]
    if not any(is_implied(schema, rule.value, unchanged) for schema in parameters):
        arguments = find_violation(parameters, unchanged, rule.value, tool.example_value("arguments"))
        yield replace(change, lost_value=arguments)


def _condition_name(rule: Any) -> str:
    """Return the kind and the operands of a condition."""
    condition = as_object(rule)
    kind = "span" if "span" in condition else "ordered"
    return f"{kind} {', '.join(map(str, as_array(condition.get(kind))))}"


def _one_condition_changes(rule: ContractPair) -> Iterator[Change]:
    """Yield the changes of one condition."""
    was_strict, is_strict = map(bool, rule.values("strict"))
    if was_strict is not is_strict:
        name = "CONDITION_TIGHTENED" if is_strict else "CONDITION_RELAXED"
        yield rule.change(name, f"equal values are now {'rejected' if is_strict else 'allowed'}", "strict")
    before, after = rule.values("at_most")
    if isinstance(before, str) and isinstance(after, str) and parse_duration(before) != parse_duration(after):
        is_shorter = parse_duration(after) < parse_duration(before)
        yield from rule.value_change("CONDITION_TIGHTENED" if is_shorter else "CONDITION_RELAXED", "at_most")
    yield from rule.value_change("CONDITION_CODE_CHANGED", "code", noun="the code")
