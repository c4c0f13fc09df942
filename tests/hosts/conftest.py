"""What the tests of hosts stand on."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sandbox
from tests.hosts.project import Project


@pytest.fixture(scope="session")
def settings() -> Iterator[Mapping[str, str]]:
    """The values of the servers' settings: a real PostgreSQL with sample data, candles, a backtester, an account."""
    with sandbox.environment(list(sandbox.PROVIDERS)) as given:
        yield given


@pytest.fixture
def project(tmp_path: Path, settings: Mapping[str, str]) -> Project:
    """The folder of somebody who has exported the settings."""
    return Project(tmp_path, settings)
