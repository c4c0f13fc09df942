"""The role whose rights follow from queries can run them, and nothing else."""

import json
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.codegen.conftest import Command
from tests.conftest import NewDatabase

TABLES = """
CREATE TABLE notes (id serial PRIMARY KEY, title text NOT NULL, rank bigint NOT NULL DEFAULT 0);
CREATE TABLE drafts (id serial PRIMARY KEY);
CREATE SEQUENCE ranks;
ALTER TABLE notes ALTER COLUMN rank SET DEFAULT nextval('ranks');
"""
QUERIES = """
-- name: note :single
INSERT INTO notes (title) VALUES (:title) RETURNING id;

-- name: forget :exec
DELETE FROM drafts WHERE id = :id;
"""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture
def role(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the SQL of the role of a new server with tables that have serial numbers."""
    monkeypatch.chdir(tmp_path)
    assert command("init", "acme/books", "--postgresql")[0] == 0
    Path("acme_handlers/acme/migrations/0002_notes.sql").write_text(TABLES, encoding="utf-8")
    with Path("acme_handlers/acme/books.sql").open("a", encoding="utf-8") as file:
        file.write(QUERIES)
    assert command("generate")[0] == 0
    return Path("acme_generated/acme/books/postgres_role.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "statement, is_allowed",
    [
        ("INSERT INTO notes (title) VALUES ('a')", True),
        ("INSERT INTO books (title) VALUES ('a') ON CONFLICT DO NOTHING RETURNING id", True),
        ("DELETE FROM drafts WHERE id = 1", True),
        ("INSERT INTO drafts DEFAULT VALUES", False),
        ("SELECT nextval('drafts_id_seq')", False),
        ("SELECT setval('notes_id_seq', 1)", False),
        ("UPDATE notes SET title = 'b'", False),
    ],
)
def test_a_role_may_run_its_queries_with_their_sequences_alone(
    role: str, new_database: NewDatabase, statement: str, *, is_allowed: bool
) -> None:
    with new_database() as url, psycopg.connect(url, autocommit=True) as owner:
        for path in sorted(Path("acme_handlers/acme/migrations").glob("*.sql")):
            owner.execute(path.read_bytes())
        owner.execute("CREATE TABLE idempotency_keys (key text)")
        try:
            for _ in range(2):
                owner.execute(role.encode())
            owner.execute("SET ROLE books_mcp")
            if is_allowed:
                owner.execute(statement.encode())
            else:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    owner.execute(statement.encode())
        finally:
            owner.execute("RESET ROLE")
            owner.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier("books_mcp")))


def test_a_module_that_sends_its_own_statements_leaves_no_role_to_derive(role: str, command: Command) -> None:
    assert "GRANT" in role
    beside = "async def count(call):\n    return await call.postgres.fetch('SELECT count(*) FROM notes')\n"
    Path("acme_handlers/acme/counts.py").write_text(beside, encoding="utf-8")
    assert command("generate")[0] == 0
    assert not Path("acme_generated/acme/books/postgres_role.sql").exists()


def test_check_shows_a_privilege_that_no_query_needs_and_passes(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command("init", "acme/books", "--postgresql")
    path = Path("contracts/acme/books.json")
    contract = json.loads(path.read_bytes())
    search, add = (tool["effects"] for tool in contract["tools"])
    search["privileges"] = {"postgres": {"books": ["SELECT"], "shelves": ["SELECT"]}}
    add["privileges"] = {"postgres": {"books": ["SELECT", "INSERT"]}}
    path.write_text(json.dumps(contract), encoding="utf-8")
    assert command("generate")[0] == 0
    for _ in range(2):  # the second time from the cache
        code, output = command("check")
        assert code == 0, output
        assert "Queries: ok: 1 note on what nothing proves" in output
        assert "no query of search_books needs SELECT on shelves" in " ".join(output.split())
