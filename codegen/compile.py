"""A contracts folder read, judged and turned into records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen import metaschema
from codegen.contract import Contract, Dialect, contract_of, dialect_of
from codegen.contract_rules import contract_faults, folder_faults
from codegen.documents import OWN_CONTRACTS, Document, contract_files, read
from codegen.environment_rules import environment_faults
from codegen.idempotency_rules import idempotency_faults
from codegen.problems import ContractProblems, Problem
from codegen.protocols import Protocol, protocols, stubs
from codegen.references import Library, as_object
from codegen.schema_rules import schema_faults
from codegen.tool_rules import tool_faults, views

DIALECTS = "dialects.json"


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
    shared = [read(path, path.name, problems) for path in sorted(folder.glob("*.json")) if is_shared(path)]
    rooms = [read(folder / name, name, problems) for name in contract_files(folder)]
    if not rooms:
        problems.append(Problem(str(folder), 1, 1, "NO_CONTRACTS", "no <system>/<room>.json lies in this folder"))
    shared_documents = [document for document in shared if document]
    room_documents = [document for document in rooms if document]
    library = Library({document.name: document for document in (*shared_documents, *room_documents)})
    dialects = {name: value for file in dialect_files for name, value in named_dialects(file).items()}
    problems += faults(library, shared_documents, room_documents, dialects)
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


def is_shared(path: Path) -> bool:
    """Whether a file at the top of the folder holds schemas."""
    return path.name not in {DIALECTS, "contract.schema.json"}


def dialect_documents(folder: Path, problems: list[Problem]) -> list[Document]:
    """toolpact's own dialects, then the folder's; a name said again replaces the first."""
    paths = dict.fromkeys((OWN_CONTRACTS / DIALECTS, (folder / DIALECTS).resolve()))
    found = [read(path, DIALECTS, problems) for path in paths if path.exists()]
    documents = [document for document in found if document]
    for document in documents:
        problems.extend(metaschema.faults(document, "DialectsFile"))
        problems.extend(fault for name in named_dialects(document) for fault in occasion_faults(document, name))
    return documents


def named_dialects(document: Document) -> dict[str, Any]:
    """The dialects of a file, by name."""
    return {name: part for name, part in as_object(document.value).items() if name[0] != "$" and name[:2] != "x-"}


def occasion_faults(document: Document, name: str) -> list[Problem]:
    """Occasions with a code that the dialect does not explain."""
    dialect = as_object(as_object(document.value).get(name))
    codes = as_object(dialect.get("codes"))
    return [
        document.problem(f"/{name}/occasions/{occasion}", "CODE_UNDECLARED", f"{code} is not among the dialect's codes")
        for occasion, code in as_object(dialect.get("occasions")).items()
        if code not in codes
    ]


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
        found.extend(contract_faults(document, dialects))
        found.extend(environment_faults(document))
        found.extend(idempotency_faults(document, dialects))
        for view in views(library, document, dialects):
            found.extend(tool_faults(view))
    found.extend(folder_faults(rooms))
    return found
