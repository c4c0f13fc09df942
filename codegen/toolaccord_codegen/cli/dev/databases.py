"""Throw-away PostgreSQL databases for a session, with the project's own migrations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from hashlib import sha256
from pathlib import Path

from toolaccord import extras
from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.sources.postgresql.migration_files import Migration, MigrationError
from toolaccord.sources.postgresql.migrations import Schema, apply_migrations, connect
from toolaccord.testing.postgresql import Cluster, ClusterError, running
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.ir.contract import Contract

_HAS_RECORD = "SELECT to_regclass('toolaccord_migrations') IS NOT NULL"
_RECORDED = "SELECT system, name, checksum FROM toolaccord_migrations"


class Databases:
    """Databases of one project in a PostgreSQL of the user; their rows outlive the session."""

    def __init__(
        self,
        project: Path,
        report: Callable[[str], None],
        start: Callable[[], AbstractContextManager[Cluster]] = running,
    ) -> None:
        """Start nothing yet; *report* gets sentences for the user, from any thread."""
        self._project = project
        self._report = report
        self._start = start
        self._cluster: Cluster | None = None
        self._stack = ExitStack()
        self._steps: dict[str, tuple[Migration, ...]] = {}
        """The migrations that are applied, by variable."""
        self.urls: dict[str, str] = {}
        """The URLs of the databases, by variable."""

    def provide(self, contract: Contract, folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
        """Return URLs of databases for the variables of *contract* that *environ* lacks.

        *folder* has the migrations of the system, and may be absent. Blocks. Raises CommandError for a migration that
        fails, and if PostgreSQL does not start.
        """
        schemas = {env: schema for env, schema in _list_schemas(contract, folder).items() if not environ.get(env)}
        self.urls = {}
        try:
            for env, schema in schemas.items():
                self._cluster = self._cluster or self._stack.enter_context(self._start())
                self.urls[env] = asyncio.run(self._migrate(self._cluster, env, schema))
        except (MigrationError, ClusterError, extras.MissingExtra) as error:
            raise CommandError(str(error)) from error
        return self.urls

    def close(self) -> None:
        """Let PostgreSQL end, unless another process uses it."""
        self._stack.close()

    async def _migrate(self, cluster: Cluster, env: str, schema: Schema) -> str:
        """Bring the database for *env* to *schema*, and return its URL. Raises MigrationError."""
        with extras.needed("postgresql"):
            import asyncpg
        name = f"dev_{schema.system}_{sha256(f'{self._project}:{env}'.encode()).hexdigest()[:8]}"
        steps = schema.read_migrations() if schema.has_migrations else ()
        if self._steps.get(env) != steps:
            try:
                await self._apply(cluster, env, name, steps)
            except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                raise MigrationError(f"the database of {env} cannot be migrated: {error}") from error
            self._steps[env] = steps
        return cluster.url(name)

    async def _apply(self, cluster: Cluster, env: str, name: str, steps: tuple[Migration, ...]) -> None:
        """Apply *steps* to the database *name*, made anew if it is missing or has others."""
        from asyncpg import InvalidCatalogNameError

        url = cluster.url(name)
        try:
            if await _is_outdated(url, steps):
                await _create(cluster, name)
                self._report(f"a migration was edited or removed: the database of {env} begins anew, without rows")
        except InvalidCatalogNameError:
            await _create(cluster, name)
        if applied := await apply_migrations(url, steps):
            self._report(f"{env}: applied {', '.join(map(str, applied))}")


async def _is_outdated(url: str, steps: tuple[Migration, ...]) -> bool:
    """Return whether the database at *url* has a step that is not, or no longer, in *steps*."""
    async with connect(url) as connection:
        rows = await connection.fetch(_RECORDED) if await connection.fetchval(_HAS_RECORD) else []
    return not {tuple(row) for row in rows} <= {(step.system, step.name, step.checksum) for step in steps}


async def _create(cluster: Cluster, name: str) -> None:
    """Create an empty database in the place of one of this name, whose connections end."""
    async with connect(cluster.url()) as connection:
        await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        await connection.execute(f'CREATE DATABASE "{name}"')


def _list_schemas(contract: Contract, folder: Path) -> dict[str, Schema]:
    """Return the schema of each PostgreSQL source, by the variable with its URL."""
    envs = {setting.name: setting.env for setting in contract.settings}
    keyed = {name for tool in contract.tools if tool.idempotency and not tool.idempotency.store for name in tool.writes}
    return {
        envs[source.url]: Schema(contract.system, folder, source.name in keyed)
        for source in contract.sources
        if isinstance(source, PostgresqlSource)
    }
