"""Compilation of a contracts folder into records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.resolution import resolve_contracts
from toolaccord_codegen.loading.contracts import AnyContract, read_contract
from toolaccord_codegen.loading.documents import (
    Document,
    display_path,
    is_shared_file,
    list_accepted_files,
    list_json_files,
    no_contracts_problem,
)
from toolaccord_codegen.loading.protobuf import ProtoFile, compile_proto_files, read_proto_files
from toolaccord_codegen.loading.reading import read_document
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.source_kinds import SourceKinds
from toolaccord_codegen.loading.static_files import StaticFile, read_static_files
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.accepted_findings import check_accepted_file
from toolaccord_codegen.rules.access import check_access, check_key_argument, check_rows
from toolaccord_codegen.rules.agents.agent import check_agent
from toolaccord_codegen.rules.agents.batch import check_result
from toolaccord_codegen.rules.agents.uses import check_uses
from toolaccord_codegen.rules.asks import check_asks
from toolaccord_codegen.rules.contract import (
    check_contract,
    check_custom_sources,
    check_dialect,
    check_folder,
    check_surroundings,
)
from toolaccord_codegen.rules.dialects import read_dialect_files
from toolaccord_codegen.rules.environment import check_environment
from toolaccord_codegen.rules.events import check_events, check_publications
from toolaccord_codegen.rules.privileges import check_privileges
from toolaccord_codegen.rules.prompts import check_prompts
from toolaccord_codegen.rules.resources import check_resources
from toolaccord_codegen.rules.s_expressions import check_s_expressions
from toolaccord_codegen.rules.schema import check_schemas
from toolaccord_codegen.rules.stores.idempotency import check_idempotency
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.stores.task import check_task
from toolaccord_codegen.rules.tool import check_tool
from toolaccord_codegen.rules.tool_view import Viewer
from toolaccord_codegen.rules.transports import check_transports
from toolaccord_codegen.rules.views.pages import check_pages
from toolaccord_codegen.rules.views.panels import check_view
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
    acceptable: Collection[str] = (),
    is_checked: IsChecked = lambda _name, _documents: False,
    kinds: SourceKinds | None = None,
) -> Contracts:
    """Read and check every contract of a folder.

    `acceptable` are the ids of rules whose findings `*.accepted.json` may accept. The rules of one server leave out
    those for which `is_checked` returns True. Sources may be of toolaccord's kinds, of *kinds*, and of installed ones.

    Raises ContractProblems with the problems of all files, and CommandError without protoc for a `.proto` file.
    """
    problems: list[Problem] = []
    dialect_files, dialects = read_dialect_files(folder, problems)
    names = list(list_json_files(folder))
    shared = _read_documents(folder, [name for name in names if is_shared_file(name)], problems)
    contracts = _read_documents(folder, [name for name in names if name.count("/") == 1], problems)
    problems += _check_places(folder, names)
    library = SchemaLibrary({document.name: document for document in (*shared, *contracts)})
    documents = {document.name: document for document in (*dialect_files, *shared, *contracts)}
    checked = {each.name for each in contracts if not each.is_agent and is_checked(each.name, documents)}
    declared = _read_contracts(contracts, problems, checked)
    problems += _check_meaning(_State(library, shared, contracts, declared, dialects), checked)
    kinds = kinds or SourceKinds()
    problems += [fault for each in declared.values() for fault in check_custom_sources(*each, kinds)]
    problems += _check_accepted_files(folder, list(library.documents), acceptable, problems)
    proto_files = read_proto_files(folder, problems)
    stubs = compile_proto_files(proto_files, problems)
    static_files = read_static_files(folder, [document for document, _ in declared.values()], problems)
    problems += [fault for document, _ in declared.values() for fault in check_pages(document, static_files)]
    if problems:
        raise ContractProblems(problems)
    known = {name: dialect for name, dialect in dialects.items() if dialect}
    servers, agents = resolve_contracts(library, declared.values(), known, static_files)
    return Contracts(
        contracts=servers,
        agents=agents,
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


def _check_accepted_files(
    folder: Path, contracts: list[str], acceptable: Collection[str], problems: list[Problem]
) -> list[Problem]:
    """Return the problems of the files that accept findings, whatever is found."""
    found = _read_documents(folder, list(list_accepted_files(folder)), problems)
    return [fault for document in found for fault in check_accepted_file(document, contracts, acceptable)]


def _check_places(folder: Path, names: list[str]) -> Iterator[Problem]:
    """Yield a folder without contracts, and files too deep in it."""
    if not any("/" in name for name in names):
        yield no_contracts_problem(display_path(folder))
    for name in names:
        if name.count("/") > 1:
            sentence = "a contract lies at <system>/<server>.json of the contracts folder; move this file"
            yield Problem(display_path(folder / name), 1, 1, "PATH_DEPTH", sentence)


@dataclass(frozen=True, slots=True)
class _State:
    """The files of a folder whose meaning is checked."""

    library: SchemaLibrary
    shared: list[Document]
    contracts: list[Document]
    declared: Mapping[str, tuple[Document, AnyContract]]
    """The contracts whose shape is right, by path."""
    dialects: Mapping[str, Dialect | None]
    """The dialects by name; None for one whose shape is wrong."""

    @property
    def servers(self) -> dict[str, tuple[Document, ServerContract] | None]:
        """Return the contracts of servers by path; None for one whose shape is wrong."""
        found: dict[str, tuple[Document, ServerContract] | None] = {}
        for each in (each for each in self.contracts if not each.is_agent):
            _, contract = self.declared.get(each.name, (each, None))
            found[each.name] = (each, contract) if isinstance(contract, ServerContract) else None
        return found


def check_documents(
    library: SchemaLibrary,
    shared: list[Document],
    contracts: list[Document],
    dialects: Mapping[str, Dialect | None],
) -> list[Problem]:
    """Return every problem of every file that could be read."""
    problems: list[Problem] = []
    declared = _read_contracts(contracts, problems)
    return problems + _check_meaning(_State(library, shared, contracts, declared, dialects))


def _read_contracts(
    contracts: list[Document], problems: list[Problem], checked: Collection[str] = ()
) -> dict[str, tuple[Document, AnyContract]]:
    """Return the records of contracts by path; faults of the others' shape become problems."""
    declared = {}
    for document in contracts:
        faults = [] if document.name in checked else list(metaschema.check_shape(document))
        problems += faults
        if not faults:
            declared[document.name] = (document, read_contract(document))
    return declared


