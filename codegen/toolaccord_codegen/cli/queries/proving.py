"""Queries of a project: described, and proved against its contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from toolaccord.sources.postgresql.migrations import Schema
from toolaccord_codegen.cli.check_cache import FOLDER
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.queries.database import Start, start_databases
from toolaccord_codegen.cli.queries.describe import DescriptionCache, describe_servers
from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.emit.locked_folder import BlockedPathError, lock_folder
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.loading.regular_files import parse_python, read_regular_file
from toolaccord_codegen.queries.described import DescribedQuery, ServerQueries
from toolaccord_codegen.queries.effects import check_effects, derive_privileges, find_database, find_unused_privileges
from toolaccord_codegen.queries.proof import Proof
from toolaccord_codegen.queries.uses import find_uses, runs_own_sql
from toolaccord_codegen.rules.handlers.signatures import handler_module_path


@dataclass(frozen=True, slots=True)
class ProvedQueries:
    """Contracts with what their queries tell."""

    contracts: Contracts
    servers: Mapping[str, ServerQueries]
    """The queries of servers, by contract."""
    notes: tuple[str, ...] = ()
    """The doubts: neither proved nor disproved."""


def prove_queries(
    contracts: Contracts, folders: Folders, compiler: str, start: Start = start_databases
) -> ProvedQueries:
    """Describe the queries of all servers, and compare them with the contracts.

    *compiler* is a digest of the compiler, and *start* starts a throw-away PostgreSQL. Raises ContractProblems, and
    CommandError without a PostgreSQL.
    """
    files = {
        contract.document.name: (contract, path)
        for contract in contracts.contracts
        if (path := folders.locate_queries(contract.system, contract.module)).exists()
    }
    if not files:
        return ProvedQueries(contracts, {})
    problems = [fault for contract, path in files.values() for fault in _check_database(contract, path.name)]
    if problems:
        raise ContractProblems(problems)
    cache = DescriptionCache(folders.project.folder / FOLDER / f"{folders.package}.queries.json", compiler)
    schemas = {contract.system: _find_schema(contracts, folders, contract.system) for contract, _ in files.values()}
    described, text = describe_servers(files, schemas, cache, start)
    store_descriptions(folders, text)
    servers = {name: _add_uses(folders, files[name][0], queries) for name, queries in described.items()}
    found = [fault for name, queries in servers.items() for fault in _check(contracts, files[name][0], queries)]
    if found:
        raise ContractProblems(found)
    notes = [note for name, queries in servers.items() for note in _find_doubts(contracts, files[name][0], queries)]
    derived = [
        derive_privileges(each, servers[each.document.name]) if each.document.name in servers else each
        for each in contracts.contracts
    ]
    return ProvedQueries(replace(contracts, contracts=tuple(derived)), servers, tuple(map(str, sorted(notes))))


def _check_database(contract: Contract, name: str) -> Iterator[Problem]:
    """Yield a file of queries of a server without a PostgreSQL source."""
    if find_database(contract) is None:
        sentence = f"{name} has queries, which need exactly one source of the kind postgresql; declare it"
        yield contract.document.problem("/sources", "QUERY_SOURCE", sentence, key=True)


def _find_schema(contracts: Contracts, folders: Folders, system: str) -> Schema:
    """Return the tables of a system."""
    tools = [tool for contract in contracts.contracts if contract.system == system for tool in contract.tools]
    keeps_keys = any(tool.idempotency and not tool.idempotency.store for tool in tools)
    return Schema(system, folders.find_migrations(system), keeps_keys)


def store_descriptions(folders: Folders, text: str) -> None:
    """Store descriptions for the next run."""
    # Without write access, or behind a symbolic link, the next run only takes longer.
    with (
        suppress(OSError, BlockedPathError),
        lock_folder(folders.project.folder / FOLDER, below=folders.project.folder) as folder,
    ):
        folder.replace(".gitignore", "*\n")
        folder.replace(f"{folders.package}.queries.json", text)


def _add_uses(folders: Folders, contract: Contract, queries: tuple[DescribedQuery, ...]) -> ServerQueries:
    """Return the queries of a server with the handlers that call them, if these are Python."""
    path = handler_module_path(contract.system, contract.module, folders.handlers, folders.handler_roots)
    with suppress(SyntaxError, OSError):  # HANDLER_SYNTAX
        if path is not None:
            module = parse_python(read_regular_file(path), path)
            uses = find_uses(module, f"{folders.package}.{contract.system}.{contract.module}")
            return ServerQueries(queries, uses, any(map(_runs_own_sql, path.parent.glob("*.py"))))
    return ServerQueries(queries)


def _runs_own_sql(path: Path) -> bool:
    """Return whether a module beside a server's handlers sends statements of its own."""
    with suppress(SyntaxError, OSError):  # the server's own module is reported elsewhere
        return runs_own_sql(parse_python(read_regular_file(path), path))
    return True


def _check(contracts: Contracts, contract: Contract, queries: ServerQueries) -> Iterator[Problem]:
    """Yield what is disproved of the queries of a server."""
    for each in queries.feeding:
        yield from Proof(each, contract, contracts.library).check()
    yield from check_effects(contract, queries)


def _find_doubts(contracts: Contracts, contract: Contract, queries: ServerQueries) -> Iterator[Problem]:
    """Yield what is neither proved nor disproved of the queries of a server."""
    for each in queries.feeding:
        yield from Proof(each, contract, contracts.library).find_doubts()
    yield from find_unused_privileges(contract, queries)
