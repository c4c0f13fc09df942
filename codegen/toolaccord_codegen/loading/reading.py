"""Reading of the JSON files of a contracts folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document, display_path
from toolaccord_codegen.loading.json_locations import LineIndex
from toolaccord_codegen.loading.json_parser import JSONSyntaxError, parse_json
from toolaccord_codegen.loading.references import link_definitions
from toolaccord_codegen.loading.regular_files import read_regular_file

LARGEST_FILE = 2**20
"""Most bytes of a file of a contracts folder; our largest contract has a fiftieth of that."""


def read_document(path: Path, name: str, problems: list[Problem]) -> Document | None:
    """Read one file; None where it is no JSON, with the reason added to the problems."""
    content = read_contract_file(path, problems)
    return None if content is None else decode_document(content, name, display_path(path), problems)


def read_contract_file(path: Path, problems: list[Problem]) -> bytes | None:
    """Read the bytes of a file of a contracts folder, and of a larger file their beginning.

    None where it cannot be read, with the reason added to the problems.
    """
    try:
        return read_regular_file(path, most=LARGEST_FILE + 1)
    except OSError as error:
        sentence = f"the file cannot be read: {error.strerror}"
        problems.append(Problem(display_path(path), 1, 1, "FILE_UNREADABLE", sentence))
        return None


def check_size(content: bytes, shown: str, problems: list[Problem]) -> bool:
    """Tell if a file is small enough to be read; add a problem if it is not."""
    if len(content) > LARGEST_FILE:
        sentence = f"the file cannot be read: it has more than {LARGEST_FILE:,} bytes; divide it"
        problems.append(Problem(shown, 1, 1, "FILE_UNREADABLE", sentence))
    return len(content) <= LARGEST_FILE


def decode_document(content: bytes, name: str, shown: str, problems: list[Problem]) -> Document | None:
    """Parse a file's bytes; None where they are no JSON, with the reason added to the problems."""
    if not check_size(content, shown, problems):
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        line, column = LineIndex(before).position(len(before))
        problems.append(Problem(shown, line, column, "JSON_ENCODING", "this is not UTF-8; save the file as UTF-8"))
        return None
    return parse_document(text, name, shown, problems)


def parse_document(text: str, name: str, shown: str, problems: list[Problem]) -> Document | None:
    """Parse a text; None where it is no JSON, with the reason added to the problems."""
    index = cache(lambda: LineIndex(text))  # most texts have no fault, and some a hundred thousand

    def report(offset: int, rule: str, sentence: str) -> None:
        problems.append(Problem(shown, *index().position(offset), rule, sentence))

    try:
        value = parse_json(text, report)
    except JSONSyntaxError as error:
        report(error.offset, "JSON_SYNTAX", error.sentence)
        return None
    document = Document(name, shown, text, value)
    link_definitions(document)
    return document
