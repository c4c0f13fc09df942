"""One page of a list, as a handler returns it and as a caller sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from runtime.values import JsonObject

T_co = TypeVar("T_co", covariant=True)

Row: TypeAlias = Mapping[str, Any]
"""An item as a driver gives it: values by the contract's names.

Its values are spelled as a record's would be, and none is converted: a text of digits stays a text. Members that it lacks get no
defaults. An asyncpg Record is no mapping; `dict(record)` is one.
"""


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """Some items of a list that was asked for by offset and limit."""

    items: Sequence[T_co]
    """The items of this page, in order: records of the contract's model, or rows."""
    total: int
    """How many items the whole list has."""


def paginated(items: list[Any], total: int, arguments: JsonObject) -> JsonObject:
    """Return the page as the contract's `returns` has it; *arguments* hold `offset` and `limit`."""
    offset, limit = arguments["offset"], arguments["limit"]
    has_more = offset + len(items) < total
    return {"items": items, "pagination": {"offset": offset, "limit": limit, "total": total, "has_more": has_more}}
