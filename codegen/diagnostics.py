"""What is wrong with a contract, said so that its author can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault, at one place."""

    path: str
    """The file, as its author would name it."""
    line: int
    column: int
    rule: str
    """A stable id, e.g. DANGLING_REF."""
    sentence: str
    """What is wrong and how to mend it."""

    @property
    def place(self) -> str:
        """Where it is, as editors and terminals open it."""
        return f"{self.path}:{self.line}:{self.column}"

    def __str__(self) -> str:
        return escape_unprintable(f"{self.place}: {self.rule}: {self.sentence}")


def escape_unprintable(text: str) -> str:
    """Text in one line, in which whatever a terminal would obey or hide is escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def suggest(name: str, known: Iterable[str]) -> str:
    """How to mend a name that nothing has: the nearest one that something has, else all of them."""
    names = list(known)
    close = get_close_matches(name, names, 1, cutoff=0.5)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"known here: {', '.join(names)}" if names else "there are none"


class ContractProblems(Exception):
    """The contracts cannot be compiled; `problems` says why, in the order of files and lines."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


class CommandError(Exception):
    """What was asked for cannot be done; the text says why."""


def pluralise(number: int, noun: str) -> str:
    """So many things."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
