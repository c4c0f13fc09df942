"""Provide settings and projects to the tests of hosts."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import sandbox
from tests.hosts.project import Project


@pytest.fixture(scope="session")
def settings() -> Iterator[Mapping[str, str]]:
    """Values of the servers' settings: PostgreSQL with sample data, candles, backtester."""
    with sandbox.environment(sandbox.NAMES) as given:
        yield given


@pytest.fixture
def project(tmp_path: Path, settings: Mapping[str, str]) -> Project:
    """The folder of somebody who has exported the settings."""
    return Project(tmp_path, settings)
