"""Compiles the project, and judges the handlers of its server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolaccord_codegen.cli.dev.errors import NoServer
from toolaccord_codegen.cli.generate import compile_project, find_contracts_in_output
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.diagnostics import CommandError, Problem, pluralise, suggest
from toolaccord_codegen.emit.output_tree import write_tree
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.rules.handlers.signatures import check_handlers


@dataclass(frozen=True, slots=True)
class Build:
    """A server whose files are written."""

    contract: Contract
    problems: Sequence[Problem]
    """Problems of its handlers; with one of them it cannot be served."""


def build_server(options: GenerateOptions, server: tuple[str, str] | None) -> Build:
    """Write the generated files of the project, and return its *server*, or the only one.

    Raises ContractProblems, NoServer, and CommandError for a server without HTTP.
    """
    folders = options.folders
    compiled = compile_project(options)
    contract = _find(compiled.contracts, server)
    write_tree(folders.output, compiled.tree, find_contracts_in_output(folders))
    problems = sorted(check_handlers(contract, folders.handlers, folders.handler_roots))
    return Build(contract.on("http"), problems)


def _find(contracts: Contracts, server: tuple[str, str] | None) -> Contract:
    """Return a server by its path, or the only one.

    Raises NoServer, and CommandError for one without HTTP.
    """
    found = {f"{each.system}/{each.module}": each for each in contracts.contracts}
    if server is None and len(found) != 1:
        hint = f"name one of the servers: {', '.join(found)}" if found else "start one with `toolaccord new server`"
        raise NoServer(f"there are {pluralise(len(found), 'server')}; {hint}")
    name = "/".join(server) if server else next(iter(found))
    if name in {f"{agent.system}/{agent.module}" for agent in contracts.agents}:
        raise NoServer(f"{name} is an agent, and dev serves servers")
    if name not in found:
        raise NoServer(f"there is no server {name}; {suggest(name, found)}")
    contract = found[name]
    if "http" not in contract.transports:
        path = contract.document.display_path
        raise CommandError(f'{path}: dev serves over HTTP, and "transports" has no "http"; add it')
    return contract
