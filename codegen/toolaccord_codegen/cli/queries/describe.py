"""Descriptions of the queries of servers, kept from run to run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from keyword import iskeyword
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from toolaccord.sources.postgresql.migration_files import MigrationError
from toolaccord.sources.postgresql.migrations import Schema
from toolaccord_codegen.cli.queries.database import Database, Databases, Start, start_databases
from toolaccord_codegen.cli.queries.describing import describe_query
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.queries.described import DescribedQuery
from toolaccord_codegen.queries.descriptions import Description
from toolaccord_codegen.queries.files import NamedQuery, read_sql_file
from toolaccord_codegen.queries.python_types import is_known

_STORED = TypeAdapter(dict[str, Description])


@dataclass(frozen=True, slots=True)
class DescriptionCache:
    """Descriptions of the last run, which hold while migrations and statements stay as they are."""

    path: Path
    salt: str
    """A digest of the compiler."""

    def load(self) -> dict[str, Description]:
        """Return the stored descriptions by digest; none where the file is missing or damaged."""
        try:
            return _STORED.validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return {}

    def digest(self, schema: Schema, query: NamedQuery) -> str:
        """Return the digest of everything on which a description depends."""
        steps = [(step.name, step.sql) for step in schema.read_migrations()]
        return hashlib.sha256(json.dumps([self.salt, steps, query.kind, query.text]).encode()).hexdigest()

    @staticmethod
    def encode(descriptions: Mapping[str, Description]) -> str:
        """Return descriptions as the text that `load` reads."""
        return json.dumps({digest: asdict(each) for digest, each in sorted(descriptions.items())})


def describe_servers(
    files: Mapping[str, tuple[Contract, Path]],
    schemas: Mapping[str, Schema],
    cache: DescriptionCache,
    start: Start = start_databases,
) -> tuple[dict[str, tuple[DescribedQuery, ...]], str]:
    """Return the described queries of servers by contract, and the text for the cache.

    *files* are the SQL files by contract, and *schemas* the migrations by system. *start* starts a throw-away
    PostgreSQL, where a description is missing. Raises ContractProblems, and CommandError without a PostgreSQL.
    """
    problems: list[Problem] = []
    queries = {
        name: (contract.system, read_sql_file(path, f"{contract.system}/{path.name}", problems))
        for name, (contract, path) in files.items()
    }
    if problems:
        raise ContractProblems(problems)
    known, found = cache.load(), dict[str, Description]()
    digests: dict[tuple[str, str], str] = {}
    with ExitStack() as stack:
        workshop = _Workshop(stack, schemas, start)
        for system, of_server in queries.values():
            for query in of_server:
                try:
                    digest = cache.digest(schemas[system], query)
                    described = known.get(digest) or _describe(query, workshop.open(system))
                except MigrationError as error:
                    sentence = f"the migrations of {system} cannot be applied, so nobody can check its queries: {error}"
                    problems.append(query.file.problem(0, "QUERY_MIGRATIONS", sentence))
                    break
                if isinstance(described, Problem):
                    problems.append(described)
                else:
                    digests[query.file.name, query.name] = digest
                    found[digest] = described
    if problems:
        raise ContractProblems(problems)
    described_queries = {
        name: tuple(DescribedQuery(each, found[digests[each.file.name, each.name]]) for each in of_server)
        for name, (_, of_server) in queries.items()
    }
    return described_queries, cache.encode(found)


class _Workshop:
    """Databases of systems, each made when it is first needed."""

    def __init__(self, stack: ExitStack, schemas: Mapping[str, Schema], start: Start) -> None:
        self._stack = stack
        self._schemas = schemas
        self._start = start
        self._databases: Databases | None = None
        self._opened: dict[str, Database | MigrationError] = {}

    def open(self, system: str) -> Database:
        """Return the database of a system. Raises MigrationError and CommandError."""
        if self._databases is None:
            self._databases = self._stack.enter_context(self._start())
        if system not in self._opened:
            self._opened[system] = self._migrate(self._databases, system)
        opened = self._opened[system]
        if isinstance(opened, MigrationError):
            raise opened
        return opened

    def _migrate(self, databases: Databases, system: str) -> Database | MigrationError:
        """Return the database of a system, or the error of its migrations."""
        try:
            return self._stack.enter_context(databases.migrated(system, self._schemas[system].read_migrations()))
        except MigrationError as error:
            return error


def _describe(query: NamedQuery, database: Database) -> Description | Problem:
    """Return the description of a query, or the first fault in it."""
    found = describe_query(query, database)
    return found if isinstance(found, Problem) else next(_find_faults(query, found), found)


def _find_faults(query: NamedQuery, description: Description) -> Iterator[Problem]:
    """Yield types without a type of Python, and columns that cannot be fields of a row."""
    for name, kind in description.parameters.items():
        if not is_known(kind):
            sentence = (
                f":{name} is of the type {kind.name}, which Python has no type for; cast it, such as :{name}::text"
            )
            yield query.problem("QUERY_TYPE", sentence, query.template.find_parameter(name))
    names = [column.name for column in description.columns]
    for column in description.columns if query.kind != "exec" else ():
        if not is_known(column.type):
            sentence = f"{column.name} is of the type {column.type.name}, which Python has no type for; cast it, such as to text"
            yield query.problem("QUERY_TYPE", sentence, column.place)
        is_name = column.name.isidentifier() and not iskeyword(column.name) and not column.name.startswith("_")
        if len(names) > 1 and (not is_name or names.count(column.name) > 1):
            sentence = f'the column "{column.name}" cannot be a field of a row; give it a name of its own with AS'
            yield query.problem("QUERY_COLUMN", sentence, column.place)
    if query.kind != "exec" and not names:
        yield query.problem("QUERY_COLUMN", f"{query.name} returns no columns; declare it as :exec")
