"""Additions to a pyproject.toml; every present line stays."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import Table

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.requirements import read_project_name

NAME = "pyproject.toml"
REQUIREMENTS = {"project.dependencies", "dependency-groups.dev"}
"""Lists that get what they lack; any other key that is there stays as it is."""


def extend_pyproject(file: Path, wanted: str) -> list[str]:
    """Add to a pyproject.toml the keys that it lacks of another one's text; return their names.

    A project that is there keeps its name and its build system. Raises CommandError for a file that is no TOML.
    """
    present, addition = read_pyproject(file), tomlkit.parse(wanted)
    if "project" in present:
        for table, key in ((addition, "build-system"), (addition["tool"], "hatch")):
            table.pop(key, None)
        managed = {"dependencies", "scripts"} - {*present["project"].get("dynamic", ())}
        for key in addition["project"].keys() - managed:
            addition["project"].pop(key)
    added = list(_add_missing(present, addition, ""))
    if added:
        _write(file, present)
    return added


def add_script(file: Path, name: str, target: str) -> bool:
    """Add a console script to a pyproject.toml; return False where it is there or has no place.

    Raises CommandError for a file that is no TOML.
    """
    if not file.is_file():
        return False
    present = read_pyproject(file)
    project = present.get("project")
    if project is None or "scripts" in project.get("dynamic", ()):
        return False
    if not list(_add_missing(project, {"scripts": {name: target}}, "project.")):
        return False
    _write(file, present)
    return True


def read_pyproject(file: Path) -> tomlkit.TOMLDocument:
    """Read a pyproject.toml; a missing one is empty. Raises CommandError for any other text."""
    try:
        return tomlkit.parse(file.read_bytes() if file.exists() else b"")
    except (ParseError, UnicodeDecodeError) as error:
        raise CommandError(f"{display_path(file)} is no TOML: {error}") from error


def _write(file: Path, document: tomlkit.TOMLDocument) -> None:
    """Write a pyproject.toml whose lines all end alike."""
    text = tomlkit.dumps(document)
    newline = "\r\n" if "\r\n" in text else "\n"
    file.write_bytes(text.replace("\r\n", "\n").replace("\n", newline).encode())


def _add_missing(present: MutableMapping[str, Any], wanted: MutableMapping[str, Any], path: str) -> Iterator[str]:
    """Add the keys that a table lacks, and yield their names."""
    for key, value in wanted.items():
        name = f"{path}{key}"
        if key not in present:
            present[key] = value
            is_prefix = isinstance(value, Table) and value.is_super_table()  # of `tool`, which has no line of its own
            yield from (f"{name}.{each}" for each in value) if is_prefix else (name,)
        elif isinstance(value, MutableMapping) and isinstance(present[key], MutableMapping):
            yield from _add_missing(present[key], value, f"{name}.")
        elif name in REQUIREMENTS:
            for requirement in value:
                if read_project_name(requirement) not in map(read_project_name, present[key]):
                    present[key].append(requirement)
                    yield f"{name}: {requirement}"
