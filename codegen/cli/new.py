"""The commands `new server` and `new tool`: a contract entry and a handler stub.

Existing lines stay unchanged.
"""

from __future__ import annotations

from pathlib import Path

from codegen.cli import stubs
from codegen.cli.options.arguments import program_name
from codegen.cli.options.new import NewServerOptions, NewToolOptions
from codegen.diagnostics import CommandError, ContractProblems, Problem
from codegen.loading.documents import display_path, parse_document, read_document
from codegen.loading.references import SchemaLibrary, as_array, as_object
from codegen.loading.text_files import read_utf8
from codegen.rules import metaschema
from codegen.rules.contract import check_path, check_tool_names
from codegen.rules.tool import check_tool_name
from codegen.rules.tool_view import view_tools


def add_server(options: NewServerOptions) -> int:
    """Write a contract with one tool and a module of handlers; print what comes next.

    Raises CommandError for invalid names and for files that exist.
    """
    server = _locate_server(options)
    for path in (server.contract, server.module):
        if path.exists():
            raise CommandError(f"{display_path(path)} exists already")
    tool = f"get_{server.name}"
    text = stubs.contract_text(server, tool)
    _check_contract(server, text)
    _write(server.contract, text)
    for folder in (server.module.parents[1], server.module.parent):
        if not (folder / "__init__.py").exists():
            _write(folder / "__init__.py", f'"""Handlers: {folder.name}."""\n')
    _write(server.module, stubs.add_handler(stubs.module_docstring(server), server, tool))
    _print_next(options)
    print(f"To start it by its name, add to [project.scripts]: {server.console_script}")
    return 0


def add_tool(options: NewToolOptions) -> int:
    """Add a tool to a contract and a stub to its handlers; print what comes next.

    Raises CommandError for invalid names and for a missing contract, ContractProblems for invalid JSON.
    """
    server = _locate_server(options)
    shown = display_path(server.contract)
    if not server.contract.exists():
        command = f"{program_name()} new server {server.system}/{server.name}"
        raise CommandError(f"{shown} does not exist; make it with: {command}")
    problems: list[Problem] = []
    document = read_document(server.contract, server.contract_name, problems)
    if document is None:
        raise ContractProblems(problems)
    if not as_array(as_object(document.value).get("tools")):
        raise CommandError(f'{shown} has no "tools" to add one to')
    text = stubs.add_tool(document, read_utf8(server.contract), options.tool)
    _check_contract(server, text)
    module = read_utf8(server.module) if server.module.exists() else stubs.module_docstring(server)
    module = stubs.add_handler(module, server, options.tool)
    _write(server.contract, text)
    _write(server.module, module)
    _print_next(options)
    return 0


def _locate_server(options: NewServerOptions) -> stubs.Server:
    """Return the names and the files of a server, which may not exist yet."""
    (system, name), folders = options.server, options.folders
    return stubs.Server(
        package=folders.package,
        system=system,
        name=name,
        contract=folders.contracts / system / f"{name}.json",
        module=folders.handlers_folder / system / f"{name}.py",
    )


def _print_next(options: NewServerOptions) -> None:
    """Print the next steps after a new server or tool."""
    command = options.folders.generate_command(program_name())
    print(f"Next: edit the contract, then `{command}`, then write the handler.")


def _check_contract(server: stubs.Server, text: str) -> None:
    """Raise CommandError for a new contract of a wrong shape or with unusable names."""
    problems: list[Problem] = []
    document = parse_document(text.removeprefix("\ufeff"), server.contract_name, str(server.contract), problems)
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
    """Write a file byte for byte, and print its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    print(f"wrote   {display_path(path)}")
