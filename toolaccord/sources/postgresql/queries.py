"""Queries of SQL files, with typed rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from toolaccord.handler import Page
from toolaccord.semantics.sql_templates import Statement, Template, Variant, parse_template
from toolaccord.sources.postgresql.api import PostgresqlError, Statements
from toolaccord.sources.postgresql.session import is_finite

R = TypeVar("R")
_PAGE_COLUMNS = 2
"""Columns before those of the query: `total` and `ordinal`."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """A query of a SQL file.

    Its methods raise PostgresqlError, also for NaN and infinity, which JSON lacks.
    """

    text: str
    """The template of its statements."""
    make: Callable[[Iterable[Any]], R]
    """Makes a row of the values of its columns."""
    finite: tuple[int, ...] = ()
    """The indexes of the columns whose values may be NaN or infinite."""

    async def many(self, statements: Statements, values: Mapping[str, Any]) -> list[R]:
        """Return all rows."""
        return self._make(await self._fetch(statements, values))

    async def one(self, statements: Statements, values: Mapping[str, Any]) -> R | None:
        """Return the first row, or None."""
        return next(iter(await self.many(statements, values)), None)

    async def single(self, statements: Statements, values: Mapping[str, Any]) -> R:
        """Return the only row. Raises PostgresqlError without one, and for several."""
        rows = await self.many(statements, values)
        if len(rows) != 1:
            found = f"a query that is declared as :single has {len(rows)} rows; declare it as :one or :many"
            raise PostgresqlError(found, reason=found)
        return rows[0]

    async def execute(self, statements: Statements, values: Mapping[str, Any]) -> None:
        """Run the statement, and return nothing."""
        await self.many(statements, values)

    async def page(self, statements: Statements, values: Mapping[str, Any]) -> Page[R]:
        """Return the rows that *limit* and *offset* select, and the number of all."""
        records = await self._fetch(statements, values, is_page=True)
        items = [record[_PAGE_COLUMNS:] for record in records if record[1] is not None]
        return Page(self._make(items), records[0][0])

    async def _fetch(
        self, statements: Statements, values: Mapping[str, Any], *, is_page: bool = False
    ) -> Sequence[Sequence[Any]]:
        """Return what the statement for *values* gives."""
        statement = _build(self.text, _choose(parse_template(self.text), values), is_page=is_page)
        return await statements.fetch_values(statement.sql, *(values[name] for name in statement.parameters))

    def _make(self, records: Sequence[Sequence[Any]]) -> list[R]:
        """Return rows. Raises PostgresqlError for NaN and infinity."""
        for index in self.finite:
            for record in records:
                if not is_finite(record[index]):
                    found = f"column {index + 1} holds NaN or infinity; nullif in the statement makes it null"
                    raise PostgresqlError(found, reason=found)
        return [*map(self.make, records)]


def first_value(record: Iterable[Any]) -> Any:
    """Return the value of a record with one column."""
    return next(iter(record))


def _choose(template: Template, values: Mapping[str, Any]) -> Variant:
    """Return the variant for *values*: a line stays where its optional parameters have values.

    Raises ValueError for a choice that no line names: without all of them, nobody has proved the statement.
    """
    for name, choices in template.choices.items():
        if values[name] not in choices:
            raise ValueError(f"{name} is none of {', '.join(choices)}")
    given = frozenset(name for name in template.optional if values[name] is not None)
    return Variant(given, tuple(values[name] for name in template.choices))


@lru_cache(maxsize=4096)
def _build(text: str, variant: Variant, *, is_page: bool) -> Statement:
    """Return a statement of a template, which each later call with this choice finds here."""
    template = parse_template(text)
    return template.build_page(variant) if is_page else template.build(variant)
