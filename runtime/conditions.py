"""Rules between arguments that a schema cannot say: order and distance of two of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from runtime.tool import Ordered, Span
from runtime.values import JsonObject
from runtime.violations import Violation


def broken(conditions: Iterable[Ordered | Span], arguments: JsonObject) -> list[tuple[str, Violation]]:
    """Return the code and the violation of each rule that valid *arguments* break.

    Operands are numbers, dates or date-times (a date is its first moment in UTC). An absent operand skips its rule.
    """
    return [
        (condition.code, violation)
        for condition in conditions
        if (violation := _violation(condition, arguments)) is not None
    ]


def _violation(condition: Ordered | Span, arguments: JsonObject) -> Violation | None:
    first, second = condition.pointers
    earlier, later = _operand(arguments, first), _operand(arguments, second)
    if earlier is None or later is None:
        return None
    if isinstance(condition, Span):
        if later - earlier > condition.at_most:
            return Violation(second, "span", f"must be within {_said(condition.at_most)} of {first}")
        return None
    if earlier > later or (condition.strict and earlier == later):
        relation = "before" if condition.strict else "before or equal to"
        return Violation(first, "ordered", f"must be {relation} {second}")
    return None


def _said(span: timedelta) -> str:
    return f"{span.total_seconds():g} seconds" if span % timedelta(days=1) else f"{span.days} days"


def _operand(arguments: Any, pointer: str) -> Any:
    """Return what *pointer* names, in a form that can be compared and subtracted; None where there is nothing."""
    for name in pointer.split("/")[1:]:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name.replace("~1", "/").replace("~0", "~"))
    if not isinstance(arguments, str):
        return arguments
    moment = datetime.fromisoformat(arguments.upper())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
