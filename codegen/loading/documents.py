"""The files of a contracts folder, read once, with the place of every value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from jsonpointer import escape, unescape

from codegen.diagnostics import Problem
from codegen.loading.json_locations import LineIndex, OffsetIndex
from codegen.loading.json_parser import JSONSyntaxError, parse_json

OWN_CONTRACTS = Path(__file__).parents[2] / "contracts"
"""Where toolpact's own contract.schema.json and dialects.json lie."""
DIALECTS_FILE = "dialects.json"
"""The file at the top of a contracts folder that says how answers are wrapped."""
SUPPRESSIONS_SUFFIX = ".accepted.json"
"""What the name of a file ends with that lies beside a contract and says which findings about it are accepted."""


@dataclass(frozen=True)
class Document:
    """One JSON file."""

    name: str
    """Its path below the contracts folder, with slashes."""
    display_path: str
    """Its path as problems name it."""
    text: str
    value: Any

    @cached_property
    def lines(self) -> LineIndex:
        """Its lines."""
        return LineIndex(self.text)

    @cached_property
    def places(self) -> OffsetIndex:
        """Where everything in it stands."""
        return OffsetIndex(self.text)

    def problem(self, pointer: str, rule: str, sentence: str, *, key: bool = False) -> Problem:
        """A problem at the value, or at the key, that a pointer names; at its nearest parent if it has none."""
        return Problem(self.display_path, *self.position(pointer, key=key), rule, sentence)

    def position(self, pointer: str, *, key: bool = False) -> tuple[int, int]:
        """The line and column of the value, or of the key, that a pointer names; of its nearest parent if it has none."""
        return self.lines.position(self.places.key(pointer) if key else self.places.value(pointer))

    def digest(self) -> str:
        """A hash of what the file says; formatting does not change it."""
        canonical = json.dumps(self.value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def value_at(self, pointer: str) -> Any:
        """The value at a pointer.

        Raises LookupError where there is none.
        """
        value = self.value
        for token in split_pointer(pointer):
            value = value[int(token)] if isinstance(value, list) else value[token]
        return value


def read_document(path: Path, name: str, problems: list[Problem]) -> Document | None:
    """Read one file; None where it is no JSON, with the reason among the problems."""
    shown = display_path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.append(Problem(shown, 1, 1, "FILE_UNREADABLE", f"the file cannot be read: {error.strerror}"))
        return None
    return decode_document(content, name, shown, problems)


def decode_document(content: bytes, name: str, shown: str, problems: list[Problem]) -> Document | None:
    """The document that the bytes of a file are; None where they are no JSON, with the reason among the problems."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        line, column = LineIndex(before).position(len(before))
        problems.append(Problem(shown, line, column, "JSON_ENCODING", "this is not UTF-8; save the file as UTF-8"))
        return None
    return parse_document(text, name, shown, problems)


def parse_document(text: str, name: str, shown: str, problems: list[Problem]) -> Document | None:
    """The document that a text is; None where it is no JSON, with the reason among the problems."""

    def complain(offset: int, rule: str, sentence: str) -> None:
        problems.append(Problem(shown, *LineIndex(text).position(offset), rule, sentence))

    try:
        value = parse_json(text, complain)
    except JSONSyntaxError as error:
        complain(error.offset, "JSON_SYNTAX", error.sentence)
        return None
    return Document(name, shown, text, value)


def display_path(path: Path) -> str:
    """A path as people want to read it: relative to here where it lies below."""
    absolute = path.resolve()
    here = Path.cwd()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else absolute.as_posix()


def list_json_files(folder: Path) -> Iterator[str]:
    """The JSON files of a folder, sorted, without hidden ones: shared files at its top, `<system>/<server>.json` below."""
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).as_posix()
        if is_contract_file(name):
            yield name


def list_suppression_files(folder: Path) -> Iterator[str]:
    """The files of a folder that say which findings are accepted, sorted."""
    yield from (path.relative_to(folder).as_posix() for path in sorted(folder.rglob(f"*{SUPPRESSIONS_SUFFIX}")))


def no_contracts_problem(folder: str) -> Problem:
    """That nothing lies in a folder that could be judged: its path was mistaken, most likely."""
    return Problem(folder, 1, 1, "NO_CONTRACTS", "no <system>/<server>.json lies in this folder")


def is_contract_file(name: str) -> bool:
    """Whether a file of the contracts folder, by its path in it, says what is promised; others say what is accepted."""
    hidden = any(part.startswith(".") for part in name.split("/"))
    return name.endswith(".json") and not name.endswith(SUPPRESSIONS_SUFFIX) and not hidden


def is_shared_file(name: str) -> bool:
    """Whether a file at the top of the folder holds schemas."""
    return "/" not in name and name not in {DIALECTS_FILE, "contract.schema.json"}


def split_reference(document: Document, reference: str) -> tuple[str, str]:
    """Split a `$ref` into the file it names, relative to the contracts folder, and the pointer."""
    file, _, pointer = reference.partition("#")
    if not file:
        return document.name, pointer
    parts: list[str] = []
    for part in (*PurePosixPath(document.name).parent.parts, *PurePosixPath(file).parts):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts), pointer


def join_pointer(pointer: str, *keys: str | int) -> str:
    """A pointer extended by keys and indexes."""
    return pointer + "".join(f"/{escape(str(key))}" for key in keys)


def split_pointer(pointer: str) -> tuple[str, ...]:
    """The keys and indexes of a JSON pointer (RFC 6901), read leniently: a contract may hold any text as one."""
    return tuple(map(unescape, pointer.split("/")[1:]))
