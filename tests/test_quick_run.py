"""Quick runs select tests by what earlier runs measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick_run import Record

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests import quick_run

def pytest_addoption(parser):
    quick_run.add_options(parser)

def pytest_configure(config):
    config.pluginmanager.register(quick_run.QuickRun(config))
"""
TESTS = """
import subprocess, sys, pytest

def start():
    subprocess.run([sys.executable, "-c", ""], check=True)

@pytest.fixture(scope="module")
def service():
    start()

def test_plain(): pass
def test_starts(): start()
def test_first_to_use_a_service(service): pass
def test_next_to_use_it(service): pass
"""


def run(folder: Path, *options: str) -> str:
    """Run the tests in *folder*; return what pytest prints."""
    own = ("-p", "xdist", "-p", "no:cacheprovider", "--rootdir=.", "--record=record.json")
    command = [sys.executable, "-m", "pytest", "-v", *own]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, *options], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("--numprocesses=1",)], ids=["alone", "distributed"])
def test_a_quick_run_leaves_out_tests_that_start_a_process_or_use_one_of_a_fixture(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_all.py").write_text(TESTS)
    (tmp_path / "test_slow.py").write_text("def test_slow(): pass")
    assert "run all tests once" in run(tmp_path, "--quick")
    assert "5 passed" in run(tmp_path, *options)
    record = json.loads((tmp_path / "record.json").read_text())
    assert sorted(test.rpartition("::")[2] for test in record["starters"]) == [
        "test_first_to_use_a_service",
        "test_next_to_use_it",
        "test_starts",
    ]
    record["seconds"]["test_slow.py::test_slow"] = 1000
    (tmp_path / "record.json").write_text(json.dumps(record))
    (tmp_path / "test_new.py").write_text("def test_new(): pass")
    printed = run(tmp_path, "--quick", *options)
    assert "2 passed" in printed
    assert "test_plain" in printed
    assert "test_new" in printed


def test_the_quickest_tests_are_chosen_up_to_the_budget() -> None:
    record = Record({"a": 3.0, "b": 1.0, "c": 2.0, "d": 0.1}, frozenset({"d"}))
    assert record.choose(3.0) == {"b", "c"}
    assert record.choose(0.5) == frozenset()
