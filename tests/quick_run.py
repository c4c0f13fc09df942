"""Quick runs: tests that start no process and fit into a minute, as earlier runs measured.

Each run records the seconds of its tests, and which of them start processes, also by a fixture that they share.
`--quick` leaves those out, and then the slowest, so that it stays quick whatever tests are added. A test that nobody
has measured runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

RECORD = Path(__file__).parents[1] / ".cache/tests.json"
BUDGET_S = 30.0
"""Seconds of tests in one process; starting, collecting and reporting take 20 more."""
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec")
"""Audit events of a process that starts another one."""


@dataclass(frozen=True, slots=True)
class Record:
    """Measurements of tests, by their ids."""

    seconds: dict[str, float]
    """The time of each test, with the fixtures that were set up for it."""
    starters: frozenset[str]
    """The tests that start processes, or use what a fixture has started."""

    @classmethod
    def read(cls, path: Path) -> Record:
        """Return the record at *path*; an empty one where none is."""
        found = json.loads(path.read_text(encoding="ascii")) if path.exists() else {"seconds": {}, "starters": []}
        return cls(found["seconds"], frozenset(found["starters"]))

    def write(self, path: Path) -> None:
        """Write the record to *path*."""
        path.parent.mkdir(exist_ok=True)
        text = json.dumps({"seconds": self.seconds, "starters": sorted(self.starters)})
        path.write_text(text, encoding="ascii")

    def choose(self, budget_s: float) -> frozenset[str]:
        """Return the quickest tests that start no process, which take *budget_s* together."""
        chosen = set()
        for test in sorted(self.seconds.keys() - self.starters, key=lambda each: (self.seconds[each], each)):
            budget_s -= self.seconds[test]
            if budget_s < 0:
                break
            chosen.add(test)
        return frozenset(chosen)


class QuickRun:
    """Records a run, and selects the tests of a quick one."""

    def __init__(self, config: pytest.Config) -> None:
        self._path = Path(config.getoption("record"))
        self._old = Record.read(self._path)
        self._is_quick = config.getoption("quick")
        if self._is_quick and not self._old.seconds:
            raise pytest.UsageError("a quick run needs the measurements of a whole one: run all tests once")
        workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
        self._chosen = self._old.choose(BUDGET_S * workers)
        self._modules = {_module_of(test) for test in self._old.seconds} - {_module_of(test) for test in self._chosen}
        """Modules of which no test is chosen."""
        self._seconds: dict[str, float] = {}
        self._starters: set[str] = set()
        self._running: list[Any] = []
        """The running test, and the fixtures that are being set up for it."""
        self._shared: set[Any] = set()
        """Fixtures that started a process."""
        sys.addaudithook(self._notice)

    def _notice(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if self._running and event in _STARTS:  # at the end of the process there is no _STARTS
            test, *fixtures = self._running
            self._starters.add(test)
            self._shared.update(fixtures)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note what *item* starts, or its fixtures have started before."""
        known = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
        if any(self._shared.intersection(each) for each in known.values()):
            self._starters.add(_id_of(item))
        self._running = [_id_of(item)]
        started_at = time.perf_counter()
        try:
            return (yield)
        finally:
            self._running = []
            self._seconds[_id_of(item)] = time.perf_counter() - started_at

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Note that *fixturedef* starts something."""
        self._running.append(fixturedef)
        try:
            return (yield)
        finally:
            self._running.pop()

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Leave out a module that is as it was, and of which no test is chosen."""
        if not self._is_quick or collection_path.suffix != ".py":
            return None
        is_changed = collection_path.stat().st_mtime > self._path.stat().st_mtime
        name = collection_path.relative_to(config.rootpath).as_posix()
        return True if name in self._modules and not is_changed else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out tests that are not chosen, unless nobody has measured them."""
        if self._is_quick:
            left_out = self._old.seconds.keys() - self._chosen
            config.hook.pytest_deselected(items=[each for each in items if _id_of(each) in left_out])
            items[:] = [each for each in items if _id_of(each) not in left_out]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what another process of the run noted, unless it died."""
        output = getattr(node, "workeroutput", {"seconds": {}, "starters": ()})
        self._seconds |= output["seconds"]
        self._starters.update(output["starters"])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Record the run, in the first of its processes."""
        if (output := getattr(session.config, "workeroutput", None)) is not None:
            output |= {"seconds": self._seconds, "starters": sorted(self._starters)}
            return
        unseen = self._old.starters - self._seconds.keys()
        Record(self._old.seconds | self._seconds, unseen | self._starters).write(self._path)


def _id_of(item: pytest.Item) -> str:
    """Return the id of a test; lone surrogates cannot be sent to another process."""
    return item.nodeid.encode("ascii", "backslashreplace").decode()


def _module_of(test: str) -> str:
    return test.partition("::")[0]


def add_options(parser: pytest.Parser) -> None:
    """Add the options of quick runs."""
    parser.addoption("--quick", action="store_true", help="leave out tests that start processes or are slow")
    parser.addoption("--record", default=str(RECORD), help="the measurements of earlier runs")
