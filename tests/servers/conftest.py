"""What was measured, said at the end of a run; and silence where thousands of faults are made on purpose."""

import logging
from collections.abc import Callable, Iterator

import pytest

SAID = pytest.StashKey[list[str]]()

Say = Callable[[str], None]
"""Takes a sentence for the end of the run."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SAID] = []


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