def _check_meaning(state: _State, checked: Collection[str] = ()) -> list[Problem]:
    """Return the problems of contracts whose shape is right, except servers named as *checked*."""
    library, found = state.library, [*check_folder(state.shared, state.declared)]
    for document in state.shared:
        found += [*metaschema.check_shape(document, "SharedFile"), *check_schemas(library, document)]
    for document, contract in (each for name, each in state.declared.items() if name not in checked):
        found += [*check_schemas(library, document), *check_environment(document, contract)]
        found += [*check_surroundings(document, contract), *check_events(document, contract)]
        found += check_s_expressions(library, document, contract)
        if isinstance(contract, AgentContract):
            found += check_agent(library, document, contract, state.shared)
            found += check_uses(library, document, contract, state.servers)
        else:
            found += check_asks(library, document, contract)
            found += _check_server(state, document, contract)
    if found or len(state.declared) < len(state.contracts):
        return found
    agents = [(document, each) for document, each in state.declared.values() if isinstance(each, AgentContract)]
    return [problem for document, contract in agents for problem in check_result(library, document, contract)]


def _check_server(state: _State, document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield the problems that only the contract of a server can have."""
    known = {name: dialect for name, dialect in state.dialects.items() if dialect}
    viewer = Viewer(state.library, document, contract, known)
    yield from check_dialect(document, contract, state.dialects)
    yield from check_contract(document, contract, state.shared)
    yield from check_privileges(document, contract)
    for check_part in (check_transports, check_access, check_rows, check_resources, check_prompts):
        yield from check_part(viewer)
    for view in viewer.view_tools():
        for check in TOOL_CHECKS:
            yield from check(view)


TOOL_CHECKS = (
    check_tool,
    check_publications,
    check_idempotency,
    check_rate_limit,
    check_task,
    check_view,
    check_versions,
    check_key_argument,
)
"""The rules of one tool, in their order."""
