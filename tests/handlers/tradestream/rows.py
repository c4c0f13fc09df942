"""Rows that tests write, and lists that they read page by page."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

from toolaccord import Page
from toolaccord.call.serialization import encode_rows
from toolaccord.sources.postgresql import Row, Statements

T = TypeVar("T")
Record = TypeVar("Record", bound=BaseModel)


async def insert(postgres: Statements, table: str, /, **values: Any) -> Row:
    """Write a row of *table*, and return it whole."""
    places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    row = await postgres.fetch_one(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places}) RETURNING *", *values.values()
    )
    assert row is not None
    return row


async def walk(read: Callable[[int, int], Awaitable[Page[T]]], limits: Iterable[int]) -> tuple[list[T], set[int]]:
    """Read a list page by page, each with the next of *limits*; return all items and the totals."""
    items: list[T] = []
    totals: set[int] = set()
    for limit in limits:
        page = await read(limit, len(items))
        totals.add(page.total)
        assert len(page.items) == min(limit, page.total - len(items))
        items += page.items
        if len(items) == page.total:
            break
    return items, totals


def to_record(model: type[Record], row: Any) -> Record:
    """Return a row of a query as the record that a caller gets of it."""
    values = {name: value for name, value in row._asdict().items() if value is not None}
    return model.model_validate(orjson.loads(encode_rows(values, nullable=False)))


def to_records(model: type[Record], page: Page[Any]) -> Page[Record]:
    """Return a page of rows as the records that a caller gets."""
    return Page([to_record(model, row) for row in page.items], page.total)
