"""The contract as the manifest of the tests: marks that say what a test shows, and what it must have seen to say so."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

answers = pytest.mark.answers
cached = pytest.mark.cached
paginated = pytest.mark.paginated

MARKS = {
    "answers": "tool, code: the test makes the tool answer that error",
    "cached": "tool: the test is given a result without the source being asked",
    "paginated": "tool: the test reads a page that is not the first",
}


@dataclass(slots=True)
class Seen:
    """What servers answered during a test, each through its pipeline and from its real source."""

    answers: set[tuple[str, ...]] = field(default_factory=set)
    """Tool and code of each error."""
    cached: set[tuple[str, ...]] = field(default_factory=set)
    """Tools that answered without asking their source."""
    paginated: set[tuple[str, ...]] = field(default_factory=set)
    """Tools that gave a page that was not the first, with something on it."""

    def missing(self, marks: Iterable[pytest.Mark]) -> list[str]:
        """Return the *marks* that claim what was not seen."""
        return [f"{mark.name}{mark.args}" for mark in marks if mark.name in MARKS and not self.has(mark)]

    def has(self, mark: pytest.Mark) -> bool:
        """Whether what *mark* claims was seen."""
        seen: set[tuple[str, ...]] = getattr(self, mark.name)
        return mark.args in seen


def each_tool(tools: Iterable[str], code: str) -> pytest.MarkDecorator:
    """Return what runs a test for each of *tools*, and marks it with *code*."""
    return pytest.mark.parametrize("tool", [pytest.param(tool, marks=answers(tool, code)) for tool in tools])


def claims(module: Any) -> set[tuple[str, ...]]:
    """Return the marks of all tests in *module*, those of single parameters too: name and arguments."""
    tests = [member for name, member in vars(module).items() if name.startswith("test_")]
    marks = [mark for test in tests for mark in getattr(test, "pytestmark", ())]
    inner = [of for mark in marks if mark.name == "parametrize" for given in mark.args[1] for of in _marks(given)]
    return {(mark.name, *mark.args) for mark in [*marks, *inner] if mark.name in MARKS}


def _marks(given: Any) -> list[pytest.Mark]:
    return [getattr(mark, "mark", mark) for mark in getattr(given, "marks", ())]
