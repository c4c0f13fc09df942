"""Add members to a JSON text and leave every other byte unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.lint.issues import Addition
from toolaccord_codegen.loading.documents import Document, decode_document

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DECODER = json.JSONDecoder()


def add_members(content: bytes, name: str, additions: Iterable[Addition]) -> bytes:
    """Return a file with members added. An existing member is never replaced."""
    for addition in additions:
        document = parse_json(content, name)
        if addition.key not in document.value_at(addition.holder.pointer):
            content = _add_member(content, document, addition)
    return content


def parse_json(content: bytes, name: str) -> Document:
    """Parse a file and record the position of every value.

    Raises ContractProblems if it is not JSON.
    """
    problems: list[Problem] = []
    document = decode_document(content, name, name, problems)
    if document is None:
        raise ContractProblems(problems)
    return document


def _add_member(content: bytes, document: Document, addition: Addition) -> bytes:
    """Add a member at the end of an object, formatted like the member before it."""
    text = document.text
    holder = addition.holder.pointer
    members = list(document.value_at(holder))
    start = document.places.value(holder)
    if members:
        keys = [document.places.key(join_pointer(holder, name)) for name in members]
        values = [document.places.value(join_pointer(holder, name)) for name in members]
        position = _end_of_value(text, values[-1])
        prefix = _separator(text, start, keys, values)
        colon = text[_end_of_value(text, keys[-1]) : values[-1]]
    else:
        position, prefix, colon = start + 1, "", ": "
    member = (
        f"{prefix}{json.dumps(addition.key, ensure_ascii=False)}{colon}{json.dumps(addition.value, ensure_ascii=False)}"
    )
    mark = BYTE_ORDER_MARK if content.startswith(BYTE_ORDER_MARK) else b""
    return mark + (text[:position] + member + text[position:]).encode()


def _separator(text: str, start: int, keys: Sequence[int], values: Sequence[int]) -> str:
    """Return the text between two members, as used between the last two or before the only one."""
    if len(keys) > 1:
        return text[_end_of_value(text, values[-2]) : keys[-1]]
    indent = text[start + 1 : keys[0]]
    return f",{indent}" if indent.strip(" \t\r\n") == "" and "\n" in indent else ", "


def _end_of_value(text: str, position: int) -> int:
    """Return the offset after the value that starts at a position."""
    return DECODER.raw_decode(text, position)[1]
