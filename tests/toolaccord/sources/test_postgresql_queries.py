"""Queries of SQL files on a real PostgreSQL: each kind, faults, and a double in its place."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from toolaccord import Page
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, PostgresqlSource, Row
from toolaccord.sources.postgresql.queries import Query, first_value
from toolaccord.testing import FakePostgresql
from toolaccord.timing.clock import SystemClock

TABLE = "CREATE TABLE items (id integer PRIMARY KEY, title text NOT NULL, score float8, tags jsonb NOT NULL, at timestamptz)"
ROWS = """
INSERT INTO items SELECT n, 'Item ' || n, n / 2.0, jsonb_build_object('n', n), NULL FROM generate_series(1, 5) AS n
"""


class ItemRow(NamedTuple):
    """A row of items."""

    id: int
    title: str


ITEMS = Query("SELECT id, title FROM items\nWHERE id >= :least?\nORDER BY id", ItemRow._make)
SORTED = Query(
    "SELECT id, title FROM items\nORDER BY id DESC -- when :sort = newest\nORDER BY title -- when :sort = title",
    ItemRow._make,
)
ADD = Query(
    "INSERT INTO items VALUES (:id, :title, NULL, :tags) ON CONFLICT DO NOTHING RETURNING id, title", ItemRow._make
)
DELETE: Query[None] = Query("DELETE FROM items WHERE id = :id", first_value)
TITLE: Query[str] = Query("SELECT title FROM items WHERE id = :id", first_value)
TAGS: Query[Any] = Query("SELECT tags FROM items ORDER BY id", first_value)


@pytest.fixture
async def postgres(empty_postgres_url: str) -> AsyncIterator[Postgresql]:
    source = PostgresqlSource(name="postgres", url="url").open({"url": empty_postgres_url}, SystemClock())
    await source.fetch(TABLE)
    await source.fetch(ROWS)
    yield source
    await source.close()


# --- kinds ------------------------------------------------------------------------------------------------------------


async def test_many_returns_all_rows_in_their_class(postgres: Postgresql) -> None:
    rows = await ITEMS.many(postgres, {"least": 4})
    assert rows == [ItemRow(4, "Item 4"), ItemRow(5, "Item 5")]
    assert {type(row) for row in rows} == {ItemRow}
    assert len(await ITEMS.many(postgres, {"least": None})) == 5


async def test_keys_read_on_where_rows_come_in_between(postgres: Postgresql) -> None:
    below = Query(
        "SELECT id, title FROM items WHERE true\n  AND (id, title) < (:last_id?, :last_title?)\nORDER BY id DESC LIMIT 2",
        ItemRow._make,
    )
    read, last = [], ItemRow(6, "")
    while rows := await below.many(postgres, {"last_id": last.id, "last_title": last.title}):
        read += [row.id for row in rows]
        last = rows[-1]
        await ADD.one(postgres, {"id": 10 + last.id, "title": "New", "tags": {}})
    assert read == [5, 4, 3, 2, 1]


async def test_one_returns_the_first_row_or_none(postgres: Postgresql) -> None:
    assert await ITEMS.one(postgres, {"least": 2}) == ItemRow(2, "Item 2")
    assert await ITEMS.one(postgres, {"least": 9}) is None


async def test_single_returns_the_row_that_a_change_returns(postgres: Postgresql) -> None:
    new = {"id": 6, "title": "New", "tags": {"n": [None]}}
    assert await ADD.single(postgres, new) == ItemRow(6, "New")
    with pytest.raises(PostgresqlError, match="declared as :single has 0 rows") as caught:
        await ADD.single(postgres, new)
    assert "declare it as :one" in caught.value.why
    assert not caught.value.is_outage


async def test_a_choice_that_no_line_names_is_no_statement(postgres: Postgresql) -> None:
    for other in ("oldest", None):
        with pytest.raises(ValueError, match="sort is none of newest, title"):
            await SORTED.many(postgres, {"sort": other})


async def test_single_rejects_several_rows(postgres: Postgresql) -> None:
    with pytest.raises(PostgresqlError, match=r"declared as :single has \d+ rows"):
        await Query("SELECT 1 AS n UNION SELECT 2", first_value).single(postgres, {})


async def test_execute_returns_nothing(postgres: Postgresql) -> None:
    assert await DELETE.execute(postgres, {"id": 1}) is None  # type: ignore[func-returns-value]
    assert await TITLE.one(postgres, {"id": 1}) is None


async def test_a_row_of_one_column_is_its_value_and_json_is_decoded(postgres: Postgresql) -> None:
    assert await TITLE.single(postgres, {"id": 1}) == "Item 1"
    assert await TAGS.many(postgres, {}) == [{"n": n} for n in range(1, 6)]


@pytest.mark.parametrize(
    "least, limit, offset, ids, total",
    [
        (None, 2, 0, [1, 2], 5),
        (None, 2, 4, [5], 5),
        (4, 10, 1, [5], 2),
        (None, 2, 5, [], 5),
        (4, 2, 1_000_000, [], 2),
        (9, 2, 0, [], 0),
    ],
)
async def test_a_page_has_its_rows_and_the_number_of_all_also_past_the_last_one(
    postgres: Postgresql, least: int | None, limit: int, offset: int, ids: list[int], total: int
) -> None:
    page = await ITEMS.page(postgres, {"least": least, "limit": limit, "offset": offset})
    assert page == Page([ItemRow(each, f"Item {each}") for each in ids], total)


async def test_a_choice_of_lines_orders_the_rows(postgres: Postgresql) -> None:
    await ADD.execute(postgres, {"id": 0, "title": "Zero", "tags": {}})
    newest = await SORTED.page(postgres, {"sort": "newest", "limit": 1, "offset": 0})
    by_title = await SORTED.many(postgres, {"sort": "title"})
    assert (newest.items, by_title[-1]) == ([ItemRow(5, "Item 5")], ItemRow(0, "Zero"))


async def delete_first_and_fail(postgres: Postgresql) -> None:
    async with postgres.transaction() as statements:
        await DELETE.execute(statements, {"id": 1})
        assert await TITLE.one(statements, {"id": 1}) is None
        await TITLE.single(statements, {"id": 1})


async def test_queries_of_a_transaction_take_effect_together_or_not(postgres: Postgresql) -> None:
    with pytest.raises(PostgresqlError, match="has 0 rows"):
        await delete_first_and_fail(postgres)
    assert await TITLE.one(postgres, {"id": 1}) == "Item 1"


async def test_a_value_never_becomes_sql(postgres: Postgresql) -> None:
    hostile = "'; DROP TABLE items; --"
    await ADD.execute(postgres, {"id": 7, "title": hostile, "tags": {}})
    assert await TITLE.one(postgres, {"id": 7}) == hostile


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "'NaN'::float8",
        "'-Infinity'::float4",
        "'NaN'::numeric",
        "'infinity'::numeric",
        "'infinity'::timestamptz",
        "'-infinity'::timestamp",
        "ARRAY[1, 'NaN'::float8]",
        "ARRAY[[1, 'infinity'::numeric]]",
        "ARRAY['infinity'::timestamptz]",
    ],
)
async def test_what_json_lacks_is_an_error_that_names_its_column(postgres: Postgresql, expression: str) -> None:
    query: Query[tuple[Any, ...]] = Query(f"SELECT 1 AS one, {expression} AS odd", tuple, finite=(1,))
    for run in (query.many, query.one, query.single):
        with pytest.raises(PostgresqlError, match="column 2 holds NaN or infinity; nullif in the statement"):
            await run(postgres, {})
    with pytest.raises(PostgresqlError, match="column 2 holds NaN or infinity"):
        await query.page(postgres, {"limit": 1, "offset": 0})


@pytest.mark.parametrize("expression", ["1.5::float8", "1.5::numeric", "'2026-01-01Z'::timestamptz", "NULL::float8"])
async def test_finite_values_and_nulls_are_no_error(postgres: Postgresql, expression: str) -> None:
    query: Query[Any] = Query(f"SELECT {expression} AS value", first_value, finite=(0,))
    assert await query.single(postgres, {}) in {1.5, datetime(2026, 1, 1, tzinfo=UTC), None}


async def test_a_statement_that_postgresql_rejects_is_its_error(postgres: Postgresql) -> None:
    with pytest.raises(PostgresqlError) as caught:
        await Query("SELECT 1 / :zero::int", first_value).one(postgres, {"zero": 0})
    assert caught.value.sqlstate == "22012"
    with pytest.raises(PostgresqlError, match="missing"):
        await Query("SELECT missing FROM items", first_value).many(postgres, {})


async def test_a_value_of_a_wrong_type_is_an_error_of_the_source(postgres: Postgresql) -> None:
    with pytest.raises(PostgresqlError) as caught:
        await TITLE.one(postgres, {"id": "one"})
    assert "a value does not fit its type" in caught.value.why


# --- a double -----------------------------------------------------------------------------------------------------


async def test_a_double_answers_queries_with_the_values_of_its_rows() -> None:
    asked: list[tuple[str, tuple[object, ...]]] = []

    def answer(sql: str, values: tuple[object, ...]) -> list[Row]:
        asked.append((sql, values))
        return [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]

    source = FakePostgresql(answer)
    assert await ITEMS.many(source, {"least": 1}) == [ItemRow(1, "a"), ItemRow(2, "b")]
    async with source.transaction() as statements:
        assert await ITEMS.one(statements, {"least": None}) == ItemRow(1, "a")
    assert asked == [
        ("SELECT id, title FROM items\nWHERE id >= $1\nORDER BY id", (1,)),
        ("SELECT id, title FROM items\nORDER BY id", ()),
    ]


async def test_a_double_answers_a_page_with_the_number_of_all_and_of_each_row() -> None:
    rows = [{"total": 9, "ordinal": 1, "id": 1, "title": "a"}, {"total": 9, "ordinal": 2, "id": 2, "title": "b"}]
    chosen = {"least": None, "limit": 2, "offset": 0}
    assert await ITEMS.page(FakePostgresql(lambda _sql, _values: rows), chosen) == Page(
        [ItemRow(1, "a"), ItemRow(2, "b")], 9
    )
    past = [{"total": 9, "ordinal": None, "id": None, "title": None}]
    assert await ITEMS.page(FakePostgresql(lambda _sql, _values: past), chosen) == Page([], 9)


async def test_a_double_that_fails_fails_the_query() -> None:
    def fail(_sql: str, _values: tuple[object, ...]) -> list[Row]:
        raise PostgresqlError("no route to host")

    with pytest.raises(PostgresqlError, match="no route to host"):
        await ITEMS.many(FakePostgresql(fail), {"least": None})
