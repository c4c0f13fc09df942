"""The command `generate`, and the compilation that `check` shares with it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolaccord.testing import progress
from toolaccord_codegen.cli.check_cache import (
    CachedRun,
    Inputs,
    digest_compiler,
    digest_files,
    digest_folder,
    digest_project,
    load_run,
    store_run,
)
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.diagnostics import CommandError, pluralise
from toolaccord_codegen.emit.contract_schema import refresh_schema
from toolaccord_codegen.emit.output_tree import Tree, add_manifest, compute_digest, write_tree
from toolaccord_codegen.loading.documents import SCHEMA_FILE, display_path

if TYPE_CHECKING:  # an unchanged check must not load the compiler
    from toolaccord_codegen.cli.queries.proving import ProvedQueries
    from toolaccord_codegen.compiler import Contracts
    from toolaccord_codegen.emit.models import ModelCache
    from toolaccord_codegen.emit.render import Show
    from toolaccord_codegen.emit.server_cache import ServerCache
    from toolaccord_codegen.ir.layout import Layout


@dataclass(frozen=True, slots=True)
class CompiledProject:
    """The result of compiling a contracts folder."""

    contracts: Contracts
    tree: Tree
    """Every file of the output folder."""
    handler_problems: tuple[str, ...]
    query_notes: tuple[str, ...] = ()
    """The doubts about queries: neither proved nor disproved."""


def run(options: GenerateOptions) -> int:
    """Write the generated files, and print the changes."""
    out, contracts = options.folders.output, options.folders.contracts
    protected = find_contracts_in_output(options.folders)
    changes: list[str] = []
    if cached := find_current_run(options, digest_inputs(options)):
        summary = cached.summary
    else:
        with progress.Line("Generating") as line:
            compiled = compile_project(options, line.show)
        written, removed = write_tree(out, compiled.tree, protected)
        changes += [f"wrote   {display_path(out / path)}" for path in written]
        changes += [f"removed {display_path(out / path)}" for path in removed]
        summary = _summarise(compiled.contracts)
    if refresh_schema(contracts):
        changes.append(f"wrote   {display_path(contracts / SCHEMA_FILE)}")
    state = "" if changes else "; nothing changed"
    print("\n".join([*changes, f"{summary} in {display_path(out)}{state}"]))
    return 0


def _summarise(contracts: Contracts) -> str:
    """Return the number of servers, tools and agents as text."""
    tools = sum(len(contract.tools) for contract in contracts.contracts)
    summary = f"{pluralise(len(contracts.contracts), 'server')} with {pluralise(tools, 'tool')}"
    return f"{summary}, and {pluralise(len(contracts.agents), 'agent')}" if contracts.agents else summary


def find_current_run(options: GenerateOptions, inputs: Inputs) -> CachedRun | None:
    """Return the cached run of these inputs; None without one or if its output changed."""
    cached = load_run(options.folders.project.folder, options.folders.package)
    is_current = cached.inputs == inputs and cached.output == digest_folder(options.folders.output)
    return cached if is_current else None


def find_contracts_in_output(folders: Folders) -> str | None:
    """Find the contracts folder's path below the output folder; None if it lies elsewhere.

    Raises CommandError if the output would lie in the contracts folder, where files would be taken for contracts.
    """
    out, contracts = (Path(os.path.realpath(folder)) for folder in (folders.output, folders.contracts))
    if out.is_relative_to(contracts):
        raise CommandError(
            f"--out {folders.output} lies in the contracts folder {folders.contracts}; choose another --out"
        )
    return contracts.relative_to(out).as_posix() if contracts.is_relative_to(out) else None


def digest_inputs(options: GenerateOptions) -> Inputs:
    """Return digests of every input of a run."""
    folders = options.folders
    project = digest_project(folders.contracts, options.layout, folders)
    return Inputs(digest_compiler(), project)


def compile_project(options: GenerateOptions, show: Show | None = None) -> CompiledProject:
    """Compile the contracts, check the handlers, and cache the result.

    *show* is told of each server. Raises ContractProblems.
    """
    # These modules load for a quarter of a second, which an unchanged check need not spend.
    from toolaccord_codegen.cli.queries.proving import prove_queries  # noqa: PLC0415
    from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES  # noqa: PLC0415
    from toolaccord_codegen.compiler import compile_folder  # noqa: PLC0415
    from toolaccord_codegen.emit.models import ModelCache  # noqa: PLC0415
    from toolaccord_codegen.emit.server_cache import ServerCache  # noqa: PLC0415
    from toolaccord_codegen.rules.handlers.imports import ProjectModules, check_imports  # noqa: PLC0415
    from toolaccord_codegen.rules.handlers.signatures import check_agent_handler, check_handlers  # noqa: PLC0415

    folders = options.folders
    inputs, cached = digest_inputs(options), load_run(folders.project.folder, folders.package)
    if cached.inputs.compiler != inputs.compiler:
        cached = CachedRun()
    models = ModelCache(folders.output, cached.models)
    servers = ServerCache(folders.output, cached.servers)
    contracts = compile_folder(
        folders.contracts,
        acceptable=ACCEPTABLE_RULES,
        is_checked=servers.is_checked,
        kinds=folders.source_kinds,
    )
    proved = prove_queries(contracts, folders, inputs.compiler)
    contracts = proved.contracts
    tree = _render(proved, options.layout, models, servers, show)
    place = folders.handlers, folders.handler_roots
    problems = {problem for contract in contracts.contracts for problem in check_handlers(contract, *place)}
    problems |= {problem for agent in contracts.agents for problem in check_agent_handler(agent, *place)}
    modules = ProjectModules(folders.package, tree, *place)
    problems |= {*check_imports((*contracts.contracts, *contracts.agents), modules)}
    compiled = CompiledProject(contracts, tree, tuple(map(str, sorted(problems))), proved.notes)
    # A file saved during the run may have been read before or after; such a run is not cached.
    if digest_inputs(options) == inputs:
        store_run(folders.project.folder, folders.package, _cached_run(compiled, inputs, models, servers))
    return compiled


def _cached_run(compiled: CompiledProject, inputs: Inputs, models: ModelCache, servers: ServerCache) -> CachedRun:
    """Return the record of a run for the cache."""
    return CachedRun(
        inputs=inputs,
        output=digest_files({path: compute_digest(text) for path, text in compiled.tree.items()}),
        handler_problems=compiled.handler_problems,
        query_notes=compiled.query_notes,
        models=models.list_digests(compiled.tree),
        servers=servers.current,
        summary=_summarise(compiled.contracts),
    )


def _render(proved: ProvedQueries, layout: Layout, models: ModelCache, servers: ServerCache, show: Show | None) -> Tree:
    """Return every file of the output folder."""
    from toolaccord_codegen.emit.render import render_tree  # noqa: PLC0415 - invalid contracts need no templates

    tree = render_tree(proved.contracts, layout, models, servers, proved.servers, show=show)
    return add_manifest(tree, proved.contracts.inputs, layout.contracts)
