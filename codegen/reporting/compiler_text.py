"""Problems in the form of a compiler: position, sentence, excerpt with a caret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from codegen.diagnostics import Problem
from codegen.reporting.colour import BOLD, RED, Paint
from codegen.reporting.excerpts import format_excerpt


def format_problems(problems: Sequence[Problem], *, colour: bool) -> str:
    """Return every problem with its excerpt, then their number."""
    paint = Paint(colour)
    lines = [line for problem in problems for line in _problem_lines(problem, paint)]
    return "\n".join([*lines, paint(f"{len(problems)} problem(s)", RED)])


def _problem_lines(problem: Problem, paint: Paint) -> Iterator[str]:
    """Yield the lines of one problem."""
    yield str(problem).replace(f": {problem.rule}: ", f": {paint(problem.rule, BOLD)}: ", 1)
    line = _source_line(problem)
    if line is not None:
        marks = ("\x1b[31m", "\x1b[0m") if paint.on else ("", "")
        yield from format_excerpt(line, problem.line, problem.column, *marks)


def _source_line(problem: Problem) -> str | None:
    """Return the line of a problem; None where its file can no longer be read as text."""
    with suppress(OSError, UnicodeDecodeError, IndexError):
        return Path(problem.path).read_text(encoding="utf-8-sig").split("\n")[problem.line - 1].rstrip("\r")
    return None
