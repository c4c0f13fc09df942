"""Rules between arguments, evaluated: arguments that kept to all of them and do no longer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import islice, product
from typing import Any

from codegen.loading.documents import split_pointer
from codegen.loading.durations import parse_duration
from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import Schema
from codegen.schema_sets.containment import admits
from codegen.schema_sets.samples import boundary_values, minimal_value

MOST = 200
"""Values tried for an argument."""
MOMENTS = {
    "date": ("2026-01-31", "2026-02-01", "2026-03-31", "2020-01-01", "1990-01-01"),
    "date-time": ("2026-01-31T00:00:00Z", "2026-01-31T00:00:01Z", "2026-03-31T00:00:00Z", "2020-01-01T00:00:00Z"),
}


def crossing(parameters: tuple[Schema, Schema], before: Sequence[Any], rule: Any, hint: Any) -> dict[str, Any] | None:
    """Arguments that old and new parameters admit, that keep to the rules of before, and break a rule; None if none is found."""
    old, new = parameters
    pointers = operands(rule)
    choices = [values(old, pointer, rule) for pointer in pointers]
    least = as_object(minimal_value(old, hint))
    for pair in product(*choices):
        arguments = least
        for pointer, value in zip(pointers, pair, strict=True):
            arguments = placed(arguments, split_pointer(pointer), value)
        fits = admits(old, arguments) and admits(new, arguments)
        if fits and not holds(rule, arguments) and all(holds(other, arguments) for other in before):
            return arguments
    return None


def operands(rule: Any) -> list[str]:
    """The pointers of the two arguments that a rule is about."""
    said = as_object(rule)
    return [str(pointer) for pointer in as_array(said.get("span") or said.get("ordered"))]


def values(schema: Schema, pointer: str, rule: Any) -> list[Any]:
    """Values of an argument, among them one that is a little too late for a rule."""
    part = schema
    for name in split_pointer(pointer):
        part = as_object(as_object(part.get("properties")).get(name))
    moments = MOMENTS.get(str(part.get("format")), ())
    late = [too_late(moments[0], str(rule["at_most"]))] if moments and "span" in rule else []
    return [*moments, *late, *islice(boundary_values(part, []), MOST)][:MOST] if part else []


def too_late(first: str, at_most: str) -> str:
    """A day, or a moment, that lies more than a duration after another."""
    found = (moment(first) + timedelta(days=1, seconds=parse_duration(at_most))).isoformat()
    return found.replace("+00:00", "Z") if "T" in first else found[: len(first)]


def placed(value: dict[str, Any], names: Sequence[str], leaf: Any) -> dict[str, Any]:
    """A copy of an object with a value at a place."""
    first, *rest = names
    return {**value, first: placed(as_object(value.get(first)), rest, leaf) if rest else leaf}


def holds(rule: Any, arguments: dict[str, Any]) -> bool:
    """Whether arguments keep to a rule; one whose operands are absent, or cannot be compared, is kept."""
    found = [measure(arguments, pointer) for pointer in operands(rule)]
    if len(found) != 2 or None in found:
        return True
    first, second = (float(number or 0) for number in found)
    said = as_object(rule)
    if "span" in said:
        return second - first <= parse_duration(str(said.get("at_most")))
    return first < second or (first == second and said.get("strict") is not True)


def measure(arguments: dict[str, Any], pointer: str) -> float | None:
    """An argument as a number: seconds where it is a moment or a day; None where it is absent or neither."""
    value: Any = arguments
    for name in split_pointer(pointer):
        value = as_object(value).get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    with suppress(ValueError, TypeError):
        return moment(value).timestamp()
    return None


def moment(value: Any) -> datetime:
    """A day or a moment, in UTC where it says nothing of a zone.

    Raises ValueError and TypeError.
    """
    if len(value) == len("2026-01-31"):
        day = date.fromisoformat(value)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    read = datetime.fromisoformat(value)
    return read if read.tzinfo else read.replace(tzinfo=UTC)
