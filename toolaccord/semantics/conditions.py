"""Conditions that JSON Schema cannot express: order and distance of two arguments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeAlias

from toolaccord.semantics.json_pointers import split_pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The condition that the first of two arguments does not come after the second."""

    keyword: ClassVar[str] = "ordered"

    pointers: tuple[str, str]
    """The earlier and the later argument."""
    strict: bool
    """True if equal values break the condition."""
    code: str
    """The code of an error that the tool declares."""

    @property
    def blamed_pointer(self) -> str:
        """The argument that a violation names: the earlier one."""
        return self.pointers[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The condition that two arguments are not further apart than a limit."""

    keyword: ClassVar[str] = "span"

    pointers: tuple[str, str]
    """The earlier and the later argument."""
    at_most: timedelta
    """The longest distance."""
    code: str
    """The code of an error that the tool declares."""

    @property
    def blamed_pointer(self) -> str:
        """The argument that a violation names: the later one."""
        return self.pointers[1]


Condition: TypeAlias = Ordered | Span


def is_broken(condition: Condition, arguments: Any) -> bool:
    """Return whether valid *arguments* break a condition; one with an absent operand holds.

    Operands are numbers, dates or date-times; a date counts as its first moment in UTC. Raises TypeError or ValueError
    for operands that cannot be compared.
    """
    first, second = condition.pointers
    earlier, later = _operand(arguments, first), _operand(arguments, second)
    if earlier is None or later is None:
        return False
    if isinstance(condition, Span):
        return bool(later - earlier > condition.at_most)
    return bool(earlier > later or (condition.strict and earlier == later))


def _operand(arguments: Any, pointer: str) -> Any:
    """Return the value at *pointer* as a number or an aware datetime; None if it is absent."""
    for name in split_pointer(pointer):
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name)
    if not isinstance(arguments, str):
        return arguments
    moment = datetime.fromisoformat(arguments.upper())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
