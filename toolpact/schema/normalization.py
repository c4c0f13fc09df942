"""One value, one spelling: what a schema fills in and how it says integers, found out once and not for every value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from toolpact.json_values import JsonObject

Spelling: TypeAlias = Callable[[Any], Any]
"""Returns a valid value as its schema spells it; what it is given is not touched."""


def spelling(schema: Any) -> Spelling | None:
    """Return the spelling of *schema*, None where it leaves every value as it is; branches of anyOf and oneOf are left to the record."""
    if not isinstance(schema, dict):
        return None
    found = [*map(spelling, schema.get("allOf", ())), _objects(schema), _arrays(schema)]
    if is_integer(schema.get("type")):
        found.append(_whole)
    steps = [step for step in found if step]
    return partial(_in_turn, steps) if len(steps) > 1 else next(iter(steps), None)


def is_integer(types: Any) -> bool:
    """Return whether the *types* of a schema have integers and no other numbers."""
    return types == "integer" or (isinstance(types, list) and "integer" in types and "number" not in types)


def _in_turn(steps: Iterable[Spelling], value: Any) -> Any:
    for step in steps:
        value = step(value)
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value


def _objects(schema: JsonObject) -> Spelling | None:
    """Return how the objects of *schema* are spelled."""
    properties = schema.get("properties", {})
    objects = _Objects(
        members={name: member for name, declared in properties.items() if (member := spelling(declared))},
        declared=properties.keys(),
        others=spelling(schema.get("additionalProperties")),
        defaults={
            name: _default(declared)
            for name, declared in properties.items()
            if isinstance(declared, dict) and "default" in declared
        },
    )
    return objects.spelled if objects.members or objects.others or objects.defaults else None


@dataclass(frozen=True, slots=True)
class _Objects:
    """What the objects of a schema are spelled by."""

    members: Mapping[str, Spelling]
    """By the name of each declared member that has a spelling."""
    declared: AbstractSet[str]
    """The names of all that are declared."""
    others: Spelling | None
    """That of any other member."""
    defaults: Mapping[str, tuple[Any, bool]]
    """The default of each member that has one, and whether objects may share it."""

    def spelled(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        result = value.copy()
        for name, member in self.members.items():
            if name in result:
                result[name] = member(result[name])
        if self.others:
            for name in value.keys() - self.declared:
                result[name] = self.others(result[name])
        for name, (default, shared) in self.defaults.items():
            if name not in result:
                result[name] = default if shared else deepcopy(default)
        return result


def _default(schema: JsonObject) -> tuple[Any, bool]:
    """Return the default of *schema* as it is spelled, and whether objects may share it."""
    default, spelled = schema["default"], spelling(schema)
    return spelled(default) if spelled else default, not isinstance(default, dict | list)


def _arrays(schema: JsonObject) -> Spelling | None:
    """Return how the arrays of *schema* are spelled."""
    first = [spelling(part) for part in schema.get("prefixItems", ())]
    rest = spelling(schema.get("items"))
    if not (any(first) or rest):
        return None

    def spelled(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        places = [*first, *[rest] * (len(value) - len(first))]
        return [place(item) if place else item for place, item in zip(places, value, strict=False)]

    return spelled
