"""Edits of JSON texts that keep every other character."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_locations import DECODER

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The replacement of a part of a document's text, which has no byte order mark."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text of a file after edits of different parts of its document.

    A byte order mark stays, and added lines end as the others do.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    for edit in sorted(edits, reverse=True):
        added = edit.text.replace("\r\n", "\n").replace("\n", newline)
        text = f"{text[: edit.start]}{added}{text[edit.end :]}"
    return mark + text


def append_item(document: Document, array: str, item: Any) -> Edit:
    """Return the edit that adds an item at the end of the array at a pointer."""
    text, items = document.text, document.value_at(array)
    if not items:
        start = document.places.value(array)
        indent = indentation(text, start)
        inner = _format(item, f"{indent}  ", "  ")
        return Edit(start, end_of_value(text, start), f"[\n{indent}  {inner}\n{indent}]")
    start = document.places.value(f"{array}/{len(items) - 1}")
    end, indent = end_of_value(text, start), indentation(text, start)
    return Edit(end, end, f",\n{indent}{_format(item, indent, indent[: len(indent) // 2] or '  ')}")


def add_member(document: Document, holder: str, key: str, value: Any) -> Edit:
    """Return the edit that adds a member at the end of the object at a pointer.

    It is formatted like the member before it. The object must not have the key.
    """
    text, start = document.text, document.places.value(holder)
    members = list(document.value_at(holder))
    position, prefix, colon = start + 1, "", ": "
    if members:
        keys = [document.places.key(join_pointer(holder, name)) for name in members]
        values = [document.places.value(join_pointer(holder, name)) for name in members]
        position, prefix = end_of_value(text, values[-1]), _separator(text, start, keys, values)
        colon = text[end_of_value(text, keys[-1]) : values[-1]]
    member = f"{json.dumps(key, ensure_ascii=False)}{colon}{json.dumps(value, ensure_ascii=False)}"
    return Edit(position, position, prefix + member)


def _separator(text: str, start: int, keys: Sequence[int], values: Sequence[int]) -> str:
    """Return the text between two members, as used between the last two or before the only one."""
    if len(keys) > 1:
        return text[end_of_value(text, values[-2]) : keys[-1]]
    indent = text[start + 1 : keys[0]]
    return f",{indent}" if indent.strip(" \t\r\n") == "" and "\n" in indent else ", "


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
    return DECODER.raw_decode(text, start)[1]
