"""The commands `new server` and `new tool`: a contract entry and a handler stub.

Existing lines stay unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codegen.cli import stubs
from codegen.cli.options import NewOptions
from codegen.diagnostics import CommandError, ContractProblems, Problem
from codegen.loading.documents import display_path, parse_document, read_document
from codegen.loading.references import SchemaLibrary, as_array, as_object
from codegen.rules import metaschema
from codegen.rules.contract import check_path, check_tool_names
from codegen.rules.tool import check_tool_name
from codegen.rules.tool_view import view_tools


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """The files of a server, which may not exist yet."""

    name: str
    """The contract's path below the contracts folder."""
    contract: Path
    handlers: Path
    """The folder of the handlers' package."""
    module: Path


def run(options: NewOptions) -> int:
    """Write the files, and print them with the next steps.

    Raises CommandError for invalid names and for files that exist or are missing, ContractProblems for invalid JSON.
    """
    handlers = options.folders.handlers_folder
    files = ServerFiles(
        name=f"{options.system}/{options.server}.json",
        contract=options.folders.contracts / options.system / f"{options.server}.json",
        handlers=handlers,
        module=handlers / options.system / f"{options.server}.py",
    )
    target = stubs.Server(package=options.folders.package, system=options.system, name=options.server)
    for path in _new_tool(files, target, options.tool) if options.tool else _new_server(files, target):
        print(f"wrote   {display_path(path)}")
    print("Next: edit the contract, then `python -m codegen generate`, then write the handler.")
    if not options.tool:
        print(f"To start it by its name, add to [project.scripts]: {target.console_script}")
    return 0


def _new_server(files: ServerFiles, server: stubs.Server) -> list[Path]:
    """Write a contract with one tool and a module of handlers; return the new paths."""
    for path in (files.contract, files.module):
        if path.exists():
            raise CommandError(f"{display_path(path)} exists already")
    tool = f"get_{server.name}"
    text = stubs.contract_text(server, tool)
    _check_contract(files, text)
    _write(files.contract, text)
    written = [files.contract]
    for folder in (files.handlers, files.module.parent):
        package_file = folder / "__init__.py"
        if not package_file.exists():
            _write(package_file, f'"""Handlers: {folder.name}."""\n')
            written.append(package_file)
    _write(files.module, stubs.add_handler(files.module, stubs.module_docstring(server), server, tool))
    return [*written, files.module]


def _new_tool(files: ServerFiles, server: stubs.Server, tool: str) -> list[Path]:
    """Add a tool to a contract and a stub to its handlers; return the changed paths."""
    shown = display_path(files.contract)
    if not files.contract.exists():
        command = f"python -m codegen new server {server.system}/{server.name}"
        raise CommandError(f"{shown} does not exist; make it with: {command}")
    problems: list[Problem] = []
    document = read_document(files.contract, files.name, problems)
    if document is None:
        raise ContractProblems(problems)
    if not as_array(as_object(document.value).get("tools")):
        raise CommandError(f'{shown} has no "tools" to add one to')
    text = stubs.add_tool(document, files.contract.read_bytes().decode(), tool)
    _check_contract(files, text)
    module = files.module.read_bytes().decode() if files.module.exists() else stubs.module_docstring(server)
    module = stubs.add_handler(files.module, module, server, tool)
    _write(files.contract, text)
    _write(files.module, module)
    return [files.contract, files.module]


def _check_contract(files: ServerFiles, text: str) -> None:
    """Raise CommandError for a new contract of a wrong shape or with unusable names."""
    problems: list[Problem] = []
    document = parse_document(text.removeprefix("\ufeff"), files.name, str(files.contract), problems)
    if document:
        problems.extend(metaschema.check_shape(document))
        problems.extend(check_path(document))
        problems.extend(check_tool_names(document))
        problems.extend(
            problem for view in view_tools(SchemaLibrary({}), document, {}) for problem in check_tool_name(view)
        )
    if problems:
        raise CommandError("; ".join(dict.fromkeys(problem.sentence for problem in sorted(problems))))


def _write(path: Path, text: str) -> None:
    """Write a file byte for byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
