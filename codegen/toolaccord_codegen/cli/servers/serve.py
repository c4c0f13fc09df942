"""`toolaccord serve`: run a server as its own command would."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from toolaccord.extras import is_installed
from toolaccord.semantics.releases import VERSION
from toolaccord.server.loading import loading
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.options.serve import ServeOptions
from toolaccord_codegen.cli.servers.fault import find_fault
from toolaccord_codegen.cli.servers.freshness import check_freshness
from toolaccord_codegen.diagnostics import CommandError, suggest
from toolaccord_codegen.loading.documents import display_path, list_contract_paths


def run(options: ServeOptions) -> int:
    """Serve until the server's input ends or a signal stops it; return its exit status.

    Raises CommandError for a server that is unknown, not generated or outdated, and for handlers that are missing or
    cannot be imported.
    """
    folders = options.folders
    sys.path[:0] = [path for path in map(str, folders.handler_roots) if path not in sys.path]
    _check_is_generated(folders, *options.server)
    check_freshness(folders, *options.server)
    module = import_module(_name_module(folders, *options.server))
    _check_handlers(module, folders, *options.server)
    sys.argv[1:] = options.arguments
    return int(module.main())


def work(options: ServeOptions) -> int:
    """Run tasks of a server until a signal stops it; return its exit status.

    Raises CommandError as `run`.
    """
    return run(replace(options, arguments=["--work", *options.arguments]))


def _name_module(folders: Folders, system: str, name: str) -> str:
    """Return the import name of a server's entry point."""
    return f"{folders.package}.{system}.{name}.__main__"


def _check_is_generated(folders: Folders, system: str, name: str) -> None:
    """Raise CommandError unless the server's generated files are there."""
    if is_installed(_name_module(folders, system, name)):
        return
    if (folders.contracts / system / f"{name}.json").is_file():
        again = f"run: {folders.generate_command(program_name())}"
        raise CommandError(f"{system}/{name} is not generated yet; {again}")
    raise CommandError(f"there is no server {system}/{name}; {_suggest(folders, f'{system}/{name}')}")


def _suggest(folders: Folders, server: str) -> str:
    """Return the nearest server's name, or the command that starts a project."""
    names = list(list_contract_paths(folders.contracts))
    start = f"`{program_name()} init {server}` starts a project"
    return suggest(server, names) if names else f"{display_path(folders.contracts)} has no contract: {start}"


def _check_handlers(module: ModuleType, folders: Folders, system: str, name: str) -> None:
    """Raise CommandError for handlers that cannot be imported, or lack a coroutine."""
    if not hasattr(module, "create_server"):  # an agent
        return
    handlers = f"{folders.handlers}.{system}.{name}"
    shown = display_path(folders.handlers_folder / system / f"{name}.py")
    hint = f"`{program_name()} check` names every handler that it needs"
    if not is_installed(handlers):
        raise CommandError(f"{shown} is missing; {hint}")
    try:
        with loading(f"{system}/{name}", VERSION):
            module.create_server()
    except Exception as error:
        if isinstance(error, AttributeError) and getattr(error.obj, "__name__", None) == handlers:
            raise CommandError(f"{shown} has no coroutine {error.name}; {hint}") from error
        fault = find_fault(error, folders.project.folder.resolve())
        place = f"{display_path(Path(fault.path))}:{fault.line}"
        raise CommandError(f"{place}: {fault.kind}: {fault.sentence}") from error
