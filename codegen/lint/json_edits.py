"""Members put into a JSON text, which stays byte for byte as it is around them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from codegen.diagnostics import ContractProblems, Problem
from codegen.lint.issues import Addition
from codegen.loading.documents import Document, decode_document, join_pointer

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DECODER = json.JSONDecoder()


def edited(content: bytes, name: str, additions: Iterable[Addition]) -> bytes:
    """A file with some members more; of two with one key in one object the first."""
    for addition in additions:
        document = read(content, name)
        if not has(document, addition):
            content = with_member(content, document, addition)
    return content


def read(content: bytes, name: str) -> Document:
    """A file, with the place of every value.

    Raises ContractProblems where it is no JSON.
    """
    problems: list[Problem] = []
    document = decode_document(content, name, name, problems)
    if document is None:
        raise ContractProblems(problems)
    return document


def has(document: Document, addition: Addition) -> bool:
    """Whether the member is there already."""
    return addition.key in document.value_at(addition.holder.pointer)


def with_member(content: bytes, document: Document, addition: Addition) -> bytes:
    """A file in which an object has one member more, at its end, laid out as the one before."""
    text = document.text
    holder = addition.holder.pointer
    members = list(document.value_at(holder))
    start = document.places.value(holder)
    if members:
        keys = [document.places.key(join_pointer(holder, name)) for name in members]
        values = [document.places.value(join_pointer(holder, name)) for name in members]
        at = end(text, values[-1])
        before = separator(text, start, keys, values)
        colon = text[end(text, keys[-1]) : values[-1]]
    else:
        at, before, colon = start + 1, "", ": "
    new = f"{before}{json.dumps(addition.key, ensure_ascii=False)}{colon}{inline(addition.value)}"
    mark = BYTE_ORDER_MARK if content.startswith(BYTE_ORDER_MARK) else b""
    return mark + (text[:at] + new + text[at:]).encode()


def separator(text: str, start: int, keys: Sequence[int], values: Sequence[int]) -> str:
    """What stands between two members: as between the last two, else as before the only one."""
    if len(keys) > 1:
        return text[end(text, values[-2]) : keys[-1]]
    lead = text[start + 1 : keys[0]]
    return f",{lead}" if lead.strip(" \t\r\n") == "" and "\n" in lead else ", "


def end(text: str, at: int) -> int:
    """Where the value ends that begins somewhere."""
    return DECODER.raw_decode(text, at)[1]


def inline(value: Any) -> str:
    """A value in one line."""
    return json.dumps(value, ensure_ascii=False)
