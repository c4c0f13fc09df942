"""Excerpts of source lines with a mark below a column."""

from __future__ import annotations

import re

from codegen.diagnostics import Position
from codegen.reporting.colour import Paint

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|[\[{]')
WIDEST = 160
"""Characters of a line that are shown."""


def format_excerpt(line: str, position: Position, paint: Paint) -> list[str]:
    """Return the line of a position and the mark below it.

    Characters that a terminal would obey are replaced.
    """
    _, number, column = position
    token = TOKEN.match(line, column - 1)
    length = len(token.group()) if token else 1
    start = max(0, min(column - 1 - WIDEST // 2, len(line) - WIDEST))
    part = line[start : start + WIDEST]
    shown = "".join(char if char.isprintable() else " " if char == "\t" else "?" for char in part)
    margin = " " * len(str(number))
    left = column - 1 - start
    mark = paint("^" * max(1, min(length, len(shown) - left)), "31")
    return [f" {number} | {shown}", f" {margin} | {' ' * left}{mark}"]
