"""Equality of JSON values as JSON Schema has it: 1 is 1.0, and `true` is not 1."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class SameValue:
    """A JSON value as a key: only the same object is the same key, however large it is.

    What is kept by such a key holds for as long as the value does not change.
    """

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameValue) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def equal_json(one: Any, other: Any) -> bool:
    """Return True if two JSON values are equal. The order of an object's members does not count."""
    if one is other:
        return True
    if one != other:  # Python finds every difference except that between a boolean and a number
        return False
    if isinstance(one, dict):
        return all(equal_json(part, other[name]) for name, part in one.items())
    if isinstance(one, list):
        return all(map(equal_json, one, other))
    return isinstance(one, bool) is isinstance(other, bool)


def contains_json(values: Iterable[Any], value: Any) -> bool:
    """Return True if a JSON value is among others."""
    return any(equal_json(each, value) for each in values)


def distinct_json(values: Iterable[Value]) -> list[Value]:
    """Return JSON values without repetitions, in their order."""
    found: list[Value] = []
    for value in values:
        if not contains_json(found, value):
            found.append(value)
    return found


def canonical_json(value: Any) -> str:
    """Return the same text for values that are equal."""
    return json.dumps(normalize_number(value), sort_keys=True)


def normalize_number(value: Any) -> Any:
    """Return a value in which whole numbers are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: normalize_number(part) for key, part in value.items()}
    return [normalize_number(part) for part in value] if isinstance(value, list) else value
