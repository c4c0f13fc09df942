"""Names of columns, parameters and queries in the module that is generated for a SQL file."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from tests.services.type_checker import check_types

ROOT = Path(__file__).parents[3]
DAYS = """
CREATE TABLE days (
    date date NOT NULL, until date, time time NOT NULL, at time NOT NULL,
    datetime timestamptz NOT NULL, seen timestamptz, timedelta interval
);
"""
QUERIES = """
-- name: days :many
SELECT * FROM days WHERE date = :date AND time < :time AND datetime < :datetime;

-- name: time :one
SELECT count(*), max(until) AS index FROM days WHERE time = :time;

-- name: is_there :single
SELECT count(*) > 0 FROM days;

-- name: first_value :one
SELECT date FROM days WHERE date = :class;
"""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture
def queries(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the SQL file of a project with columns that are called like Python's types."""
    monkeypatch.chdir(tmp_path)
    assert command("init", "acme/books", "--postgresql")[0] == 0
    Path("acme_handlers/acme/migrations/0002_days.sql").write_text(DAYS, encoding="utf-8")
    return Path("acme_handlers/acme/books.sql")


def add(queries: Path, text: str) -> None:
    queries.write_text(queries.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_columns_and_queries_may_be_called_like_types_of_python(queries: Path, command: Command) -> None:
    add(queries, QUERIES)
    code, output = command("generate")
    assert code == 0, output
    assert check_types(Path.cwd(), ".") == ""
    use = (
        "from acme_generated.acme.books.queries import DaysRow, TimeRow; print(TimeRow(3, None).count, DaysRow._fields)"
    )
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    used = subprocess.run([sys.executable, "-c", use], env=env, capture_output=True, text=True, check=True)
    assert used.stdout == "3 ('date', 'until', 'time', 'at', 'datetime', 'seen', 'timedelta')\n"


def test_a_handler_returns_the_rows_of_each_query_that_feeds_its_tool(queries: Path, command: Command) -> None:
    newest = "-- name: newest :page\n-- returns: search_books\nSELECT id, title FROM books\nORDER BY id DESC;\n"
    add(queries, f"\n{newest}")
    handlers = Path("acme_handlers/acme/books.py")
    text = handlers.read_text(encoding="utf-8")
    text = text.replace("queries.SearchRow]:", "queries.NewestRow]:")
    text = text.replace("queries.search(call.postgres, query=request.query, ", "queries.newest(call.postgres, ")
    handlers.write_text(text, encoding="utf-8")
    code, output = command("generate")
    assert code == 0, output
    assert check_types(Path.cwd(), ".") == ""


@pytest.mark.parametrize(
    "text, place, fault",
    [
        ('-- name: a :one\nSELECT 1 AS one, 2 AS "class";', 2, 'the column "class" cannot be a field of a row'),
        ("-- name: a :one\nSELECT 1 AS one, 2 AS _two;", 2, 'the column "_two" cannot be a field of a row'),
        ("-- name: a :one\nSELECT 1 AS one, 2 AS one;", 2, 'the column "one" cannot be a field of a row'),
        ("-- name: a :one\nSELECT 1, 2;", 2, 'the column "?column?" cannot be a field of a row'),
        ("-- name: a :one\nSELECT :postgres::text;", 2, ":postgres is what the coroutine calls the database"),
        ("-- name: a :one\nSELECT :id::int, $1::int;", 2, "a parameter has a name; write one such as"),
        ("-- name: a :one\nSELECT :id, :Id;", 2, ":id and :Id have one name in Python, id_"),
        ("-- name: add :one\nSELECT 1;", 1, "there is a query add already; choose another name"),
    ],
)
def test_a_name_that_python_cannot_have_is_reported_at_its_place(
    queries: Path, command: Command, text: str, place: int, fault: str
) -> None:
    before = len(queries.read_text(encoding="utf-8").splitlines())
    add(queries, text)
    code, output = command("check")
    shown = " ".join(output.split())
    assert (code != 0, f"acme_handlers/acme/books.sql:{before + place}:" in shown, fault in shown) == (
        True,
        True,
        True,
    ), output
