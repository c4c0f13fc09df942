"""Edits of JSON texts that keep every other character."""

from __future__ import annotations

import json
from typing import Any

from codegen.loading.documents import Document
from codegen.loading.json_locations import DECODER


def append_item(document: Document, text: str, array: str, item: Any) -> str:
    """Return the text of a file with one more item at the end of the array at a pointer.

    *text* is that of the document with its byte order mark, if any.
    """
    mark = 1 if text.startswith("\ufeff") else 0
    items = document.value_at(array)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not items:
        start = document.places.value(array) + mark
        indent = _indentation(text, start)
        inner = _format(item, f"{indent}  ", "  ")
        body = f"[\n{indent}  {inner}\n{indent}]".replace("\n", newline)
        return f"{text[:start]}{body}{text[_end(text, start) :]}"
    start = document.places.value(f"{array}/{len(items) - 1}") + mark
    end, indent = _end(text, start), _indentation(text, start)
    body = _format(item, indent, indent[: len(indent) // 2] or "  ")
    added = f",\n{indent}{body}".replace("\n", newline)
    return f"{text[:end]}{added}{text[end:]}"


def _format(item: Any, indent: str, step: str) -> str:
    """Return an item as JSON whose lines after the first begin with an indentation."""
    return json.dumps(item, indent=step, ensure_ascii=False).replace("\n", f"\n{indent}")


def _indentation(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _end(text: str, start: int) -> int:
    """Return the end of the value that starts at a position."""
    return start + DECODER.raw_decode(text[start:])[1]
