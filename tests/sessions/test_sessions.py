"""Start every session of noxfile.py with the least work, so that none rots.

A session is run with a recorder for nox. What it would run must exist, and what shows its options is started. The work
itself is tested elsewhere, or takes minutes. `package` and `lock` need a package index, and are not run here.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import nox.registry
import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ("agents", "compare", "compiler", "evolution", "imports", "load", "overload", "queue", "tools")
"""The programs of `bench`."""
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "attack": ("--help",),
    "dates": ("+1", "--version"),
    "demo": ("--help",),
    "generate": ("--help",),
    "image": ("--help",),
}
"""Arguments with which a session's program starts and does next to nothing.

`.ci/run` runs `check`, `lint`, `tests` and `types` themselves.
"""


@dataclass(frozen=True)
class RecordedSession:
    """A session of nox that records the commands."""

    posargs: list[str]
    commands: list[tuple[str, ...]] = field(default_factory=list)

    def run(self, *command: str, **_: object) -> None:
        """Record a command."""
        self.commands.append(command)

    def log(self, _message: str) -> None:
        """Log nothing."""

    def error(self, message: str) -> NoReturn:
        """Fail as the session does."""
        raise AssertionError(message)


@pytest.fixture(scope="module")
def noxfile() -> Iterator[ModuleType]:
    """The sessions, in the environment of the tests, in which they install nothing."""
    spec = spec_from_file_location("noxfile", ROOT / "noxfile.py")
    assert spec
    assert spec.loader
    module: Any = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        nox.registry.reset()  # the fixture may be made twice in a process
        patch.setitem(sys.modules, "noxfile", module)
        spec.loader.exec_module(module)
        here = module.Environment(Path(sys.prefix))
        for name in ("SHARED", "DEMO", "BENCH"):
            patch.setattr(module, name, here)
        patch.setattr(module, "is_synchronised", lambda _environment: True)
        patch.setitem(module.run_module.__kwdefaults__, "environment", here)
        yield module


def record(noxfile: ModuleType, name: str, *arguments: str) -> list[tuple[str, ...]]:
    """Return the commands of a session."""
    session = RecordedSession(list(arguments))
    run: Callable[[RecordedSession], None] = getattr(noxfile, name)
    run(session)
    return session.commands


def modules(commands: list[tuple[str, ...]]) -> list[str]:
    """Return the modules that the commands run."""
    return [command[2] for command in commands if command[1:2] == ("-m",)]


def sessions(without: set[str]) -> list[str]:
    """Return the names of the sessions in noxfile.py."""
    text = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    return [name for name in re.findall(r"^@nox\.session.*\ndef (\w+)", text, re.MULTILINE) if name not in without]


@pytest.mark.usefixtures("noxfile")
def test_the_sessions_are_those_that_nox_lists() -> None:
    assert set(sessions(set())) == nox.registry.get().keys()


@pytest.mark.parametrize("name", sessions({"bench", "lock", "package"}))
def test_all_that_a_session_runs_exists(name: str, noxfile: ModuleType) -> None:
    commands = record(noxfile, name)
    assert commands
    for module in modules(commands):
        found = find_spec(module)
        assert found, module
        assert found.submodule_search_locations is None or find_spec(f"{module}.__main__"), module
    for command in commands:
        assert Path(command[0]).exists(), command
        assert [part for part in command[1:] if part.startswith("tests/") and not (ROOT / part).exists()] == []


@pytest.mark.parametrize("name", sessions({"bench", "lock", "package"}))
def test_the_tests_that_a_session_selects_by_a_marker_exist(name: str, noxfile: ModuleType) -> None:
    for command in record(noxfile, name):
        if "-m" in command[3:]:  # after `-m pytest`
            marker = command[command.index("-m", 3) + 1]
            marked = [path for path in ROOT.glob("tests/**/*.py") if f"pytest.mark.{marker}" in path.read_text("utf-8")]
            assert [path for path in marked if path != Path(__file__)], marker


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_session_starts_its_program(name: str, noxfile: ModuleType) -> None:
    command = record(noxfile, name, *ARGUMENTS[name])[0]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_bench_knows_every_program_that_measures(noxfile: ModuleType) -> None:
    programs = {
        path.stem
        for path in (ROOT / "benchmarks").glob("*.py")
        if re.search(r"^def main", path.read_text("utf-8"), re.MULTILINE)
    }
    assert programs == set(PROGRAMS)
    servers = "tests.toolaccord.compilation"
    assert [modules(record(noxfile, "bench", name)) for name in PROGRAMS] == [
        [servers, f"benchmarks.{name}"] for name in PROGRAMS
    ]
    assert (
        modules(record(noxfile, "bench"))
        == modules(record(noxfile, "bench", "--rounds", "1"))
        == [servers, "benchmarks.compare"]
    )
