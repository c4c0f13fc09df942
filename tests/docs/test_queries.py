"""The page on queries: its examples, its kinds and its bounds hold on a real PostgreSQL."""

import inspect
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.conftest import NewDatabase
from tests.docs.page_project import forget_modules
from toolaccord import Page
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, PostgresqlSource
from toolaccord.sources.postgresql.migrations import Schema
from toolaccord.testing.postgresql import ClusterError
from toolaccord.timing.clock import SystemClock
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.queries import database
from toolaccord_codegen.queries.files import KINDS, MOST_VARIANTS, read_sql_file

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/queries.md").read_text(encoding="utf-8")
(EXAMPLE, ORDERS, KEYS) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
MIGRATION = """
CREATE TYPE mood AS ENUM ('calm', 'angry');
CREATE TABLE tickets (
    ticket_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    priority text NOT NULL CHECK (priority IN ('high', 'low')),
    mood mood,
    labels text[] NOT NULL DEFAULT '{}',
    details jsonb NOT NULL DEFAULT '{"seen": [1]}',
    created_at timestamptz NOT NULL
);
"""
QUERIES = f"""
-- name: first :one
-- Return the first ticket of a priority.
-- It may be None.
SELECT * FROM tickets WHERE priority = :priority ORDER BY ticket_id;

-- name: open :single
-- null: mood
INSERT INTO tickets (title, priority, mood, created_at)
VALUES (:title, :priority, :mood, '2026-01-01Z'::timestamptz + make_interval(days => :day))
ON CONFLICT DO NOTHING RETURNING ticket_id;

-- name: none_of :single
SELECT title FROM tickets WHERE ticket_id = :id;

-- name: titles :many
SELECT title FROM tickets
WHERE title <> 'a::text, :no' -- :no /* :no */
  AND labels[1 : 2] <> ARRAY['x']
  AND title = :title?
  AND priority = :priority?
ORDER BY title;

-- name: listed :page
SELECT t.ticket_id, t.title FROM tickets t
{ORDERS};

-- name: close :exec
DELETE FROM tickets WHERE ticket_id = :id;
"""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Generate a project with queries of each kind, in the current folder, for imports."""
    folder = tmp_path_factory.mktemp("project")
    forget_modules()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        assert main(["init", "acme/books", "--postgresql"]) == 0
        with Path("acme_handlers/acme/books.sql").open("a", encoding="utf-8") as file:
            file.write(QUERIES)
        Path("acme_handlers/acme/migrations/0002_tickets.sql").write_text(MIGRATION, encoding="utf-8")
        assert main(["generate"]) == 0
        yield folder
    forget_modules()


@pytest.fixture
def queries(project: Path) -> ModuleType:
    """Return the module that was generated for the queries."""
    assert (project / "acme_generated/acme/books/queries.py").exists()
    return import_module("acme_generated.acme.books.queries")


@pytest.fixture
async def postgres(project: Path, new_database: NewDatabase) -> AsyncIterator[Postgresql]:
    """Open a database with the tables of the project."""
    with new_database() as url:
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            for path in sorted((project / "acme_handlers/acme/migrations").glob("*.sql")):
                connection.execute(path.read_bytes())
        source = PostgresqlSource(name="postgres", url="url").open({"url": url}, SystemClock())
        yield source
        await source.close()


async def open_tickets(queries: ModuleType, postgres: Postgresql) -> None:
    """Open three tickets, the second of which is urgent and the last of which is the newest."""
    for day, (title, priority) in enumerate([("Printer", "low"), ("Fire", "high"), ("Mouse", "low")]):
        await queries.open_(postgres, title=title, priority=priority, mood="calm" if day else None, day=day)


# --- the first example ------------------------------------------------------------------------------------------------


def test_the_first_example_is_the_repositorys_own() -> None:
    (handler,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    written = (ROOT / "handlers/tradestream/decisions.py").read_text(encoding="utf-8")
    assert all(line in written for line in handler.splitlines())
    assert EXAMPLE in (ROOT / "handlers/tradestream/decisions.sql").read_text(encoding="utf-8")


# --- a query ----------------------------------------------------------------------------------------------------------


def test_the_page_lists_every_kind() -> None:
    assert tuple(re.findall(r"^\| `:(\w+)` \|", PAGE, re.MULTILINE)) == KINDS


async def test_each_kind_returns_what_the_page_says(queries: ModuleType, postgres: Postgresql) -> None:
    assert await queries.first(postgres, priority="low") is None
    await open_tickets(queries, postgres)
    assert (await queries.first(postgres, priority="low")).title == "Printer"
    assert await queries.open_(postgres, title="Desk", priority="low", mood=None, day=3) == 4
    with pytest.raises(PostgresqlError, match="has 0 rows"):
        await queries.none_of(postgres, id_=9)
    assert await queries.titles(postgres) == ["Desk", "Fire", "Mouse", "Printer"]
    page = await queries.listed(postgres, sort="newest", limit=2, offset=1)
    assert page == Page([queries.ListedRow(3, "Mouse"), queries.ListedRow(2, "Fire")], 4)
    assert await queries.listed(postgres, sort="newest", limit=2, offset=9) == Page([], 4)
    assert await queries.close(postgres, id_=4) is None
    assert await queries.titles(postgres) == ["Fire", "Mouse", "Printer"]


async def test_a_row_is_immutable_and_has_the_types_of_its_columns(queries: ModuleType, postgres: Postgresql) -> None:
    await open_tickets(queries, postgres)
    row = await queries.first(postgres, priority="high")
    with pytest.raises(AttributeError):
        row.title = "Ice"
    assert (row.labels, row.details, row.mood) == ([], {"seen": [1]}, "calm")
    assert row.created_at.isoformat() == "2026-01-02T00:00:00+00:00"
    types = queries.FirstRow.__annotations__
    assert {name: kind.__forward_arg__ for name, kind in types.items()} == {
        "ticket_id": "int",
        "title": "str",
        "priority": "Literal['high', 'low']",
        "mood": "Literal['calm', 'angry'] | None",
        "labels": "list[str]",
        "details": "Any",
        "created_at": "_datetime",
    }


def test_comments_become_the_docstring_and_null_admits_none(queries: ModuleType) -> None:
    assert inspect.getdoc(queries.first) == "Return the first ticket of a priority.\n\nIt may be None."
    parameters = inspect.signature(queries.open_).parameters
    assert [parameters[name].annotation for name in ("title", "mood")] == ["str", "Literal['calm', 'angry'] | None"]


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, found",
    [
        ({}, ["Fire", "Mouse", "Printer"]),
        ({"priority": "low"}, ["Mouse", "Printer"]),
        ({"title": "Fire"}, ["Fire"]),
        ({"title": "Fire", "priority": "low"}, []),
        ({"title": None, "priority": "high"}, ["Fire"]),
        ({"title": "Fire' OR true --"}, []),
    ],
)
async def test_an_optional_line_is_left_out_for_none(
    queries: ModuleType, postgres: Postgresql, given: dict[str, Any], found: list[str]
) -> None:
    await open_tickets(queries, postgres)
    assert await queries.titles(postgres, **given) == found


async def test_the_example_of_lines_orders_the_rows_by_its_choices(queries: ModuleType, postgres: Postgresql) -> None:
    sort = inspect.signature(queries.listed).parameters["sort"].annotation
    (promised,) = re.findall(r"The coroutine takes `sort: (Literal\[.*?\])`", PAGE)
    assert sort.replace("'", '"') == promised
    await open_tickets(queries, postgres)
    orders = {
        choice: [row.title for row in (await queries.listed(postgres, sort=choice, limit=9, offset=0)).items]
        for choice in ("newest", "urgent")
    }
    assert orders == {"newest": ["Mouse", "Fire", "Printer"], "urgent": ["Fire", "Printer", "Mouse"]}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run a command of the compiler; return its exit status, and what it says in one line."""
    code = main(arguments)
    output = capsys.readouterr()
    return code, " ".join((output.out + output.err).split())


