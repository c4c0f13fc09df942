"""Normalisation of valid values: defaults are filled in, and equal values get one form.

`5.0` becomes the integer `5`, and an instant its text in UTC: `2026-11-21T15:00:00+03:00` is `2026-11-21T12:00:00Z`.

A schema is compiled once into a function that visits only the places it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, TypeAlias

Normaliser: TypeAlias = Callable[[Any], Any]
"""Returns a valid value normalised; its argument is not changed."""
InstantUnit: TypeAlias = Literal["second", "minute", "hour", "day"]
"""A unit of time to which instants are rounded."""
_SMALLER_PARTS: Mapping[InstantUnit, tuple[str, ...]] = {
    "second": ("microsecond",),
    "minute": ("second", "microsecond"),
    "hour": ("minute", "second", "microsecond"),
    "day": ("hour", "minute", "second", "microsecond"),
}


def compile_normaliser(schema: Any) -> Normaliser | None:
    """Return the normaliser of *schema*; None if it changes no value.

    The branches of anyOf and oneOf are left to the record's model.
    """
    if not isinstance(schema, dict):
        return None
    steps = [*map(compile_normaliser, schema.get("allOf", ())), _object_normaliser(schema), _array_normaliser(schema)]
    if is_integer(schema.get("type")):
        steps.append(_to_integer)
    if schema.get("format") == "date-time":
        steps.append(_to_utc)
    found = [step for step in steps if step]
    return partial(_apply_all, found) if len(found) > 1 else next(iter(found), None)


def is_integer(types: Any) -> bool:
    """Return whether the *types* of a schema include integers and no other numbers."""
    return types == "integer" or (isinstance(types, list) and "integer" in types and "number" not in types)


def _apply_all(steps: Iterable[Normaliser], value: Any) -> Any:
    for step in steps:
        value = step(value)
    return value


def _to_integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value


def _to_utc(value: Any) -> Any:
    """Return the text of an instant in UTC, with as many digits as a `datetime` holds.

    A text that none can hold, such as a leap second, is returned as it is.
    """
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError):
        return value


def round_down(instant: Any, unit: InstantUnit) -> Any:
    """Return a normalised *instant* at the begin of its *unit* in UTC; any other value as it is."""
    try:
        moment = datetime.fromisoformat(instant)
    except (TypeError, ValueError):
        return instant
    begin: Any = dict.fromkeys(_SMALLER_PARTS[unit], 0)
    return _to_utc(moment.replace(**begin).isoformat())


def _object_normaliser(schema: Mapping[str, Any]) -> Normaliser | None:
    """Return the normaliser of the objects of *schema*."""
    properties = schema.get("properties", {})
    objects = _Objects(
        members={name: member for name, declared in properties.items() if (member := compile_normaliser(declared))},
        declared=properties.keys(),
        others=compile_normaliser(schema.get("additionalProperties")),
        defaults={
            name: _default(declared)
            for name, declared in properties.items()
            if isinstance(declared, dict) and "default" in declared
        },
    )
    return objects.normalise if objects.members or objects.others or objects.defaults else None


@dataclass(frozen=True, slots=True)
class _Objects:
    """The normalisers and defaults of the objects of a schema."""

    members: Mapping[str, Normaliser]
    """By the name of each declared member that has a normaliser."""
    declared: AbstractSet[str]
    """The names of all declared members."""
    others: Normaliser | None
    """The normaliser of every other member."""
    defaults: Mapping[str, tuple[Any, bool]]
    """The default of each member that has one; True if objects may share it."""

    def normalise(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        result = value.copy()
        for name, normalise in self.members.items():
            if name in result:
                result[name] = normalise(result[name])
        if self.others:
            for name in value.keys() - self.declared:
                result[name] = self.others(result[name])
        for name, (default, shared) in self.defaults.items():
            if name not in result:
                result[name] = default if shared else deepcopy(default)
        return result


def _default(schema: Mapping[str, Any]) -> tuple[Any, bool]:
    """Return the normalised default of *schema*, and whether objects may share it."""
    default, normalise = schema["default"], compile_normaliser(schema)
    return normalise(default) if normalise else default, not isinstance(default, dict | list)


def _array_normaliser(schema: Mapping[str, Any]) -> Normaliser | None:
    """Return the normaliser of the arrays of *schema*."""
    first = [compile_normaliser(part) for part in schema.get("prefixItems", ())]
    rest = compile_normaliser(schema.get("items"))
    if not (any(first) or rest):
        return None

    def normalise_array(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        steps = [*first, *[rest] * (len(value) - len(first))]
        return [step(item) if step else item for step, item in zip(steps, value, strict=False)]

    return normalise_array
