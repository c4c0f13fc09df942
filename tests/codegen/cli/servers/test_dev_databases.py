"""Databases for a server under development, in a real PostgreSQL."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest

from tests.codegen.cli.servers.dev_session import CONTRACT, make_contract, write_project
from toolaccord.sources.postgresql.migrations import connect
from toolaccord.testing.postgresql import Cluster, ClusterError
from toolaccord_codegen.cli.dev.databases import Databases
from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.ir.contract import Contract

SETTINGS = {"database_url": {"env": "BOOKS_URL", "description": "books", "required": True, "secret": True}}
LIMITS = {"min_connections": 1, "max_connections": 2, "idle_timeout_s": 300, "connection_timeout_s": 5}
SOURCES = {"postgres": {"kind": "postgresql", "url": {"setting": "database_url"}, **LIMITS}}

Result = TypeVar("Result")


@dataclass(frozen=True)
class Given(Cluster):
    """The PostgreSQL of this run."""

    server: str = ""

    def url(self, database: str = "postgres") -> str:
        return urlsplit(self.server)._replace(path=f"/{database}").geturl()


def apart(function: Callable[[], Result]) -> Result:
    """Return the result of a function in a thread of its own, as `dev` runs what blocks."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()


@dataclass
class Project:
    """A project with a migration, and its databases."""

    databases: Databases
    contract: Contract
    folder: Path
    shown: list[str]

    def save(self, name: str, sql: str) -> None:
        (self.folder / name).write_text(sql)

    def provide(self, **environ: str) -> dict[str, str]:
        return apart(lambda: self.databases.provide(self.contract, self.folder, environ))

    def fetch(self, statement: str) -> Any:
        """Return the first value of a statement in the database."""

        async def fetch(url: str) -> Any:
            async with connect(url) as connection:
                return await connection.fetchval(statement)

        url = self.provide()["BOOKS_URL"]
        return apart(lambda: asyncio.run(fetch(url)))


@pytest.fixture
def project(tmp_path: Path, postgres_server: str) -> Iterator[Project]:
    write_project(tmp_path)
    (tmp_path / CONTRACT).write_text(make_contract(settings=SETTINGS, sources=SOURCES))
    contract = compile_folder(tmp_path / "contracts", acceptable=ACCEPTABLE_RULES).contracts[0]
    given = Given(tmp_path, postgres_server)

    @contextmanager
    def start() -> Iterator[Cluster]:
        yield given

    shown: list[str] = []
    databases = Databases(tmp_path, shown.append, start)
    folder = tmp_path / "migrations"
    folder.mkdir()
    made = Project(databases, contract, folder, shown)
    made.save("0001_books.sql", "CREATE TABLE books (title text)")
    yield made
    databases.close()
    url = made.provide()["BOOKS_URL"]
    apart(lambda: asyncio.run(drop(given, url)))


async def drop(cluster: Cluster, url: str) -> None:
    async with connect(cluster.url()) as connection:
        await connection.execute(f"DROP DATABASE {urlsplit(url).path[1:]} WITH (FORCE)")


def test_a_new_migration_is_applied_to_the_rows_that_are_there(project: Project) -> None:
    project.fetch("INSERT INTO books VALUES ('Ulysses')")
    assert project.shown == ["BOOKS_URL: applied acme/0001_books.sql"]
    project.save("0002_pages.sql", "ALTER TABLE books ADD COLUMN pages integer DEFAULT 1")
    assert project.fetch("SELECT title || pages FROM books") == "Ulysses1"
    assert project.shown[1:] == ["BOOKS_URL: applied acme/0002_pages.sql"]


def test_rows_outlive_a_session(project: Project) -> None:
    project.fetch("INSERT INTO books VALUES ('Ulysses')")
    project.databases = Databases(project.folder.parent, project.shown.append, project.databases._start)
    assert project.fetch("SELECT title FROM books") == "Ulysses"


@pytest.mark.parametrize("change", ["edited", "removed"])
def test_a_database_begins_anew_when_an_applied_migration_was(change: str, project: Project) -> None:
    project.save("0002_pages.sql", "ALTER TABLE books ADD COLUMN pages integer")
    project.fetch("INSERT INTO books VALUES ('Ulysses')")
    if change == "edited":
        project.save("0002_pages.sql", "ALTER TABLE books ADD COLUMN pages bigint")
    else:
        (project.folder / "0002_pages.sql").unlink()
    assert project.fetch("SELECT count(*) FROM books") == 0
    assert "a migration was edited or removed: the database of BOOKS_URL begins anew, without rows" in project.shown
    columns = project.fetch("SELECT json_agg(column_name) FROM information_schema.columns WHERE table_name = 'books'")
    assert json.loads(columns) == (["title", "pages"] if change == "edited" else ["title"])


def test_a_migration_that_fails_is_a_sentence_and_can_be_mended(project: Project) -> None:
    project.save("0002_pages.sql", "ALTER TABLE bookz ADD COLUMN pages integer")
    with pytest.raises(CommandError, match=r'acme/0002_pages.sql failed, .* relation "bookz" does not exist'):
        project.provide()
    project.save("0002_pages.sql", "ALTER TABLE books ADD COLUMN pages integer")
    assert project.fetch("SELECT count(pages) FROM books") == 0


def test_a_variable_that_the_environment_has_is_left_alone(project: Project) -> None:
    assert project.provide(BOOKS_URL="postgresql://elsewhere/books") == {}
    assert project.shown == []


def test_a_postgresql_that_cannot_start_is_a_sentence(project: Project) -> None:
    @contextmanager
    def fail() -> Iterator[Cluster]:
        raise ClusterError("No PostgreSQL to start: install one.")
        yield

    databases = Databases(project.folder.parent, project.shown.append, fail)
    with pytest.raises(CommandError, match="No PostgreSQL to start: install one"):
        apart(lambda: databases.provide(project.contract, project.folder, {}))
