"""Share contracts with one change, in folders and in git."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.codegen.breaking.golden import CASES

Edit: TypeAlias = Callable[[dict[str, Any]], None]


@pytest.fixture
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder current whose `before/` and `after/` differ in one maximum: 100 and 50."""
    for state in ("before", "after"):
        shutil.copytree(CASES / "bound_tightened" / "base", tmp_path / state)
    after = tmp_path / "after" / "shop" / "stock.json"
    after.write_text(after.read_text().replace('"maximum": 100', '"maximum": 50'))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(states: Path) -> Path:
    """Make a git repository current: `contracts/` is `before/` at tag v1 and `after/` on disk."""
    (states / "before").rename(states / "contracts")
    git(states, "init", "--quiet", "--initial-branch=main")
    git(states, "add", "contracts")
    git(states, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message=first")
    git(states, "tag", "v1")
    shutil.rmtree(states / "contracts")
    (states / "after").rename(states / "contracts")
    return states


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder without the user's configuration."""
    environment = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment).stdout


def accept(state: Path, *entries: dict[str, str]) -> None:
    """Write the accepted findings of a state's contract."""
    (state / "shop" / "stock.accepted.json").write_text(json.dumps({"accepted": list(entries)}, indent=2))


def edit(state: Path, change: Edit) -> None:
    """Change the contract of a state."""
    path = state / "shop" / "stock.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value, indent=2))
