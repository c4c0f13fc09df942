"""Databases that are imported into a project, whose tools then run on them."""

from __future__ import annotations

import importlib
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.conftest import NewDatabase
from tests.services.type_checker import check_types
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import pipeline
from toolaccord.timing.clock import SystemClock
from toolaccord_codegen.__main__ import main


@dataclass(frozen=True)
class Imported:
    """A project with one server, drafted of a database."""

    folder: Path
    package: str
    url: str

    @property
    def names(self) -> tuple[str, ...]:
        """The options that name its packages."""
        return "--package", self.package, "--handlers", f"{self.package}_handlers"

    @property
    def handlers(self) -> Path:
        """The folder of its handlers."""
        return self.folder / f"{self.package}_handlers/acme"

    @asynccontextmanager
    async def started(self, url: str | None = None) -> AsyncIterator[Pipeline]:
        """Give the pipeline of its server, on the database or on another one."""
        handlers = importlib.import_module(f"{self.package}_handlers.acme.shop")
        server = importlib.import_module(f"{self.package}.acme.shop.server").server(handlers)
        settings = {"database_url": url or self.url}
        (declared,) = server.sources
        source = declared.open(settings, SystemClock())
        try:
            yield pipeline(server, sources={"postgres": source}, settings=settings)
        finally:
            await source.close()

    def check_types(self) -> None:
        """Check the generated package and the handlers with mypy in strict mode."""
        assert check_types(self.folder, *self.names[1::2]) == ""


def execute(url: str, sql: str) -> list[Any]:
    """Run SQL, and return the rows of the last statement that has some."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


@contextmanager
def importing(
    new_database: NewDatabase, folder: Path, package: str, sql: str, options: Sequence[str] = ()
) -> Iterator[Imported]:
    """Make a project of a database with some tables, and make its folder current."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with new_database() as url, pytest.MonkeyPatch.context() as patch:
            execute(url, sql)
            patch.syspath_prepend(str(folder))
            patch.setenv("DATABASE_URL", url)
            project = Imported(folder, package, url)
            origin = ["--from-postgresql", url, "--report", "losses.json"]
            assert main(["import", "acme/shop", *origin, *project.names, *options]) == 0
            assert main(["migrate", "acme", *project.names]) == 0
            yield project
    finally:
        os.chdir(before)
