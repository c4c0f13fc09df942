"""Fixtures for tests of the wheel that `./run package` built and installed."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 300
"""Seconds in which every command ends, also on a busy machine."""


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment that has the wheel, and a folder of a user."""

    programs: Path
    """The folder of its programs."""
    folder: Path

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables of its processes: none of those that the tests have."""
        path = os.pathsep.join([str(self.programs), os.defpath])
        return {"PATH": path, "HOME": str(self.folder.parent), "LANG": "C.UTF-8"}

    def run(self, program: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder."""
        return subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder, env={**self.environ, **env}, stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False,
        )  # fmt: skip


def find_installation(name: str, folder: Path) -> Installation:
    """Return the environment *name* of `./run package`."""
    programs = ROOT / ".cache/package" / name / ("Scripts" if sys.platform == "win32" else "bin")
    assert programs.exists(), f"{programs} is missing; start these tests with `./run package`"
    return Installation(programs, folder)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel with its base dependencies alone, and an empty folder."""
    return find_installation("base", tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel with the extras of a project with PostgreSQL, and an empty folder."""
    return find_installation("project", tmp_path_factory.mktemp("project"))
