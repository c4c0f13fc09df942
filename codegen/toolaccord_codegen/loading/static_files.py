"""Files beside contracts whose content resources, prompts and views have."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.reading import LARGEST_FILE
from toolaccord_codegen.loading.references import as_object, list_items
from toolaccord_codegen.loading.regular_files import read_regular_file


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file."""

    name: str
    """Its path below the contracts folder, with slashes."""
    content: bytes

    def digest(self) -> str:
        """Return a hash of the file's bytes."""
        return hashlib.sha256(self.content).hexdigest()


def read_static_files(folder: Path, contracts: Sequence[Document], problems: list[Problem]) -> dict[str, StaticFile]:
    """Read the files that contracts name, by path; the problems of others are added to the list."""
    files: dict[str, StaticFile] = {}
    for document in contracts:
        for pointer, resource, file in list_static_files(document):
            name = resolve_path(document, file)
            found = _read(folder / name)
            if isinstance(found, bytes) and resource.get("content") == "text" and not _is_utf8(found):
                found = "it is not UTF-8; save it as UTF-8, or make the content binary"
            elif isinstance(found, bytes) and resource.get("kind") == "html" and not _is_utf8(found):
                found = "it is not UTF-8; save it as UTF-8"
            if isinstance(found, bytes):
                files[name] = StaticFile(name, found)
            else:
                problems.append(document.problem(pointer, "STATIC_FILE", f'"{file}" cannot be read: {found}'))
    return files


def list_static_files(document: Document) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Yield each file that a contract names: its pointer, its holder and its path."""
    for at, resource in list_items(document.value, "resources"):
        file = as_object(resource.get("static")).get("file")
        if isinstance(file, str) and ".." not in file:  # the metaschema reports such a path
            yield f"{at}/static/file", resource, file
    for prompt, value in list_items(document.value, "prompts"):
        for at, message in list_items(value, "messages", prompt):
            file = as_object(message.get("image")).get("file")
            if isinstance(file, str) and ".." not in file:
                yield f"{at}/image/file", message, file
    for at, tool in list_items(document.value, "tools"):
        view = as_object(tool.get("view"))
        file = view.get("file")
        if isinstance(file, str) and ".." not in file:
            yield f"{at}/view/file", view, file


def _read(path: Path) -> bytes | str:
    """Return a file's bytes, or the reason why there are none."""
    try:
        content = read_regular_file(path, most=LARGEST_FILE + 1)
    except OSError as error:
        return str(error.strerror)
    return content if len(content) <= LARGEST_FILE else f"it has more than {LARGEST_FILE:,} bytes"


def _is_utf8(content: bytes) -> bool:
    """Tell if bytes are a text."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
