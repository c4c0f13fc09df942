"""Find calls of older versions that fail or change their meaning after their steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from toolaccord.contract.tools import Condition, DeclaredStep, OlderVersion, Tool
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.version_steps import EACH, Step, StepMapping, Tokens, invert
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.tools.condition_witness import find_violation, is_implied
from toolaccord_codegen.breaking.compare.tools.conditions import name_condition
from toolaccord_codegen.breaking.compare.tools.older_versions import is_past, version_of
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.ir.shared_records import build_step
from toolaccord_codegen.loading.references import as_object, list_branches
from toolaccord_codegen.loading.schema_nodes import ContractValue, Schema
from toolaccord_codegen.versions.schema_mapping import map_schema, require_defaults, schemas_at

UNIT = "x-unit"
SIDES = (("parameters", Direction.INPUT, "argument"), ("returns", Direction.OUTPUT, "result"))


@dataclass(frozen=True, slots=True)
class _Translation:
    """The steps from an older version to the newest one of its tool."""

    version: ContractValue
    newer: tuple[ContractValue, ...]
    """The versions that follow it, up to the newest."""

    def steps(self, key: str) -> list[tuple[Step, ...]]:
        """Return the steps to each following version; none where one is invalid."""
        chain = (self.version, *self.newer[:-1])
        with suppress(ValueError):
            declared: list[tuple[DeclaredStep, ...]] = [getattr(each.read(OlderVersion).to_next, key) for each in chain]
            return [tuple(map(build_step, steps)) for steps in declared]
        return []


def translation_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield other units of older versions, and conditions that break their calls."""
    before = {version_of(each.version): each for each in (_newest(tool.old), *_list_translations(tool.old))}
    for translation in _list_translations(tool.new):
        name = version_of(translation.version)
        if name in before and not is_past(translation.version, tool.around.today):
            yield from _unit_changes(tool, before[name], translation)
            yield from _condition_changes(tool, before[name], translation)


def _newest(tool: ContractValue) -> _Translation:
    """Return the newest version of a tool, which takes no step."""
    return _Translation(tool, ())


def _list_translations(tool: ContractValue) -> list[_Translation]:
    """List the older versions of a tool with those that follow each."""
    older = tool.listed("versions")
    return [_Translation(each, (*older[:index][::-1], tool)) for index, each in enumerate(older)]


def _unit_changes(tool: ContractPair, before: _Translation, after: _Translation) -> Iterator[Change]:
    """Yield the numbers that no lookup converts to the unit of the newest version."""
    for key, direction, noun in SIDES:
        known = dict(_list_other_units(before, key))
        for place, units in _list_other_units(after, key):
            if known.get(place) != units:
                name = version_of(after.version)
                text = f"version {name}: {noun} {place}: its unit is {units[0]}, and that of the newest is {units[1]}"
                where = after.version.place.at(key)
                facts: Mapping[str, Any] = {"old": where, "new": where, "direction": direction, "pointer": place}
                yield tool.change("UNIT_CHANGED", text, detail=f"version {name}{place}:unit", **facts)


def _list_other_units(translation: _Translation, key: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the places of a version whose unit is another one in the newest, with both units."""
    chain, newest = translation.steps(key), (translation.version, *translation.newer)[-1]
    for place, unit in _list_units(translation.version.node(key).inlined, ()):
        path: Tokens | None = place
        for steps in chain:
            path = None if path is None or _is_computed(steps, path) else _map_place(steps, path)
        found = {str(part[UNIT]) for part in schemas_at(newest.node(key).inlined, path or ()) if UNIT in part}
        if path and found and unit not in found:
            yield join_pointer("", *place), (unit, " or ".join(sorted(found)))


def _list_units(schema: Schema, path: Tokens) -> Iterator[tuple[Tokens, str]]:
    """Yield the places of a schema that name a unit."""
    if UNIT in schema:
        yield path, str(schema[UNIT])
    for name, part in as_object(schema.get("properties")).items():
        yield from _list_units(as_object(part), (*path, name))
    if isinstance(schema.get("items"), dict):
        yield from _list_units(schema["items"], (*path, EACH))
    for part in list_branches(schema):
        yield from _list_units(as_object(part), path)


def _is_computed(steps: Sequence[Step], path: Tokens) -> bool:
    """Return True if a lookup computes the value at a place."""
    return any(step.lookup and path[: len(step.source)] == step.source for step in steps)


def _map_place(steps: Sequence[Step], path: Tokens) -> Tokens | None:
    """Return a place of any item in the next version."""
    found = StepMapping(steps).map_path(tuple("0" if name == EACH else name for name in path))
    return found and tuple(EACH if name == "0" else name for name in found)


def _condition_changes(tool: ContractPair, before: _Translation, after: _Translation) -> Iterator[Change]:
    """Yield the conditions that calls of an older version break only now."""
    chain, name = after.steps("parameters"), version_of(after.version)
    schema: Schema = after.version.node("parameters").inlined
    for steps, newer in zip(chain, after.newer, strict=False):
        schema = map_schema(require_defaults(schema), steps, newer.node("parameters").inlined)
    computed = {join_pointer("", *step.target) for steps in chain for step in steps if step.lookup}
    held = (
        tool.old.read(Tool).conditions
        if before.newer
        else [_rename(each, chain) for each in tool.old.read(Tool).conditions]
    )
    for rule in tool.new.listed("conditions"):
        condition = rule.read(Condition)
        operands, described = condition.span or condition.ordered, name_condition(condition)
        if computed.isdisjoint(operands) and not is_implied(schema, condition, held):
            found = find_violation((schema, schema), held, condition, None)
            if found is not None:
                text = f"version {name}: its steps lead to arguments that break {described}"
                facts: Mapping[str, Any] = {"old": after.version.place, "new": rule.place, "direction": Direction.INPUT}
                yield tool.change(
                    "CONDITION_ADDED",
                    text,
                    detail=f"version {name} {described}",
                    lost_value=_take_back(found, chain),
                    **facts,
                )


def _rename(condition: Condition, chain: Sequence[Sequence[Step]]) -> Condition:
    """Return a condition of a version with its operands at their places in the newest."""
    pointers = condition.span or condition.ordered
    for steps in chain:
        pointers = tuple(StepMapping(steps).map_pointer(pointer) or pointer for pointer in pointers)
    return replace(condition, span=pointers) if condition.span else replace(condition, ordered=pointers)


def _take_back(arguments: Any, chain: Sequence[Sequence[Step]]) -> Any:
    """Return the arguments of a version from those that its steps lead to."""
    for steps in reversed(chain):
        back = StepMapping(invert(steps))
        rest, extracted = back.extract(arguments)
        arguments = back.insert(rest, extracted)
    return arguments
