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
    """Return the marks of all tests in *module*, those of single parameters too: name and arguments."""
    tests = [member for name, member in vars(module).items() if name.startswith("test_")]
    marks = [mark for test in tests for mark in getattr(test, "pytestmark", ())]
    inner = [of for mark in marks if mark.name == "parametrize" for given in mark.args[1] for of in _marks(given)]
    return {(mark.name, *mark.args) for mark in [*marks, *inner] if mark.name in MARKS}


def _marks(given: Any) -> list[pytest.Mark]:
    return [getattr(mark, "mark", mark) for mark in getattr(given, "marks", ())]
