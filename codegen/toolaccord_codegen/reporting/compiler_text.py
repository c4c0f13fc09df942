"""Problems in the form of a compiler: position, sentence, excerpt with a caret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from toolaccord_codegen.diagnostics import Position, Problem
from toolaccord_codegen.loading.reading import LARGEST_FILE
from toolaccord_codegen.loading.regular_files import read_regular_file
from toolaccord_codegen.reporting.colour import BOLD, RED, TerminalStyle

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|[\[{]')
WIDEST = 160
"""Characters of a line that are shown at most."""


def format_problems(problems: Sequence[Problem], style: TerminalStyle) -> str:
    """Return every problem with its excerpt, then their number."""
    sources = {path: _source_lines(Path(path)) for path in {problem.path for problem in problems}}
    lines = [line for problem in problems for line in _problem_lines(problem, sources[problem.path], style)]
    return "\n".join([*lines, style(f"{len(problems)} problem(s)", RED)])


def _problem_lines(problem: Problem, source: Sequence[str], style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of one problem."""
    yield style.wrap(str(problem).replace(f": {problem.rule}: ", f": {style(problem.rule, BOLD)}: ", 1))
    if problem.line <= len(source):
        yield from format_excerpt(source[problem.line - 1].rstrip("\r"), problem.position, style)


def _source_lines(path: Path) -> list[str]:
    """Return the lines of a file; none where it can no longer be read as text."""
    with suppress(OSError, UnicodeDecodeError):
        return read_regular_file(path, most=LARGEST_FILE).decode("utf-8-sig").split("\n")
    return []


def format_excerpt(line: str, position: Position, style: TerminalStyle) -> list[str]:
    """Return the line of a position and the mark below it, cut to the columns of a terminal.

    Characters that a terminal would obey are replaced.
    """
    _, number, column = position
    token = TOKEN.match(line, column - 1)
    length = len(token.group()) if token else 1
    margin = " " * len(str(number))
    widest = WIDEST if style.columns is None else max(1, style.columns - len(f" {margin} | "))
    start = 0
    if column - 1 + length > widest:
        start = max(0, min(column - 1 - widest // 2, len(line) - widest))
    part = line[start : start + widest]
    is_shown = part.isprintable()
    shown = part if is_shown else "".join(" " if char == "\t" else char if char.isprintable() else "?" for char in part)
    left = column - 1 - start
    mark = style("^" * max(1, min(length, len(shown) - left)), "31")
    return [f" {number} | {shown}", f" {margin} | {' ' * left}{mark}"]
