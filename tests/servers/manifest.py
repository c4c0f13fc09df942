"""The contract as the manifest of the tests: marks that say what a test shows. They are true, or the test fails.

Not imported by conftest.py, which is what makes these marks known.
"""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.servers.seen import MARKS

answers = pytest.mark.answers
"""Takes a tool and a code: the test makes the tool answer that error."""
cached = pytest.mark.cached
"""Takes a tool: the test is given a result without the source being asked."""
paginated = pytest.mark.paginated
"""Takes a tool: the test reads a page that is not the first."""


def each_tool(tools: Iterable[str], code: str) -> pytest.MarkDecorator:
    """Return what runs a test for each of *tools*, and marks it with *code*."""
    return pytest.mark.parametrize("tool", [pytest.param(tool, marks=answers(tool, code)) for tool in tools])


def claims(module: Any) -> set[tuple[str, ...]]:
    """Return the marks of all tests in *module*, those of single parameters too: name and arguments.

    A test, a parameter or a module that may be skipped or fail shows nothing, and claims nothing.
    """
    if _is_off(_marks(getattr(module, "pytestmark", ()))):
        return set()
    tests = [_marks(member.pytestmark) for name, member in vars(module).items() if _is_marked_test(name, member)]
    shown = [marks for marks in tests if not _is_off(marks)]
    given = [each for marks in shown for mark in marks if mark.name == "parametrize" for each in mark.args[1]]
    inner = [marks for each in given if not _is_off(marks := _marks(getattr(each, "marks", ())))]
    return {(mark.name, *mark.args) for marks in (*shown, *inner) for mark in marks if mark.name in MARKS}


def _is_marked_test(name: str, member: Any) -> bool:
    return name.startswith("test_") and hasattr(member, "pytestmark")


def _is_off(marks: list[pytest.Mark]) -> bool:
    return any(mark.name in {"skip", "skipif", "xfail"} for mark in marks)


def _marks(given: Any) -> list[pytest.Mark]:
    marks: list[pytest.Mark | pytest.MarkDecorator] = list(given) if isinstance(given, list | tuple) else [given]
    return [mark.mark if isinstance(mark, pytest.MarkDecorator) else mark for mark in marks]
