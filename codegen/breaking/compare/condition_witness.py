"""Find arguments that violate a new condition but no old one."""

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

MAX_CANDIDATES = 200
"""Values tried for an argument."""
MOMENTS = {
    "date": ("2026-01-31", "2026-02-01", "2026-03-31", "2020-01-01", "1990-01-01"),
    "date-time": ("2026-01-31T00:00:00Z", "2026-01-31T00:00:01Z", "2026-03-31T00:00:00Z", "2020-01-01T00:00:00Z"),
}


def find_violation(
    parameters: tuple[Schema, Schema], before: Sequence[Any], condition: Any, hint: Any
) -> dict[str, Any] | None:
    """Return arguments that violate a condition and satisfy all conditions *before*, or None.

    The old and the new parameters both admit them.
    """
    old, new = parameters
    pointers = _operands(condition)
    choices = [_candidates(old, pointer, condition) for pointer in pointers]
    minimal = as_object(minimal_value(old, hint))
    for values in product(*choices):
        arguments = minimal
        for pointer, value in zip(pointers, values, strict=True):
            arguments = _with_value(arguments, split_pointer(pointer), value)
        fits = admits(old, arguments) and admits(new, arguments)
        if (
            fits
            and not _is_satisfied(condition, arguments)
            and all(_is_satisfied(other, arguments) for other in before)
        ):
            return arguments
    return None


def _operands(condition: Any) -> list[str]:
    """Return the pointers of the two arguments that a condition compares."""
    condition = as_object(condition)
    return [str(pointer) for pointer in as_array(condition.get("span") or condition.get("ordered"))]


def _candidates(schema: Schema, pointer: str, condition: Any) -> list[Any]:
    """Return values of an argument, among them one just beyond the condition's limit."""
    part = schema
    for name in split_pointer(pointer):
        part = as_object(as_object(part.get("properties")).get(name))
    moments = MOMENTS.get(str(part.get("format")), ())
    too_late = [_after_limit(moments[0], str(condition["at_most"]))] if moments and "span" in condition else []
    return [*moments, *too_late, *islice(boundary_values(part, []), MAX_CANDIDATES)][:MAX_CANDIDATES] if part else []


def _after_limit(first: str, at_most: str) -> str:
    """Return a date or time that exceeds a duration after another one."""
    found = (_parse_moment(first) + timedelta(days=1, seconds=parse_duration(at_most))).isoformat()
    return found.replace("+00:00", "Z") if "T" in first else found[: len(first)]


def _with_value(value: dict[str, Any], names: Sequence[str], leaf: Any) -> dict[str, Any]:
    """Return a copy of an object with a value at a path."""
    first, *rest = names
    return {**value, first: _with_value(as_object(value.get(first)), rest, leaf) if rest else leaf}


def _is_satisfied(condition: Any, arguments: dict[str, Any]) -> bool:
    """Return True if arguments satisfy a condition.

    Absent and incomparable operands satisfy it.
    """
    found = [_as_number(arguments, pointer) for pointer in _operands(condition)]
    if len(found) != 2 or None in found:
        return True
    first, second = (float(number or 0) for number in found)
    condition = as_object(condition)
    if "span" in condition:
        return second - first <= parse_duration(str(condition.get("at_most")))
    return first < second or (first == second and condition.get("strict") is not True)


def _as_number(arguments: dict[str, Any], pointer: str) -> float | None:
    """Return an argument as a number, or None. Dates and times become seconds."""
    value: Any = arguments
    for name in split_pointer(pointer):
        value = as_object(value).get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    with suppress(ValueError, TypeError):
        return _parse_moment(value).timestamp()
    return None


def _parse_moment(value: Any) -> datetime:
    """Parse a date or a time, in UTC if it has no zone.

    Raises ValueError and TypeError.
    """
    if len(value) == len("2026-01-31"):
        day = date.fromisoformat(value)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    read = datetime.fromisoformat(value)
    return read if read.tzinfo else read.replace(tzinfo=UTC)
