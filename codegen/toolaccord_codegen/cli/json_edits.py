"""Edits of JSON texts that keep every other character."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_locations import DECODER


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The replacement of a part of a text."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text after edits of different parts; added lines end as the others do."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for edit in sorted(edits, reverse=True):
        added = edit.text.replace("\r\n", "\n").replace("\n", newline)
        text = f"{text[: edit.start]}{added}{text[edit.end :]}"
    return text


def append_item(document: Document, text: str, array: str, item: Any) -> str:
    """Return the text of a file with one more item at the end of the array at a pointer.

    *text* is that of the document with its byte order mark, if any.
    """
    mark = 1 if text.startswith("\ufeff") else 0
    items = document.value_at(array)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not items:
        start = document.places.value(array) + mark
        indent = indentation(text, start)
        inner = _format(item, f"{indent}  ", "  ")
        body = f"[\n{indent}  {inner}\n{indent}]".replace("\n", newline)
        return f"{text[:start]}{body}{text[end_of_value(text, start) :]}"
    start = document.places.value(f"{array}/{len(items) - 1}") + mark
    end, indent = end_of_value(text, start), indentation(text, start)
    body = _format(item, indent, indent[: len(indent) // 2] or "  ")
    added = f",\n{indent}{body}".replace("\n", newline)
    return f"{text[:end]}{added}{text[end:]}"


def _format(item: Any, indent: str, step: str) -> str:
    """Return an item as JSON whose lines after the first begin with an indentation."""
    return json.dumps(item, indent=step, ensure_ascii=False).replace("\n", f"\n{indent}")


def indentation(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def reindent(text: str, before: str, after: str) -> str:
    """Return a value whose lines after the first one begin with another indentation."""
    first, *rest = text.splitlines(keepends=True)
    return first + "".join(after + line.removeprefix(before) for line in rest)


def end_of_value(text: str, start: int) -> int:
    """Return the end of the value that starts at a position."""
    return start + DECODER.raw_decode(text[start:])[1]
