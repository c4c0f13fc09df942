"""Databases of a PostgreSQL for tests: a template with the migrations, and copies of it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:  # pytest loads the plugin in every project of its environment
    from toolaccord.sources.postgresql import Postgresql, Row

T = TypeVar("T")

Migrate: TypeAlias = "Callable[[str], Coroutine[Any, Any, object]]"
"""Brings the database at a URL to its newest form."""
NewDatabase: TypeAlias = "Callable[[], AbstractContextManager[Database]]"
"""Makes a database with the project's migrations, and drops it at the end of the block."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database of one test."""

    url: str
    """The URL."""

    def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement; `$1`, `$2`, ... stand for *values*.

        It needs no event loop. Raises PostgresqlError.
        """

        async def fetch() -> list[Row]:
            async with self.open() as postgresql:
                return await postgresql.fetch(sql, *values)

        return run_apart(fetch())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Postgresql]:
        """Give the database as handlers see it. Closes it at the end of the block."""
        from toolaccord.sources.postgresql import PostgresqlSource  # noqa: PLC0415 - see above
        from toolaccord.timing.clock import SystemClock  # noqa: PLC0415

        source = PostgresqlSource(
            name="postgresql",
            url="url",
            min_connections=0,
            max_connections=4,
            idle_timeout_s=60.0,
            connection_timeout_s=10.0,
        )
        opened = source.open({"url": self.url}, SystemClock())
        try:
            yield opened
        finally:
            await opened.close()


class Databases:
    """Databases of one PostgreSQL server."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url

    @contextmanager
    def new(self, template: Database | None = None) -> Iterator[Database]:
        """Give a new database, which is dropped at the end of the block.

        It is a copy of *template*, to which nothing may be connected, or else empty.
        """
        name = f"toolaccord_test_{secrets.token_hex(6)}"
        copied = f" TEMPLATE {urlsplit(template.url).path.removeprefix('/')} STRATEGY FILE_COPY" if template else ""
        self._run(f"CREATE DATABASE {name}{copied}")
        try:
            yield Database(urlsplit(self._server_url)._replace(path=f"/{name}").geturl())
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def _run(self, statement: str) -> None:
        Database(self._server_url).fetch(statement)


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Do *work* in an event loop of its own, whatever loop the test has."""
    import asyncio  # noqa: PLC0415 - see above
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
