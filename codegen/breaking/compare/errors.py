"""The codes a tool answers with, and the rules between its arguments, old and new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.condition_witness import crossing
from codegen.breaking.compare.contract_pair import Both
from codegen.breaking.compare.keyword_change import shown, worded
from codegen.breaking.rule import Direction
from codegen.loading.durations import parse_duration
from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import ContractValue, Place


def error_changes(tool: Both) -> Iterator[Change]:
    """What differs in the codes of a tool."""
    before, after = (
        {str(as_object(error.value).get("code")): error for error in side.listed("errors")}
        for side in (tool.old, tool.new)
    )
    for code, error in before.items():
        if code in after:
            yield from code_changes(
                Both(old=error, new=after[code], tool=tool.tool, direction=Direction.OUTPUT, about=code)
            )
        else:
            yield lone("ERROR_CODE_REMOVED", tool, f"{code} is not answered any more", code, old=error.place.at("code"))
    for code, error in after.items():
        if code not in before:
            yield lone("ERROR_CODE_ADDED", tool, f"{code} is a new answer", code, new=error.place.at("code"))
    yield from order_changes(tool, before, after)


def lone(
    rule: str, tool: Both, message: str, subject: str, *, old: Place | None = None, new: Place | None = None
) -> Change:
    """A change of which one side has nothing but the list in which it would stand."""
    direction, key = (Direction.INPUT, "conditions") if rule.startswith("CONDITION") else (Direction.OUTPUT, "errors")
    old, new = old or tool.old.place.at(key), new or tool.new.place.at(key)
    return Change(rule=rule, old=old, new=new, message=message, tool=tool.tool, direction=direction, subject=subject)


def code_changes(error: Both) -> Iterator[Change]:
    """What differs in one code."""
    before, after = error.values("http")
    if before != after and isinstance(before, int) and isinstance(after, int):
        rule = "ERROR_STATUS_CHANGED" if before // 100 == after // 100 else "ERROR_CLASS_CHANGED"
        yield error.change(rule, f"the HTTP status was {before} and is {after}", "http")
    old, new = error.values("when")
    if old != new:
        said = f"it was answered {occasion(old)} and is {occasion(new)}"
        yield error.change("ERROR_BINDING_CHANGED", said, "when")
    text = error.values("description")
    if text[0] != text[1]:
        yield error.change("DESCRIPTION_CHANGED", worded("description", *text), "description")
    yield from detail_changes(error)


def occasion(when: Any) -> str:
    """Where a code arises, in a sentence."""
    return "by the handler" if when is None else f"when {shown(when)}"


def detail_changes(error: Both) -> Iterator[Change]:
    """What differs in the values that go with a code."""
    before, after = error.old.items("details"), error.new.items("details")
    for name in before:
        old, new = error.values("details", name)
        if new is None:
            yield error.change(
                "ERROR_DETAIL_REMOVED", f'details have no "{name}" any more', "details", name, detail=f"/{name}"
            )
        elif as_object(old).get("type") != as_object(new).get("type"):
            said = f'"{name}" was of type {old.get("type")} and is {new.get("type")}'
            yield error.change("ERROR_DETAIL_CHANGED", said, "details", name, "type", detail=f"/{name}")
    for name in after:
        if name not in before:
            yield error.change("ERROR_DETAIL_ADDED", f'details have "{name}"', "details", name, detail=f"/{name}")


def order_changes(tool: Both, before: dict[str, ContractValue], after: dict[str, ContractValue]) -> Iterator[Change]:
    """Codes that are answered first now, where several fit."""
    old = [code for code in before if code in after and "at" in as_object(as_object(before[code].value).get("when"))]
    new = [code for code in after if code in old]
    if old != new:
        said = f"where several codes fit, the first of {', '.join(new)} is answered; it was of {', '.join(old)}"
        yield lone("ERROR_BINDING_CHANGED", tool, said, "order")


def condition_changes(tool: Both) -> Iterator[Change]:
    """What differs in the rules between arguments; a stricter one is shown by arguments that break it."""
    before, after = ({key(rule.value): rule for rule in side.listed("conditions")} for side in (tool.old, tool.new))
    for name, rule in before.items():
        if name not in after:
            yield lone("CONDITION_REMOVED", tool, f"{name} is not asked for any more", name, old=rule.place)
    for name, rule in after.items():
        if name not in before:
            added = lone("CONDITION_ADDED", tool, f"{name} is asked for", name, new=rule.place)
            yield with_arguments(tool, added, before, rule)
            continue
        both = Both(old=before[name], new=rule, tool=tool.tool, direction=Direction.INPUT, about=name)
        for change in rule_changes(both):
            stricter = change.rule == "CONDITION_TIGHTENED"
            yield with_arguments(tool, change, before, rule) if stricter else change


def with_arguments(tool: Both, change: Change, before: Mapping[str, ContractValue], rule: ContractValue) -> Change:
    """A change with arguments that show it, if there are any."""
    parameters = tool.old.node("parameters").inlined, tool.new.node("parameters").inlined
    kept = [other.value for other in before.values()]
    return replace(change, shown_by=crossing(parameters, kept, rule.value, tool.example("arguments")))


def key(rule: Any) -> str:
    """What a condition is about."""
    said = as_object(rule)
    kind = "span" if "span" in said else "ordered"
    return f"{kind} {', '.join(map(str, as_array(said.get(kind))))}"


def rule_changes(rule: Both) -> Iterator[Change]:
    """What differs in one condition."""
    strict = tuple(bool(value) for value in rule.values("strict"))
    if strict[0] != strict[1]:
        name = "CONDITION_TIGHTENED" if strict[1] else "CONDITION_RELAXED"
        yield rule.change(name, f"equal values are {'not ' if strict[1] else ''}allowed", "strict")
    before, after = rule.values("at_most")
    if isinstance(before, str) and isinstance(after, str) and parse_duration(before) != parse_duration(after):
        name = "CONDITION_TIGHTENED" if parse_duration(after) < parse_duration(before) else "CONDITION_RELAXED"
        yield rule.change(name, f"at_most was {before} and is {after}", "at_most")
    old, new = rule.values("code")
    if old != new:
        yield rule.change("CONDITION_CODE_CHANGED", f"the code was {old} and is {new}", "code")
