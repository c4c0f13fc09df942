"""Compilation of a contracts folder into records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.build import build_contract, build_dialect
from toolaccord_codegen.ir.build_agent import build_agent
from toolaccord_codegen.ir.contract import Contract, Dialect
from toolaccord_codegen.loading.documents import (
    Document,
    display_path,
    is_shared_file,
    list_json_files,
    list_suppression_files,
    no_contracts_problem,
)
from toolaccord_codegen.loading.protobuf import ProtoFile, compile_proto_files, read_proto_files
from toolaccord_codegen.loading.reading import read_document
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.source_kinds import SourceKinds
from toolaccord_codegen.loading.static_files import StaticFile, read_static_files
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.agents.agent import check_agent
from toolaccord_codegen.rules.agents.batch import check_result
from toolaccord_codegen.rules.agents.uses import check_uses
from toolaccord_codegen.rules.asks import check_asks
from toolaccord_codegen.rules.contract import (
    check_contract,
    check_custom_sources,
    check_folder,
    check_surroundings,
)
from toolaccord_codegen.rules.dialects import dialects_by_name, read_dialect_files
from toolaccord_codegen.rules.environment import check_environment
from toolaccord_codegen.rules.events import check_events
from toolaccord_codegen.rules.privileges import check_privileges
from toolaccord_codegen.rules.prompts import check_prompts
from toolaccord_codegen.rules.resources import check_resources
from toolaccord_codegen.rules.s_expressions import check_s_expressions
from toolaccord_codegen.rules.schema import check_schemas
from toolaccord_codegen.rules.stores.idempotency import check_idempotency
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.tool import check_tool
from toolaccord_codegen.rules.tool_view import view_tools
from toolaccord_codegen.rules.transports import check_key_argument, check_transports
from toolaccord_codegen.suppression_rules import check_suppression_file
from toolaccord_codegen.versions.rules import check_versions

IsChecked: TypeAlias = Callable[[str, Mapping[str, Document]], bool]
"""Returns True for the name of a contract that needs no check, given all documents by name."""


@dataclass(frozen=True, kw_only=True)
class Contracts:
    """All contracts of a folder, without faults."""

    contracts: tuple[Contract, ...]
    """The contracts of servers."""
    agents: tuple[Agent, ...]
    """The contracts of agents."""
    library: SchemaLibrary
    documents: tuple[Document, ...]
    """Every JSON file that was read, dialects included, for the manifest."""
    protocols: tuple[ProtoFile, ...] = ()
    """Every `.proto` file, for the manifest."""
    static_files: tuple[StaticFile, ...] = ()
    """Every file that a resource or a prompt has as content, for the manifest."""
    stubs: Mapping[str, str] = field(default_factory=dict)
    """The output of protoc, by path."""
    kinds: SourceKinds = field(default_factory=SourceKinds)
    """The kinds of its sources."""

    @property
    def inputs(self) -> list[Document | ProtoFile | StaticFile]:
        """Return every file that was read."""
        return [*self.documents, *self.protocols, *self.static_files]

    @cached_property
    def documents_by_name(self) -> Mapping[str, Document]:
        """Return every JSON file by its name; of two with one name, the last."""
        return {document.name: document for document in self.documents}

    @property
    def dialects(self) -> list[Dialect]:
        """Return the dialects in use, sorted by name."""
        return sorted({c.dialect.name: c.dialect for c in self.contracts}.values(), key=lambda d: d.name)

    @property
    def systems(self) -> list[str]:
        """Return the names of the systems, sorted."""
        return sorted({contract.system for contract in self.contracts} | {agent.system for agent in self.agents})


def compile_folder(
    folder: Path,
    *,
    suppressible: Collection[str] = (),
    is_checked: IsChecked = lambda _name, _documents: False,
    kinds: SourceKinds | None = None,
) -> Contracts:
    """Read and check every contract of a folder.

    `suppressible` are the ids of rules whose findings `*.accepted.json` may accept. The rules of one server leave out
    those for which `is_checked` returns True. Sources may be of toolaccord's kinds, of *kinds*, and of installed ones.

    Raises ContractProblems with the problems of all files, and CommandError without protoc for a `.proto` file.
    """
    problems: list[Problem] = []
    dialect_files = read_dialect_files(folder, problems)
    names = list(list_json_files(folder))
    shared = _read_documents(folder, [name for name in names if is_shared_file(name)], problems)
    contracts = _read_documents(folder, [name for name in names if name.count("/") == 1], problems)
    problems += _check_places(folder, names)
    library = SchemaLibrary({document.name: document for document in (*shared, *contracts)})
    dialects = {name: value for file in dialect_files for name, value in dialects_by_name(file).items()}
    documents = {document.name: document for document in (*dialect_files, *shared, *contracts)}
    checked = {each.name for each in contracts if not each.is_agent and is_checked(each.name, documents)}
    problems += check_documents(library, shared, contracts, dialects, checked)
    kinds = kinds or SourceKinds()
    problems += [fault for document in contracts for fault in check_custom_sources(document, kinds)]
    problems += _check_suppressions(folder, list(library.documents), suppressible, problems)
    proto_files = read_proto_files(folder, problems)
    stubs = compile_proto_files(proto_files, problems)
    static_files = read_static_files(folder, contracts, problems)
    if problems:
        raise ContractProblems(problems)
    records = {name: build_dialect(name, value) for name, value in dialects.items()}
    servers = {
        each.name: build_contract(library, each, records, static_files) for each in contracts if not each.is_agent
    }
    return Contracts(
        contracts=tuple(servers.values()),
        agents=tuple(build_agent(library, each, servers) for each in contracts if each.is_agent),
        library=library,
        documents=(*dialect_files, *shared, *contracts),
        protocols=tuple(proto_files),
        static_files=tuple(static_files.values()),
        stubs=stubs,
        kinds=kinds,
    )


def _read_documents(folder: Path, names: list[str], problems: list[Problem]) -> list[Document]:
    """Return the readable files of a folder; add the others' problems to the list."""
    found = [read_document(folder / name, name, problems) for name in names]
    return [document for document in found if document]


