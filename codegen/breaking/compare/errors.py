"""Compare the error codes of a tool and the conditions between its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.condition_witness import find_violation
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.breaking.compare.keyword_change import describe_text_change, format_value
from codegen.breaking.rule import Direction
from codegen.loading.durations import parse_duration
from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import ContractValue, Place


def error_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's error codes."""
    before, after = (
        {str(as_object(error.value).get("code")): error for error in side.listed("errors")}
        for side in (tool.old, tool.new)
    )
    for code, error in before.items():
        if code in after:
            yield from _code_changes(
                ContractPair(old=error, new=after[code], tool=tool.tool, direction=Direction.OUTPUT, label=code)
            )
        else:
            yield _one_sided_change(
                "ERROR_CODE_REMOVED", tool, f"{code} is no longer returned", code, old=error.place.at("code")
            )
    for code, error in after.items():
        if code not in before:
            yield _one_sided_change(
                "ERROR_CODE_ADDED", tool, f"{code} is a new error code", code, new=error.place.at("code")
            )
    yield from _order_changes(tool, before, after)


def _one_sided_change(
    rule: str, tool: ContractPair, message: str, subject: str, *, old: Place | None = None, new: Place | None = None
) -> Change:
    """Return a change of something that one side does not have."""
    direction, _condition_name = (
        (Direction.INPUT, "conditions") if rule.startswith("CONDITION") else (Direction.OUTPUT, "errors")
    )
    old, new = old or tool.old.place.at(_condition_name), new or tool.new.place.at(_condition_name)
    return Change(rule=rule, old=old, new=new, message=message, tool=tool.tool, direction=direction, subject=subject)


def _code_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the changes of one error code."""
    before, after = error.values("http")
    if before != after and isinstance(before, int) and isinstance(after, int):
        rule = "ERROR_STATUS_CHANGED" if before // 100 == after // 100 else "ERROR_CLASS_CHANGED"
        yield error.change(rule, f"the HTTP status changed from {before} to {after}", "http")
    old, new = error.values("when")
    if old != new:
        text = f"it is now returned {_describe_binding(new)} instead of {_describe_binding(old)}"
        yield error.change("ERROR_BINDING_CHANGED", text, "when")
    descriptions = error.values("description")
    if descriptions[0] != descriptions[1]:
        yield error.change("DESCRIPTION_CHANGED", describe_text_change("description", *descriptions), "description")
    yield from _detail_changes(error)


def _describe_binding(when: Any) -> str:
    """Return the occasion of an error code for a message."""
    return "by the handler" if when is None else f"when {format_value(when)}"


def _detail_changes(error: ContractPair) -> Iterator[Change]:
    """Yield the changes of an error code's details."""
    before, after = error.old.items("details"), error.new.items("details")
    for name in before:
        old, new = error.values("details", name)
        if new is None:
            yield error.change(
                "ERROR_DETAIL_REMOVED", f'the details no longer have "{name}"', "details", name, detail=f"/{name}"
            )
        elif as_object(old).get("type") != as_object(new).get("type"):
            text = f'"{name}" changed from type {old.get("type")} to {new.get("type")}'
            yield error.change("ERROR_DETAIL_CHANGED", text, "details", name, "type", detail=f"/{name}")
    for name in after:
        if name not in before:
            yield error.change(
                "ERROR_DETAIL_ADDED", f'the details now have "{name}"', "details", name, detail=f"/{name}"
            )


def _order_changes(
    tool: ContractPair, before: dict[str, ContractValue], after: dict[str, ContractValue]
) -> Iterator[Change]:
    """Yield a change of the order in which matching codes are tried."""
    old = [code for code in before if code in after and "at" in as_object(as_object(before[code].value).get("when"))]
    new = [code for code in after if code in old]
    if old != new:
        text = f"where several codes match, the first of {', '.join(new)} is returned; before, of {', '.join(old)}"
        yield _one_sided_change("ERROR_BINDING_CHANGED", tool, text, "order")


def condition_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the changes of a tool's conditions. Arguments show the stricter ones."""
    before, after = (
        {_condition_name(rule.value): rule for rule in side.listed("conditions")} for side in (tool.old, tool.new)
    )
    for name, rule in before.items():
        if name not in after:
            yield _one_sided_change("CONDITION_REMOVED", tool, f"{name} is no longer required", name, old=rule.place)
    for name, rule in after.items():
        if name not in before:
            added = _one_sided_change("CONDITION_ADDED", tool, f"{name} is now required", name, new=rule.place)
            yield _with_witness(tool, added, before, rule)
            continue
        pair = ContractPair(old=before[name], new=rule, tool=tool.tool, direction=Direction.INPUT, label=name)
        for change in _one_condition_changes(pair):
            stricter = change.rule == "CONDITION_TIGHTENED"
            yield _with_witness(tool, change, before, rule) if stricter else change


def _with_witness(
    tool: ContractPair, change: Change, before: Mapping[str, ContractValue], rule: ContractValue
) -> Change:
    """Return a change with arguments that show it, if there are any."""
    parameters = tool.old.node("parameters").inlined, tool.new.node("parameters").inlined
    unchanged = [other.value for other in before.values()]
    return replace(
        change, lost_value=find_violation(parameters, unchanged, rule.value, tool.example_value("arguments"))
    )


def _condition_name(rule: Any) -> str:
    """Return the kind and the operands of a condition."""
    condition = as_object(rule)
    kind = "span" if "span" in condition else "ordered"
    return f"{kind} {', '.join(map(str, as_array(condition.get(kind))))}"


def _one_condition_changes(rule: ContractPair) -> Iterator[Change]:
    """Yield the changes of one condition."""
    strict = tuple(bool(value) for value in rule.values("strict"))
    if strict[0] != strict[1]:
        name = "CONDITION_TIGHTENED" if strict[1] else "CONDITION_RELAXED"
        yield rule.change(name, f"equal values are now {'rejected' if strict[1] else 'allowed'}", "strict")
    before, after = rule.values("at_most")
    if isinstance(before, str) and isinstance(after, str) and parse_duration(before) != parse_duration(after):
        name = "CONDITION_TIGHTENED" if parse_duration(after) < parse_duration(before) else "CONDITION_RELAXED"
        yield rule.change(name, f"at_most changed from {before} to {after}", "at_most")
    old, new = rule.values("code")
    if old != new:
        yield rule.change("CONDITION_CODE_CHANGED", f"the code changed from {old} to {new}", "code")