@pytest.fixture
def sql(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the SQL file of the project, which gets its text back."""
    monkeypatch.chdir(project)
    path = project / "acme_handlers/acme/books.sql"
    written = path.read_bytes()
    yield path
    path.write_bytes(written)


def write_filters(sql: Path, number: int) -> None:
    """Add a query with a number of optional lines, and with a line for each of two choices."""
    lines = [f"  AND title <> :t{index}?" for index in range(number)]
    order = "ORDER BY title -- when :sort = title\nORDER BY ticket_id -- when :sort = id"
    text = "\n".join(["\n-- name: bounded :many", "SELECT title FROM tickets WHERE true", *lines, order])
    sql.write_text(sql.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_query_stands_for_as_many_statements_as_the_page_says(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (promised,) = re.findall(r"(?s)A query\s+stands\s+for at most (\d+) statements", PAGE)
    assert int(promised) == MOST_VARIANTS == 2 * 2**5
    before = sql.read_text(encoding="utf-8")
    write_filters(sql, 5)
    assert "acme_generated/acme/books/queries.py" in run(capsys, "check")[1]
    sql.write_text(before, encoding="utf-8")
    write_filters(sql, 6)
    fault = "QUERY_VARIANTS: bounded stands for 128 statements, and at most 64 are checked"
    assert fault in run(capsys, "check")[1]


def test_a_comment_that_chooses_no_line_is_an_error_and_a_last_semicolon_is_no_part_of_it(
    sql: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = sql.read_text(encoding="utf-8")
    sql.write_text(text.replace("urgent\n;", "urgent;\n"), encoding="utf-8")
    assert run(capsys, "check")[0] == 0
    sql.write_text(text.replace("= newest", "= newest;"), encoding="utf-8")
    fault = "QUERY_PARAMETER: the comment chooses no line; write `-- when :sort = newest`"
    assert fault in run(capsys, "check")[1]


# --- proofs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "right, wrong, place, fault",
    [
        ("SELECT title FROM tickets WHERE", "SELECT titel FROM tickets WHERE", "8", 'column "titel" does not exist'),
        ("ticket_id = :id;\n\n", "ticket_id = :id::date;\n\n", "43", "operator does not exist: integer = date"),
        ("FROM tickets t\n", "FROM ticket t\n", "34", 'relation "ticket" does not exist'),
    ],
)
def test_a_wrong_name_or_type_is_an_error_with_line_and_column(
    sql: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str, place: str, fault: str
) -> None:
    text = sql.read_text(encoding="utf-8").replace(right, wrong)
    sql.write_text(text, encoding="utf-8")
    line = next(number for number, each in enumerate(text.splitlines(), 1) if wrong.strip() in each)
    code, output = run(capsys, "check")
    assert (code != 0, f"acme_handlers/acme/books.sql:{line}:{place}: QUERY_INVALID: " in output) == (True, True), (
        output
    )
    assert fault in output


def test_a_migration_that_breaks_a_query_is_an_error(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = sql.parent / "migrations/0003_moods.sql"
    later.write_text("ALTER TABLE tickets RENAME COLUMN mood TO temper;", encoding="utf-8")
    output = run(capsys, "check")[1]
    later.unlink()
    assert 'QUERY_INVALID: PostgreSQL rejects open: column "mood" of relation "tickets" does not exist' in output


def test_nothing_is_repeated_while_migrations_and_statements_stay(
    sql: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ClusterError("started")

    assert run(capsys, "generate")[0] == 0
    monkeypatch.setattr(database, "temporary", refuse)
    sql.with_suffix(".py").write_text(sql.with_suffix(".py").read_text(encoding="utf-8") + "\n", encoding="utf-8")
    sql.write_text(sql.read_text(encoding="utf-8").replace("It may be None", "None without one"), encoding="utf-8")
    assert run(capsys, "generate")[0] == 0
    sql.write_text(sql.read_text(encoding="utf-8").replace("ORDER BY title;", "ORDER BY 1;"), encoding="utf-8")
    assert run(capsys, "generate")[0] == 2


# --- effects and privileges -------------------------------------------------------------------------------------------


def test_the_role_has_what_the_queries_need_together(project: Path) -> None:
    role = (project / "acme_generated/acme/books/postgres_role.sql").read_text(encoding="utf-8")
    assert 'GRANT SELECT, INSERT ON "books" TO "books_mcp";' in role
    assert 'GRANT SELECT, INSERT, DELETE ON "tickets" TO "books_mcp";' in role


def test_a_tool_whose_query_does_more_than_it_declares_is_an_error(
    sql: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handlers = sql.with_suffix(".py")
    written = handlers.read_text(encoding="utf-8")
    helper = "\n\nasync def tidy(call: BooksCall) -> None:\n    await queries.close(call.postgres, id_=1)\n"
    handlers.write_text(
        written.replace("    return await queries.search", "    await tidy(call)\n    return await queries.search")
        + helper
    )
    code, output = run(capsys, "check")
    handlers.write_text(written, encoding="utf-8")
    fault = 'QUERY_EFFECT: search_books only reads "postgres", and its query close deletes from tickets'
    assert (code != 0, fault in output) == (True, True), output


async def test_the_example_of_keys_reads_decisions_with_and_without_a_last_row(
    tmp_path: Path, new_database: NewDatabase
) -> None:
    file = tmp_path / "keys.sql"
    file.write_text(KEYS, encoding="utf-8")
    (query,) = read_sql_file(file, file.name, [])
    statements = [query.template.build(variant) for variant in query.template.list_variants()]
    assert {statement.parameters for statement in statements} == {("last_time", "last_id", "most"), ("most",)}
    given = {"last_time": datetime(2026, 1, 1, tzinfo=UTC), "last_id": UUID(int=1), "most": 5}
    with new_database() as url:
        await Schema("tradestream", ROOT / "handlers/tradestream/migrations", keeps_idempotency_keys=True).migrate(url)
        source = PostgresqlSource(name="postgres", url="url").open({"url": url}, SystemClock())
        for statement in statements:
            assert await source.fetch_values(statement.sql, *(given[name] for name in statement.parameters)) == []
        await source.close()
