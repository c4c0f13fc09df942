"""`toolaccord migrate`: create and update the tables of systems, and grant roles."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace

from toolaccord.extras import require_driver
from toolaccord.server.databases import SYSTEM, Application, Database
from toolaccord.sources.addresses import find_address_error
from toolaccord.sources.postgresql.migration_files import Migration, MigrationError
from toolaccord.sources.postgresql.migrations import apply_migrations, try_migrations
from toolaccord.sources.postgresql.roles import grant_roles, password_env, read_roles
from toolaccord.testing import progress
from toolaccord_codegen.cli.options.migrate import MigrateOptions
from toolaccord_codegen.cli.servers.environment import read_environment
from toolaccord_codegen.diagnostics import CommandError, escape_lines, pluralise
from toolaccord_codegen.reporting.colour import TerminalStyle


def run(options: MigrateOptions) -> int:
    """Migrate the databases that *options* name; return 0, or 1 for a failure.

    Raises CommandError where there is none, or the environment lacks a variable, and MissingExtra without a driver.
    """
    require_driver("postgresql")
    import asyncpg

    databases = _choose_databases(options)
    environ = read_environment(options.folders.project.folder)
    work = [(database, *_read_access(database, environ, with_roles=options.roles)) for database in databases]
    for database, url, passwords in work:
        lines: list[str] = []
        fault = None
        try:
            with progress.step(f"Migrating {database.system}", quiet_s=2.0):
                asyncio.run(_migrate(database, url, passwords, lines, dry_run=options.dry_run))
        except MigrationError as error:
            fault = str(error)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
            verb = "refuses" if isinstance(error, asyncpg.PostgresError) else "does not answer"
            fault = f"The database that {database.env} names {verb}: {str(error) or type(error).__name__}"
        sys.stdout.write("".join(f"{escape_lines(line)}\n" for line in lines))
        if fault:
            sys.stderr.write(f"{TerminalStyle.of(sys.stderr).wrap(escape_lines(fault))}\n")
            return 1
    return 0


def _choose_databases(options: MigrateOptions) -> list[Database]:
    """Return the databases to migrate. Raises CommandError."""
    folders = options.folders
    sys.path[:0] = map(str, folders.handler_roots)
    application = Application(folders.package, folders.handlers, options.migrations)
    try:
        named = options.server
        found = application.find_databases(*named) if named else application.list_databases()
    except ModuleNotFoundError as error:
        raise CommandError(
            f"{error}; `toolaccord generate` writes {folders.package}, or name it with --package"
        ) from error
    except LookupError as error:
        raise CommandError(str(error)) from error
    if not found:
        whose = "/".join(filter(None, named)) if named else folders.package
        raise CommandError(f"{whose} has no server with a source of kind postgresql and migrations")
    _check_choice(found, options)
    if options.database_env and len(found) == 1:
        return [replace(found[0], env=options.database_env)]
    return [each for each in found if options.database_env in (None, each.env)]


def _check_choice(found: list[Database], options: MigrateOptions) -> None:
    """Raise CommandError where it is unclear what is migrated where."""
    systems = {each.system for each in found}
    if options.migrations and len(systems) > 1 and SYSTEM not in str(options.migrations):
        raise CommandError(
            f"{', '.join(sorted(systems))} would share the folder {options.migrations}; "
            f"write {SYSTEM} in the path, which stands for the system's name"
        )
    envs = [each.env for each in found]
    if len(systems) < len(found) and options.database_env not in envs:
        raise CommandError(f"the servers use {' and '.join(envs)}: choose one with --database-env")
    if options.database_env and len(found) > 1 and options.database_env not in envs:
        raise CommandError(f"--database-env is for one database, and there are {len(found)}: name a system")


def _read_access(database: Database, environ: Mapping[str, str], *, with_roles: bool) -> tuple[str, Mapping[str, str]]:
    """Return the URL of *database*, and the password of each role. Raises CommandError."""
    roles = read_roles(database.role_files) if with_roles else ()
    needs = {database.env: "the PostgreSQL to migrate, postgresql://user@host/database"}
    needs |= {password_env(role): f"the password of the role {role}" for role in roles}
    if missing := [f"{name} is missing: {meaning}" for name, meaning in needs.items() if not environ.get(name)]:
        raise CommandError("; ".join(missing))
    url = environ[database.env]
    if fault := find_address_error("postgresql", url):
        raise CommandError(f"{database.env} {fault}")
    return url, {role: environ[password_env(role)] for role in roles}


async def _migrate(
    database: Database, url: str, passwords: Mapping[str, str], lines: list[str], *, dry_run: bool
) -> None:
    """Migrate *database*, and add to *lines* what was done. Raises MigrationError and OSError."""
    steps = database.schema.read_migrations()
    if dry_run:
        lines += _describe_trial(await try_migrations(url, steps), database, list(passwords))
        return
    if not await apply_migrations(url, steps, lambda step: lines.append(f"applied {step}")):
        lines.append(_nothing(database, len(steps)))
    if passwords:
        await grant_roles(url, read_roles(database.role_files), passwords)
    lines += [f"granted {role}" for role in passwords]


def _describe_trial(missing: tuple[Migration, ...], database: Database, roles: list[str]) -> list[str]:
    """Return lines that say what would be applied, and what of it was tried."""
    untried = [step for step in missing if not step.is_transactional]
    lines = [
        f"would apply {step}{', not tried: it runs outside a transaction' * (step in untried)}" for step in missing
    ]
    lines += [f"would grant {role}, not tried" for role in roles]
    if len(missing) > len(untried):
        tried = pluralise(len(missing) - len(untried), "file")
        lines.append(f"nothing was changed: {tried} ran in one transaction, which was rolled back")
    return lines or [_nothing(database, len(database.schema.read_migrations()))]


def _nothing(database: Database, steps: int) -> str:
    return f"{database.system}: nothing to do, {pluralise(steps, 'migration')} in place ({database.env})"
