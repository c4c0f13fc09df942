"""Check and write new files of a project."""

from __future__ import annotations

from pathlib import Path

from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.cli.start.stubs import Server
from toolaccord_codegen.diagnostics import CommandError, Problem
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.contract import check_path, check_tool_names
from toolaccord_codegen.rules.tool import check_tool_name
from toolaccord_codegen.rules.tool_view import Viewer


def check_contract(server: Server, text: str) -> None:
    """Raise CommandError for a new contract of a wrong shape or with unusable names."""
    problems: list[Problem] = []
    document = parse_document(text.removeprefix("\ufeff"), server.contract_name, str(server.contract), problems)
    if document:
        problems.extend(metaschema.check_shape(document))
        problems.extend(check_path(document))
    if document and not problems:
        contract = read_record(ServerContract, document.value)
        problems.extend(check_tool_names(document, contract))
        views = Viewer(SchemaLibrary({}), document, contract, {}).view_tools()
        problems.extend(problem for view in views for problem in check_tool_name(view))
    if problems:
        raise CommandError("; ".join(dict.fromkeys(problem.sentence for problem in sorted(problems))))


def write_file(path: Path, text: str) -> None:
    """Write a file byte for byte, and print its path.

    Raises CommandError where a symbolic link would lead to another place than the path says.
    """
    if link := next((each for each in (path, *path.parents) if not each.is_absolute() and each.is_symlink()), None):
        raise CommandError(f"{display_path(link)} is a symbolic link; remove it, or run the command where it leads")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    print(f"wrote   {display_path(path)}")


def write_packages(server: Server) -> None:
    """Make packages of the folders of a server's handlers."""
    for folder in (server.module.parents[1], server.module.parent):
        if not (folder / "__init__.py").exists():
            write_file(folder / "__init__.py", f'"""Handlers: {folder.name}."""\n')
