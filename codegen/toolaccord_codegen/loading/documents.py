"""JSON files of a contracts folder, with the position of every value."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.json_locations import LineIndex, OffsetIndex

SCHEMA_FILE = "contract.schema.json"
"""The file at the top of a contracts folder from which editors complete contracts."""
DIALECTS_FILE = "dialects.json"
"""The file at the top of a contracts folder that defines envelopes."""
OWN_SCHEMA, OWN_DIALECTS = (Path(__file__).parents[1] / name for name in (SCHEMA_FILE, DIALECTS_FILE))
"""The compiler's schema of contracts, and the dialects that every folder has."""
ACCEPTED_SUFFIX = ".accepted.json"
"""The suffix of a file beside a contract that lists accepted findings."""


@dataclass(frozen=True)
class Document:
    """One JSON file."""

    name: str
    """Its path below the contracts folder, with slashes."""
    display_path: str
    """Its path as problems show it."""
    text: str
    value: Any

    @cached_property
    def lines(self) -> LineIndex:
        """Return the index of its lines."""
        return LineIndex(self.text)

    @cached_property
    def places(self) -> OffsetIndex:
        """Return the index of its values' offsets."""
        return OffsetIndex(self.text)

    def problem(self, pointer: str, rule: str, sentence: str, *, key: bool = False) -> Problem:
        """Return a problem at the value, or at the key, of a pointer.

        A missing value is replaced by its nearest parent.
        """
        return Problem(self.display_path, *self.position(pointer, key=key), rule, sentence)

    def position(self, pointer: str, *, key: bool = False) -> tuple[int, int]:
        """Return the line and column of the value, or of the key, of a pointer.

        A missing value is replaced by its nearest parent.
        """
        return self.lines.position(self.places.key(pointer) if key else self.places.value(pointer))

    @property
    def is_agent(self) -> bool:
        """Return True for the contract of an agent; any other is of a server."""
        return isinstance(self.value, dict) and "agent" in self.value

    def digest(self) -> str:
        """Return a hash of the file's value, independent of formatting."""
        canonical = json.dumps(self.value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def value_at(self, pointer: str) -> Any:
        """Return the value at a pointer.

        Raises LookupError without one.
        """
        value = self.value
        for token in split_pointer(pointer):
            value = value[int(token)] if isinstance(value, list) else value[token]
        return value


def display_path(path: Path) -> str:
    """Return a path for people: relative where it is below the current folder."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() fails for a loop of symbolic links
    here = Path.cwd()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else absolute.as_posix()


def list_json_files(folder: Path) -> Iterator[str]:
    """Yield the names of a folder's JSON files, sorted: contracts, dialects and shared files.

    Hidden files and files of accepted findings are left out. Contracts are at `<system>/<server>.json`.
    """
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).as_posix()
        if is_contract_file(name):
            yield name


def list_contract_paths(folder: Path) -> Iterator[str]:
    """Yield the path SYSTEM/NAME of each contract of a folder, sorted."""
    yield from (name.removesuffix(".json") for name in list_json_files(folder) if name.count("/") == 1)


def list_accepted_files(folder: Path) -> Iterator[str]:
    """Yield the names of a folder's files of accepted findings, sorted."""
    yield from (path.relative_to(folder).as_posix() for path in sorted(folder.rglob(f"*{ACCEPTED_SUFFIX}")))


def no_contracts_problem(folder: str) -> Problem:
    """Return the problem of a folder without contracts; most likely its path is a mistake."""
    return Problem(
        folder,
        1,
        1,
        "NO_CONTRACTS",
        "no <system>/<server>.json lies in this folder; `toolaccord init SYSTEM/NAME` starts a project",
    )


def is_contract_file(name: str) -> bool:
    """Return True for a visible JSON file that is no file of accepted findings."""
    hidden = any(part.startswith(".") for part in name.split("/"))
    return name.endswith(".json") and not name.endswith(ACCEPTED_SUFFIX) and not hidden


def is_shared_file(name: str) -> bool:
    """Return True for a file at the top of the folder that holds schemas."""
    return "/" not in name and name not in {DIALECTS_FILE, SCHEMA_FILE}


def split_reference(document: Document, reference: str) -> tuple[str, str]:
    """Split a `$ref` into a file's name in the contracts folder and a pointer."""
    file, _, pointer = reference.partition("#")
    return resolve_path(document, file) if file else document.name, pointer


def resolve_path(document: Document, path: str) -> str:
    """Return the name in the contracts folder of a file to which a document has a relative path."""
    parts: list[str] = []
    for part in (*PurePosixPath(document.name).parent.parts, *PurePosixPath(path).parts):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
