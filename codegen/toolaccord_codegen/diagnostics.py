"""Problems of contracts, with their positions and a hint for their author."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple


class Position(NamedTuple):
    """A file, line and column, as editors and terminals open it."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault at one position of a file."""

    path: str
    """The file's path as its author would write it."""
    line: int
    column: int
    rule: str
    """A stable id, e.g. DANGLING_REF."""
    sentence: str
    """The fault and its remedy."""

    @property
    def position(self) -> Position:
        """Return its file, line and column."""
        return Position(self.path, self.line, self.column)

    def __str__(self) -> str:
        return escape_unprintable(f"{self.position}: {self.rule}: {self.sentence}")


def escape_unprintable(text: str) -> str:
    """Return text in one line, with every character escaped that a terminal would obey or hide."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def escape_lines(text: str) -> str:
    """Return text with every character but line breaks escaped that a terminal would obey."""
    return "\n".join(map(escape_unprintable, text.expandtabs(4).splitlines()))


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: the nearest known name, else all of them."""
    names = list(known)
    close = get_close_matches(name, names, 1, cutoff=0.5)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"known here: {', '.join(names)}" if names else "there are none"


class ContractProblems(Exception):
    """Contracts that cannot be compiled; `problems` is sorted by file and line."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class CommandError(Exception):
    """A command that cannot be carried out; the text gives the reason."""


def missing_package(name: str) -> CommandError:
    """Return the error of a package that is not installed, as in an image that only serves."""
    return CommandError(f"the compiler needs {name}, which is not installed; run: pip install {name}")


def pluralise(number: int, noun: str) -> str:
    """Return a number with its noun, e.g. `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
