"""Conditions that JSON Schema cannot express: order and distance of two arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from toolpact.declarations.tool import Ordered, Span
from toolpact.json_values import JsonObject, tokens
from toolpact.schema.violations import Violation

RenamePointer: TypeAlias = Callable[[str], str | None]
"""Translates a JSON pointer into the caller's version.

Returns None for a place that this version does not have.
"""


def broken_conditions(
    conditions: Iterable[Ordered | Span], arguments: JsonObject, rename: RenamePointer = str
) -> list[tuple[str, Violation]]:
    """Return the error code and the violation of each condition that valid *arguments* break.

    Operands are numbers, dates or date-times; a date counts as its first moment in UTC. A condition with an absent
    operand holds. *rename* translates the pointers of the violations.
    """
    return [
        (condition.code, violation)
        for condition in conditions
        if (violation := _violation(condition, arguments, rename)) is not None
    ]


def _violation(condition: Ordered | Span, arguments: JsonObject, rename: RenamePointer) -> Violation | None:
    first, second = condition.pointers
    earlier, later = _operand(arguments, first), _operand(arguments, second)
    if earlier is None or later is None:
        return None
    if isinstance(condition, Span):
        if later - earlier > condition.at_most:
            message = f"must be within {_duration(condition.at_most)} of {rename(first) or first}"
            return Violation(rename(second) or "", "span", message)
        return None
    if earlier > later or (condition.strict and earlier == later):
        relation = "before" if condition.strict else "before or equal to"
        return Violation(rename(first) or "", "ordered", f"must be {relation} {rename(second) or second}")
    return None


def _duration(span: timedelta) -> str:
    return f"{span.total_seconds():g} seconds" if span % timedelta(days=1) else f"{span.days} days"


def _operand(arguments: Any, pointer: str) -> Any:
    """Return the value at *pointer* as a number or an aware datetime; None if it is absent."""
    for name in tokens(pointer):
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name)
    if not isinstance(arguments, str):
        return arguments
    moment = datetime.fromisoformat(arguments.upper())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
