"""A contracts folder read, judged and turned into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.diagnostics import ContractProblems, Problem
from codegen.ir.build import contract_of, dialect_of
from codegen.ir.contract import Contract, Dialect
from codegen.loading.documents import Document, accepted_files, is_shared, json_files, no_contracts, read, shown_path
from codegen.loading.protobuf import Protocol, protocols, stubs
from codegen.loading.references import Library
from codegen.rules import metaschema
from codegen.rules.contract import contract_faults, folder_faults
from codegen.rules.dialects import dialect_documents, named_dialects
from codegen.rules.environment import environment_faults
from codegen.rules.idempotency import idempotency_faults
from codegen.rules.schema import schema_faults
from codegen.rules.tool import tool_faults
from codegen.rules.tool_view import views
from codegen.suppression_rules import file_faults
from codegen.versions.rules import version_faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Contracts:
    """All contracts of a folder, free of faults."""

    contracts: tuple[Contract, ...]
    library: Library
    documents: tuple[Document, ...]
    """Every JSON file that was read, dialects included, for their digests."""
    protocols: tuple[Protocol, ...] = ()
    """Every `.proto` file, for the same."""
    stubs: Mapping[str, str] = field(default_factory=dict)
    """What protoc makes of them, by path, as it comes."""

    @property
    def dialects(self) -> list[Dialect]:
        """The dialects in use, by name."""
        return sorted({c.dialect.name: c.dialect for c in self.contracts}.values(), key=lambda d: d.name)


def compiled(folder: Path) -> Contracts:
    """Read and judge every contract of a folder.

    Raises ContractProblems with all faults of all files.
    """
    problems: list[Problem] = []
    dialect_files = dialect_documents(folder, problems)
    names = list(json_files(folder))
    shared_documents = documents(folder, [name for name in names if is_shared(name)], problems)
    room_documents = documents(folder, [name for name in names if name.count("/") == 1], problems)
    problems += place_faults(folder, names)
    library = Library({document.name: document for document in (*shared_documents, *room_documents)})
    dialects = {name: value for file in dialect_files for name, value in named_dialects(file).items()}
    problems += faults(library, shared_documents, room_documents, dialects)
    problems += acceptance_faults(folder, list(library.documents), problems)
    proto_files = protocols(folder, problems)
    made = stubs(proto_files, problems)
    if problems:
        raise ContractProblems(problems)
    records = {name: dialect_of(name, value) for name, value in dialects.items()}
    return Contracts(
        contracts=tuple(contract_of(library, document, records) for document in room_documents),
        library=library,
        documents=(*dialect_files, *shared_documents, *room_documents),
        protocols=tuple(proto_files),
        stubs=made,
    )


def documents(folder: Path, names: list[str], problems: list[Problem]) -> list[Document]:
    """The files of a folder that can be read; why others cannot is added to the problems."""
    found = [read(folder / name, name, problems) for name in names]
    return [document for document in found if document]


def acceptance_faults(folder: Path, files: list[str], problems: list[Problem]) -> list[Problem]:
    """What is wrong with the files that accept findings, whatever is found."""
    found = documents(folder, list(accepted_files(folder)), problems)
    return [fault for document in found for fault in file_faults(document, files)]


def place_faults(folder: Path, names: list[str]) -> Iterator[Problem]:
    """A folder without contracts, and files that lie too deep to be one."""
    if not any("/" in name for name in names):
        yield no_contracts(shown_path(folder))
    for name in names:
        if name.count("/") > 1:
            sentence = "a contract lies at <system>/<room>.json of the contracts folder; move this file"
            yield Problem(shown_path(folder / name), 1, 1, "PATH_DEPTH", sentence)


def faults(
    library: Library, shared: list[Document], rooms: list[Document], dialects: Mapping[str, Any]
) -> list[Problem]:
    """Every fault of every file that could be read."""
    found: list[Problem] = []
    for document in shared:
        found.extend(metaschema.faults(document, "SharedFile"))
        found.extend(schema_faults(library, document))
    for document in rooms:
        found.extend(metaschema.faults(document))
        found.extend(schema_faults(library, document))
        found.extend(contract_faults(document, dialects, shared))
        found.extend(environment_faults(document))
        found.extend(idempotency_faults(document, dialects))
        for view in views(library, document, dialects):
            found.extend(tool_faults(view))
            found.extend(version_faults(view))
    found.extend(folder_faults(shared, rooms))
    return found
