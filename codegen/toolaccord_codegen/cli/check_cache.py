"""Cache of the last run, so that a `check` of unchanged inputs need not compile.

A missing or invalid cache costs time only.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.emit.locked_folder import BlockedPathError, lock_folder
from toolaccord_codegen.emit.output_tree import compute_digest, list_files
from toolaccord_codegen.emit.ruff import find_ruff
from toolaccord_codegen.emit.server_cache import CachedServer
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.documents import SCHEMA_FILE, list_contract_paths
from toolaccord_codegen.loading.reading import LARGEST_FILE
from toolaccord_codegen.loading.regular_files import read_regular_file
from toolaccord_codegen.rules.handlers.signatures import handler_module_path

FOLDER = Path(".cache/toolaccord")
"""The folder of the cache in a project; it has one file per package."""
COMPILER = Path(__file__).parents[1]
DISTRIBUTIONS = (".dist-info", ".egg-info", ".egg-link", ".pth")
"""Suffixes of installed distributions, and of files that add others to Python's path."""

Digests = Mapping[str, str | None]
"""Hashes by path; None for a file that cannot be read."""


class Inputs(NamedTuple):
    """Digests of every input of a run."""

    compiler: str = ""
    """The compiler and everything that it runs on."""
    project: str = ""
    """Contracts, handlers and options."""


NO_INPUTS = Inputs()
"""Digests that no run has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedRun:
    """The inputs and the results of a run."""

    inputs: Inputs = NO_INPUTS
    output: str = ""
    """A digest of the generated files."""
    handler_problems: tuple[str, ...] = ()
    query_notes: tuple[str, ...] = ()
    """The doubts about queries: neither proved nor disproved."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Digests of the modules of models and of the schemas behind each, by path."""
    servers: Mapping[str, CachedServer] = field(default_factory=dict)
    """The servers without problems, by contract."""
    summary: str = ""
    """The number of servers, tools and agents, as text."""
    linted_on: str = ""
    """The day, YYYY-MM-DD, of the last lint without findings.

    Empty where lint had findings or did not run.
    """
    lint_summary: str = ""
    """The summary of that lint."""


def load_run(project: Path, package: str) -> CachedRun:
    """Return the cached run of a project's package.

    It is empty where the file is missing, damaged or of another version.
    """
    try:
        recorded, _, text = read_regular_file(project / FOLDER / f"{package}.json").decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return CachedRun()
    if compute_digest(text) != recorded:
        return CachedRun()
    value = json.loads(text)
    if value.keys() != {each.name for each in fields(CachedRun)}:
        return CachedRun()
    try:
        inputs = Inputs(*value["inputs"])
        texts = {name: tuple(value[name]) for name in ("handler_problems", "query_notes")}
        servers = {name: CachedServer(*each) for name, each in value["servers"].items()}
    except TypeError:
        return CachedRun()
    return CachedRun(**{**value, **texts, "inputs": inputs, "servers": servers})


def store_run(project: Path, package: str, run: CachedRun) -> None:
    """Store a run for the next one."""
    text = json.dumps(asdict(run), indent=1)
    # Without write access, or behind a symbolic link, the next run only takes longer.
    with suppress(OSError, BlockedPathError), lock_folder(project / FOLDER, below=project) as folder:
        folder.replace(".gitignore", "*\n")
        folder.replace(f"{package}.json", f"{compute_digest(text)}\n{text}")


def digest_compiler() -> str:
    """Return a digest of the compiler.

    It covers the compiler's files, Python, and every package and program that the compiler may run.
    """
    formatter = Path(find_ruff())
    stat = formatter.stat() if formatter.exists() else None
    environment = {
        "python": sys.version,
        "packages": _installed_distributions(),
        "formatter": [str(formatter), stat.st_size, stat.st_mtime_ns] if stat else [],
    }
    return compute_digest(json.dumps([environment, _digest_own_files()]))


@cache
def _digest_own_files() -> str:
    """Return a digest of the compiler's files as they are when a process first needs it.

    Later changes of the files do not change the code that the process has loaded.
    """
    return digest_folder(COMPILER)


def _installed_distributions() -> list[str]:
    """Return every distribution on Python's path by its folder, whose name has the version.

    Reading metadata would take longer.
    """
    folders = [folder for folder in (each or os.curdir for each in sys.path) if Path(folder).is_dir()]
    return sorted(each.path for folder in folders for each in os.scandir(folder) if each.name.endswith(DISTRIBUTIONS))


def digest_project(contracts: Path, layout: Layout, folders: Folders) -> str:
    """Return a digest of a project.

    It covers the current folder, the layout, every file of the contracts folder that is not written there, the
    handlers with their SQL, and the modules or top packages of the project's kinds of sources.
    """
    roots, sources = folders.handler_roots, folders.sources
    call = [str(Path.cwd()), os.path.realpath(contracts), repr(layout), sorted(sources.items())]
    # Resources may have any file as content.
    paths = sorted(path for path in contracts.rglob("*") if path.is_file() and path != contracts / SCHEMA_FILE)
    # A larger file is never compiled, so its beginning is enough.
    files = {path.as_posix(): _digest_file(path, most=LARGEST_FILE + 1) for path in paths}
    servers = [path.split("/") for path in list_contract_paths(contracts)]
    modules = [handler_module_path(system, server, layout.handlers, roots) for system, server in servers]
    queries = [path for path in (folders.locate_queries(*each) for each in servers) if path.exists()]
    # Any module beside a SQL file may send statements of its own.
    modules += [*queries, *sorted({module for path in queries for module in path.parent.glob("*.py")})]
    handlers = [(str(path), _digest_file(path)) if path and path.exists() else None for path in modules]
    migrations = [digest_folder(folders.find_migrations(system)) for system in sorted({each[0] for each in servers})]
    packages = sorted({value.partition(":")[0].partition(".")[0] for value in sources.values()})
    kinds = [
        (digest_folder(root / name), _digest_file(root / f"{name}.py")) for root in roots for name in packages
    ]  # A kind's class may come from any module of its package.
    return compute_digest(json.dumps([call, files, handlers, migrations, kinds]))


def digest_files(digests: Digests) -> str:
    """Return one digest of files by their own digests."""
    return compute_digest(json.dumps(digests, sort_keys=True))


def digest_folder(folder: Path) -> str:
    """Return a digest of all files of a folder except byte code."""
    return digest_files({path: _digest_file(folder / path) for path in list_files(folder)})


def _digest_file(path: Path, *, most: int = -1) -> str | None:
    """Return a hash of a file's bytes, at most *most* of them.

    None where it cannot be read, which the compiler reports.
    """
    try:
        return hashlib.sha256(read_regular_file(path, most=most)).hexdigest()
    except OSError:
        return None
