"""Excerpts of source lines with a mark below a column."""

from __future__ import annotations

import re

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|[\[{]')
WIDEST = 160
"""Characters of a line that are shown."""


def format_excerpt(line: str, number: int, column: int, before: str = "", after: str = "") -> list[str]:
    """Return the line and the mark; `before` and `after` surround the mark, to colour it.

    Characters that a terminal would obey are replaced.
    """
    token = TOKEN.match(line, column - 1)
    length = len(token.group()) if token else 1
    start = max(0, min(column - 1 - WIDEST // 2, len(line) - WIDEST))
    part = line[start : start + WIDEST]
    shown = "".join(char if char.isprintable() else " " if char == "\t" else "?" for char in part)
    margin = " " * len(str(number))
    mark = " " * (column - 1 - start) + before + "^" * max(1, min(length, len(shown) - (column - 1 - start))) + after
    return [f" {number} | {shown}", f" {margin} | {mark}"]
