"""A database of the sandbox: its tables, and sample data that stay current."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import asyncpg

from sandbox.errors import SandboxError
from toolaccord.sources.postgresql.migration_files import EditedMigrationError, MigrationError
from toolaccord.sources.postgresql.migrations import Schema
from toolaccord.testing import progress
from toolaccord.testing.postgresql import Cluster, ClusterError, running

EVERY_S = 300.0
"""Seconds between two checks of the data's age, also the longest delay after a laptop wakes."""
LOCK = 7_221_190_144_002
"""The advisory lock of processes that create or migrate the database."""

_LOG = logging.getLogger(__name__)


class Load(Protocol):
    """Brings sample data to a time."""

    async def __call__(self, url: str, now: datetime, /, *, replace: bool = True) -> bool:
        """Bring the data at *url* to *now*; return True if that changed anything.

        Without *replace*, data of another version of the sample stay as they are.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDatabase:
    """A database with sample data, which a user's processes share."""

    title: str
    """The name of the system, for people."""
    name: str
    """The name of the database."""
    schema: Schema
    load: Load

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Yield the URL of the database. Raises SandboxError."""
        with ExitStack() as stack:
            try:
                cluster = stack.enter_context(running())
            except ClusterError as exc:
                raise SandboxError(str(exc)) from exc
            with progress.step(f"Preparing the sandbox's {self.title} data"), ThreadPoolExecutor(1) as thread:
                # In a thread of its own, since the caller may run inside an event loop.
                thread.submit(lambda: asyncio.run(self.prepare(cluster, datetime.now(UTC)))).result()
            with self._keep_fresh_in_thread(cluster.url(self.name)):
                yield cluster.url(self.name)

    async def prepare(self, cluster: Cluster, now: datetime) -> None:
        """Create the database if it is missing, migrate it, and load the sample data of *now*.

        Any number of processes may do this at once. A database whose migrations were edited is dropped and created
        again, with the rows that users wrote. Raises SandboxError.
        """
        url = cluster.url(self.name)
        try:
            await self._migrate(cluster, url)
            await self.load(url, now)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, MigrationError, OSError) as exc:
            raise SandboxError(f"The sandbox's database {self.name} could not be prepared: {exc}") from exc

    async def _migrate(self, cluster: Cluster, url: str) -> None:
        """Migrate the database at *url* under a lock.

        Dropping an outdated one ends the connections of others who migrate it.
        """
        connection: asyncpg.Connection = await asyncpg.connect(cluster.url())
        try:
            await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
            try:
                await self.schema.migrate(url)
            except (asyncpg.InvalidCatalogNameError, EditedMigrationError):
                name = '"' + self.name.replace('"', '""') + '"'
                await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                await connection.execute(f"CREATE DATABASE {name}")
                await self.schema.migrate(url)
        finally:
            await connection.close()

    @contextmanager
    def _keep_fresh_in_thread(self, url: str) -> Iterator[None]:
        """Keep the data in the database at *url* fresh, in a thread that ends with the context."""
        over = threading.Event()
        keep = (url, lambda: datetime.now(UTC), over.wait)
        thread = threading.Thread(target=self.keep_fresh, args=keep, name=f"sandbox {self.title}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def keep_fresh(self, url: str, now: Callable[[], datetime], wait: Callable[[float], bool]) -> None:
        """Refresh stale data until *wait*, which takes seconds, returns true.

        Of the processes that share a database the first to notice does it. Data of another version of the sample
        belong to another checkout, and stay. The first of several failures in a row is logged.
        """
        failed = False
        while not wait(EVERY_S):
            try:
                asyncio.run(self._refresh(url, now()))
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                if not failed:
                    _LOG.warning("the sandbox's %s data could not be brought up to date", self.title, exc_info=True)
                failed = True
            else:
                failed = False

    async def _refresh(self, url: str, now: datetime) -> None:
        await self.load(url, now, replace=False)
