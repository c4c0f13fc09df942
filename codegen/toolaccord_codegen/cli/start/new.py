"""The commands `new server` and `new tool`: a contract entry and a handler stub.

Existing lines stay unchanged.
"""

from __future__ import annotations

from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.new import NewServerOptions, NewToolOptions
from toolaccord_codegen.cli.pyproject import NAME, add_script
from toolaccord_codegen.cli.start import stubs
from toolaccord_codegen.cli.start.new_files import check_contract, write_file, write_packages
from toolaccord_codegen.diagnostics import CommandError, ContractProblems, Problem
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.reading import read_document
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.regular_files import read_utf8


def add_server(options: NewServerOptions) -> int:
    """Write a contract with one tool and a module of handlers; print what comes next.

    Raises CommandError for invalid names and for files that exist.
    """
    server = stubs.Server.locate(options.folders, options.server)
    for path in (server.contract, server.module):
        if path.exists():
            raise CommandError(f"{display_path(path)} exists already")
    tool = f"get_{server.name}"
    text = stubs.contract_text(server, tool)
    check_contract(server, text)
    write_file(server.contract, text)
    write_packages(server)
    write_file(server.module, stubs.add_handler(stubs.module_docstring(server), server, tool))
    _add_script(options, server)
    _print_next(options)
    return 0


def add_tool(options: NewToolOptions) -> int:
    """Add a tool to a contract and a stub to its handlers; print what comes next.

    Raises CommandError for invalid names and for a missing contract, ContractProblems for invalid JSON.
    """
    server = stubs.Server.locate(options.folders, options.server)
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
    check_contract(server, text)
    module = read_utf8(server.module) if server.module.exists() else stubs.module_docstring(server)
    module = stubs.add_handler(module, server, options.tool)
    write_file(server.contract, text)
    write_file(server.module, module)
    _print_next(options)
    return 0


def _print_next(options: NewServerOptions) -> None:
    """Print the next steps after a new server or tool."""
    command = options.folders.generate_command(program_name())
    print(f"Next: edit the contract, then `{command}`, then write the handler.")


def _add_script(options: NewServerOptions, server: stubs.Server) -> None:
    """Add the server's console script to the project's pyproject.toml, or print its line."""
    folders = options.folders
    file = folders.scripts or folders.project.folder / NAME
    name, target = server.mcp_name, server.console_script
    if folders.project.file and add_script(file, name, target):
        print(f"added   {display_path(file)}: project.scripts.{name}")
    else:
        print(f'To start it by its name, add to [project.scripts]:\n  {name} = "{target}"')
