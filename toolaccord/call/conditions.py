"""Violations of the conditions between a tool's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TypeAlias

from toolaccord.json_values import JsonObject
from toolaccord.schema.violations import Violation
from toolaccord.semantics.conditions import Condition, Span, is_broken

RenamePointer: TypeAlias = Callable[[str], str | None]
"""Translates a JSON pointer into the caller's version.

Returns None for a place that this version does not have.
"""


def broken_conditions(
    conditions: Iterable[Condition], arguments: JsonObject, rename: RenamePointer = str
) -> list[tuple[str, Violation]]:
    """Return the error code and the violation of each condition that valid *arguments* break.

    *rename* translates the pointers of the violations.
    """
    return [
        (condition.code, _violation(condition, rename)) for condition in conditions if is_broken(condition, arguments)
    ]


def _violation(condition: Condition, rename: RenamePointer) -> Violation:
    first, second = (rename(pointer) or pointer for pointer in condition.pointers)
    if isinstance(condition, Span):
        message = f"must be within {_duration(condition.at_most)} of {first}"
    else:
        message = f"must be {'before' if condition.strict else 'before or equal to'} {second}"
    return Violation(rename(condition.blamed_pointer) or "", condition.keyword, message)


def _duration(span: timedelta) -> str:
    return f"{span.total_seconds():g} seconds" if span % timedelta(days=1) else f"{span.days} days"
