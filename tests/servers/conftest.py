"""What the tests of whole servers share: marks that must be true, what was measured, and silence about faults made on purpose."""

import logging
from collections.abc import Callable, Iterator

import pytest

from tests.servers.manifest import MARKS, Seen

SAID = pytest.StashKey[list[str]]()

Say = Callable[[str], None]
"""Takes a sentence for the end of the run."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SAID] = []
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.fixture
def seen() -> Seen:
    """What servers answer during the test."""
    return Seen()


@pytest.fixture(autouse=True)
def marks_are_true(request: pytest.FixtureRequest, seen: Seen) -> Iterator[None]:
    """Fail a test that did not see what its marks claim."""
    yield
    assert seen.missing(request.node.iter_markers()) == []


@pytest.fixture(scope="session")
def say(pytestconfig: pytest.Config) -> Say:
    """What keeps sentences for the end of the run."""
    return pytestconfig.stash[SAID].append


@pytest.fixture
def quiet() -> Iterator[None]:
    """Let nothing be logged."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for sentence in config.stash[SAID]:
        terminalreporter.write_line(sentence)
