"""One page of a list, as a handler returns it and as a caller sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from runtime.values import JsonObject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list that was asked for by offset and limit."""

    items: Sequence[T]
    """The items of this page, in order."""
    total: int
    """How many items the whole list has."""


def paginated(items: list[Any], total: int, arguments: JsonObject) -> JsonObject:
    """Return the page as the contract's `returns` has it; *arguments* hold `offset` and `limit`."""
    offset, limit = arguments["offset"], arguments["limit"]
    has_more = offset + len(items) < total
    return {"items": items, "pagination": {"offset": offset, "limit": limit, "total": total, "has_more": has_more}}
