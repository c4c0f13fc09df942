"""Rules between arguments that a schema cannot say: order and distance of two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from toolpact.declarations.tool import Ordered, Span
from toolpact.json_values import JsonObject, tokens
from toolpact.schema.violations import Violation

Place: TypeAlias = Callable[[str], str | None]
"""Says what the caller calls a place in the arguments; None where it has no name for it."""


def broken(
    conditions: Iterable[Ordered | Span], arguments: JsonObject, place: Place = str
) -> list[tuple[str, Violation]]:
    """Return the code and the violation of each rule that valid *arguments* break, with every *place* as the caller calls it.

    Operands are numbers, dates or date-times (a date is its first moment in UTC). An absent operand skips its rule.
    """
    return [
        (condition.code, violation)
        for condition in conditions
        if (violation := _violation(condition, arguments, place)) is not None
    ]


def _violation(condition: Ordered | Span, arguments: JsonObject, place: Place) -> Violation | None:
    first, second = condition.pointers
    earlier, later = _operand(arguments, first), _operand(arguments, second)
    if earlier is None or later is None:
        return None
    if isinstance(condition, Span):
        if later - earlier > condition.at_most:
            said = f"must be within {_said(condition.at_most)} of {place(first) or first}"
            return Violation(place(second) or "", "span", said)
        return None
    if earlier > later or (condition.strict and earlier == later):
        relation = "before" if condition.strict else "before or equal to"
        return Violation(place(first) or "", "ordered", f"must be {relation} {place(second) or second}")
    return None


def _said(span: timedelta) -> str:
    return f"{span.total_seconds():g} seconds" if span % timedelta(days=1) else f"{span.days} days"


def _operand(arguments: Any, pointer: str) -> Any:
    """Return what *pointer* names, in a form that can be compared and subtracted; None where there is nothing."""
    for name in tokens(pointer):
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name)
    if not isinstance(arguments, str):
        return arguments
    moment = datetime.fromisoformat(arguments.upper())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
