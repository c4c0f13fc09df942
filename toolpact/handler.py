"""Types that handlers use: pages of a list, provisional results, and progress of a call."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from toolpact.json_values import JsonObject

T_co = TypeVar("T_co", covariant=True)

_LOG = logging.getLogger(__name__)


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


class Progress(Protocol):
    """Hears how far a call is."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Take note that *done* of *total* is done, in any unit; *message* says what, in a sentence."""


async def unheard(_done: float, /, total: float | None = None, message: str | None = None) -> None:
    """Tell nobody."""


class Growth:
    """Tells *listener* how a call gets on, with secrets cut out by *hide*. The protocol wants each report to be further than the last.

    JSON has no word for numbers that are not finite: they are left out.
    """

    def __init__(self, listener: Progress, hide: Callable[[str], str]) -> None:
        self._listener = listener
        self._hide = hide
        self._last = -math.inf

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the call is. Raises nothing: a caller who cannot be told still wants the result."""
        if not self._last < done < math.inf:
            return
        self._last = done
        known = total if total is not None and math.isfinite(total) else None
        try:
            await self._listener(done, known, None if message is None else self._hide(message))
        except Exception:
            _LOG.warning("progress could not be told", exc_info=True)


@dataclass(frozen=True, slots=True)
class Provisional(Generic[T_co]):
    """A result that may soon be another one for the same arguments, such as a bar of today.

    It is answered like any other, and kept for the contract's `provisional_ttl_s`.
    """

    result: T_co
    """What the handler would return otherwise."""
