"""What tests of whole servers have seen, and the marks that claim it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

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
