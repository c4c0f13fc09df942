"""The charts of a result: which members they draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolaccord.semantics.json_pointers import split_pointer

ANY_ITEM = "*"


@dataclass(frozen=True, slots=True)
class Column:
    """A member of each item of a result."""

    pointer: str
    """The place of the member in the structured result; `*` is every item of an array."""
    label: str
    format: str
    """Its format in a view: number, integer, date, date-time and others."""

    @property
    def is_number(self) -> bool:
        """Return whether its values are numbers."""
        return self.format in {"number", "integer"}

    @property
    def is_time(self) -> bool:
        """Return whether its values are dates or times."""
        return self.format in {"date", "date-time"}

    def read(self, body: Any) -> list[Any]:
        """Return its values in a result; None where an item lacks it."""
        return list(_find(body, split_pointer(self.pointer)))


def _find(value: Any, keys: Sequence[str]) -> Iterator[Any]:
    if not keys:
        yield value
        return
    key, rest = keys[0], keys[1:]
    if key == ANY_ITEM:
        for item in value if isinstance(value, list) else ():
            yield from _find(item, rest)
    elif ANY_ITEM not in rest or isinstance(value, dict):
        yield from _find(value.get(key) if isinstance(value, dict) else None, rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandlesChart:
    """A chart of candles."""

    title: str
    time: Column
    prices: Sequence[Column]
    """Those of open, high, low and close."""
    volume: Column | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesChart:
    """A chart of curves on one scale."""

    title: str
    x: Column
    lines: Sequence[Column]
    areas: Sequence[Column] = ()
    edges: Sequence[Column] = ()
    """Edges of bands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsChart:
    """A chart of bars."""

    title: str
    label: Column
    values: Sequence[Column]


Chart: TypeAlias = CandlesChart | LinesChart | BarsChart


@dataclass(frozen=True, slots=True)
class Plan:
    """The charts of a tool's results."""

    charts: Sequence[Chart]
    left_out: Sequence[str] = ()
    """Names of numbers that no chart shows."""