def _check_suppressions(
    folder: Path, contracts: list[str], suppressible: Collection[str], problems: list[Problem]
) -> list[Problem]:
    """Return the problems of the files that accept findings, whatever is found."""
    found = _read_documents(folder, list(list_suppression_files(folder)), problems)
    return [fault for document in found for fault in check_suppression_file(document, contracts, suppressible)]


def _check_places(folder: Path, names: list[str]) -> Iterator[Problem]:
    """Yield a folder without contracts, and files too deep in it."""
    if not any("/" in name for name in names):
        yield no_contracts_problem(display_path(folder))
    for name in names:
        if name.count("/") > 1:
            sentence = "a contract lies at <system>/<server>.json of the contracts folder; move this file"
            yield Problem(display_path(folder / name), 1, 1, "PATH_DEPTH", sentence)


def check_documents(
    library: SchemaLibrary,
    shared: list[Document],
    contracts: list[Document],
    dialects: Mapping[str, Any],
    checked: Collection[str] = (),
) -> list[Problem]:
    """Return every problem of every file that could be read, except servers named as *checked*."""
    found = [*check_folder(shared, contracts)]
    for document in shared:
        found += [*metaschema.check_shape(document, "SharedFile"), *check_schemas(library, document)]
    servers = {document.name: document for document in contracts if not document.is_agent}
    for document in (each for each in contracts if each.name not in checked):
        found += [*metaschema.check_shape(document), *check_schemas(library, document), *check_environment(document)]
        found += [*check_surroundings(document), *check_events(document), *check_s_expressions(library, document)]
        if document.is_agent:
            found += [*check_agent(library, document, shared), *check_uses(library, document, servers)]
        else:
            found += check_asks(library, document)
            found += _check_server(library, document, dialects, shared)
    agents = [document for document in contracts if document.is_agent]
    return found or [problem for document in agents for problem in check_result(library, document)]


def _check_server(
    library: SchemaLibrary, document: Document, dialects: Mapping[str, Any], shared: list[Document]
) -> Iterator[Problem]:
    """Yield the problems that only the contract of a server can have."""
    yield from check_contract(document, dialects, shared)
    yield from check_privileges(document)
    yield from check_transports(document, dialects)
    yield from check_resources(library, document, dialects)
    yield from check_prompts(library, document, dialects)
    for view in view_tools(library, document, dialects):
        for check in (check_tool, check_idempotency, check_rate_limit, check_versions, check_key_argument):
            yield from check(view)
