"""Provide fixtures to all tests of the library."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.toolaccord.process import Gate

settings.register_profile("toolaccord", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("toolaccord")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --kill-examples."""
    parser.addoption("--kill-examples", type=int, help="random sequences of kills in the test of idempotency keys")


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.close()
