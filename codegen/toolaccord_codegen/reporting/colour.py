"""Colours and columns of a terminal."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import TextIO

RED, GREEN, BOLD = "31;1", "32;1", "1"
_SGR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class TerminalStyle:
    """Colours for a terminal that shows them, and lines for one that is narrow."""

    on: bool
    columns: int | None = None
    """Columns of the terminal; None for a pipe, whose lines have any length."""

    @classmethod
    def of(cls, stream: TextIO) -> TerminalStyle:
        """Return colours and columns for a terminal, neither for a pipe.

        NO_COLOR rejects colours (no-color.org).
        """
        if not stream.isatty():
            return cls(on=False)
        return cls(on=not os.environ.get("NO_COLOR"), columns=get_terminal_size().columns)

    def __call__(self, text: str, code: str) -> str:
        """Return the text in a colour, or unchanged without colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    def wrap(self, text: str, indent: int = 2) -> str:
        """Return the text with its lines broken between words where the terminal ends.

        Further lines are indented by *indent*.
        """
        if self.columns is None:
            return text
        return "\n".join(_wrap_line(line, self.columns, " " * indent) for line in text.split("\n"))


def _wrap_line(line: str, columns: int, indent: str) -> str:
    """Return a line as lines of at most *columns*.

    Colours take no columns, and a longer word has a line of its own.
    """
    first, *words = re.findall(r"\s*\S+", line) or [line]
    lines, used = [first], _count_columns(first)
    for word in words:
        used += _count_columns(word)
        if used > columns:
            lines.append(indent + word.lstrip())
            used = _count_columns(lines[-1])
        else:
            lines[-1] += word
    return "\n".join(lines)


def _count_columns(text: str) -> int:
    return len(_SGR.sub("", text))
