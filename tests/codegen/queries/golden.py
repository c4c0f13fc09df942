"""Unpack golden cases of queries into projects, and report what is found there."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path

import jsonpatch
import psycopg

from toolaccord.sources.postgresql.migration_files import Migration
from toolaccord.sources.postgresql.migrations import apply_migrations
from toolaccord.testing.postgresql import Cluster
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.queries.database import Database, Databases
from toolaccord_codegen.cli.queries.proving import prove_queries
from toolaccord_codegen.compiler import Contracts, compile_folder
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.queries.nulls import find_never_null

HERE = Path(__file__).parent
CASES = HERE / "cases"
CONTRACT = Path("contracts/shop/orders.json")
SQL = Path("handlers/shop/orders.sql")
FOLDERS = Folders(contracts=Path("contracts"), out=None, package="acme", handlers="handlers")
PATCHED = "contract.json"
"""A case's JSON Patch to the contract of all cases."""


_EMPTY = "DROP SCHEMA IF EXISTS archive CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public"


class SharedDatabases(Databases):
    """Databases of one server: that of the base, and one that others empty before they use it."""

    def __init__(self, cluster: Cluster, stack: ExitStack) -> None:
        super().__init__(cluster)
        self._stack = stack
        self._base: Database | None = None

    @contextmanager
    def migrated(self, system: str, steps: Sequence[Migration]) -> Iterator[Database]:
        """Yield the database with these migrations."""
        if len(steps) == 1:
            self._base = self._base or self._stack.enter_context(super().migrated(system, steps))
            yield self._base
            return
        with psycopg.connect(self._cluster.url(), autocommit=True) as owner:
            owner.execute(_EMPTY)
        asyncio.run(apply_migrations(self._cluster.url(), steps))
        with psycopg.connect(self._cluster.url(), autocommit=True, prepare_threshold=None) as connection:
            yield Database(connection)

    def start(self) -> AbstractContextManager[Databases]:
        """Return the databases where the compiler starts its own."""
        return nullcontext(self)


def unpack(case: Path, folder: Path) -> Path:
    """Write the project of a case into *folder*, and return it."""
    system = folder / "handlers/shop"
    shutil.copytree(HERE / "base/migrations", system / "migrations")
    for source in case.glob("*.sql"):
        target = folder / SQL if source.name == "queries.sql" else system / "migrations" / f"0002_{source.name}"
        target.write_bytes(source.read_bytes())
    handlers = case / "orders.py.txt"
    shutil.copy(handlers if handlers.exists() else HERE / "base/orders.py.txt", system / "orders.py")
    contract = json.loads((HERE / "base" / CONTRACT).read_text(encoding="utf-8"))
    if (case / PATCHED).exists():
        contract = jsonpatch.apply_patch(contract, json.loads((case / PATCHED).read_text(encoding="utf-8")))
    (folder / CONTRACT).parent.mkdir(parents=True)
    (folder / CONTRACT).write_text(json.dumps(contract, indent=2), encoding="utf-8")
    return folder


def prove(databases: SharedDatabases) -> tuple[list[Problem], tuple[str, ...]]:
    """Return the errors and the notes of the project in the current folder."""
    try:
        contracts = _compile(CONTRACT.read_text(encoding="utf-8"))
        return [], prove_queries(contracts, FOLDERS, "", databases.start).notes
    except ContractProblems as error:
        return error.problems, ()


def prove_columns(sql: str, database: Database) -> list[bool]:
    """Return which columns of a statement are proved."""
    plan = database.explain(sql)
    return find_never_null(database.prepare(sql).tree, database.facts, lambda: database.find_kept(plan))


@lru_cache
def _compile(_: str) -> Contracts:
    """Return the contracts in the current folder; most cases have those of the base."""
    return compile_folder(Path("contracts"))


def report(errors: Sequence[Problem], notes: Sequence[str]) -> list[str]:
    """Return errors, with the line that each is about and a mark below its column, and notes."""
    lines = [line for error in errors for line in (str(error), *_show(error))]
    return [*lines, *(f"note: {note}" for note in notes)]


def _show(error: Problem) -> list[str]:
    if Path(error.path) != SQL:
        return []
    line = SQL.read_text(encoding="utf-8-sig").splitlines()[error.line - 1]
    return [f"    {line}", " " * (3 + error.column) + "^"]
