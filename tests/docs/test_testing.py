"""The page on testing: its examples run in a project that `toolaccord init` starts."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page_project import generated_page, run_tests
from tests.services.type_checker import check_types
from toolaccord.pytest import NatsServer, RedisServer, plugin
from toolaccord.pytest.contract_coverage import Observations
from toolaccord.pytest.processes import HttpProcesses
from toolaccord.pytest.serve import Serve

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/testing.md").read_text(encoding="utf-8")

WITHOUT_SLOW_PLUGINS = ("-q", "-p", "no:schemathesis", "-p", "no:hypothesispytest")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in *folder*."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one server."""
    folder = tmp_path_factory.mktemp("project")
    for command in (["init", "acme/books", "--postgresql"], ["generate"]):
        done = run(folder, "toolaccord_codegen", *command)
        assert done.returncode == 0, done.stderr
    return folder


def find_examples(language: str) -> list[str]:
    """Return the examples of the page in *language*."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_examples_run_and_show_every_promise_of_the_contract(project: Path) -> None:
    file = project / "tests/acme/test_page.py"
    file.write_text("\n\n".join(find_examples("python")), encoding="utf-8")
    done = run(project, "pytest", *WITHOUT_SLOW_PLUGINS, "--contract-coverage=require", "--numprocesses=1")
    assert "Tests show 2 of the 2 promises of the contracts." in done.stdout
    assert re.search(r"^\d+ passed in", done.stdout, re.MULTILINE), done.stdout
    assert done.returncode == 0


def test_a_promise_that_no_test_shows_is_listed_and_fails_the_run_that_requires_it(project: Path) -> None:
    file = project / "test_nothing.py"
    file.write_text("def test_nothing() -> None: ...\n", encoding="utf-8")
    done = run(project, "pytest", *WITHOUT_SLOW_PLUGINS, "--contract-coverage=require", str(file))
    assert "No test shows:\n" in done.stdout
    assert "  books-mcp  add_to_books  TITLE_TAKEN\nTests show 0 of the 2 promises of the contracts.\n" in done.stdout
    assert done.returncode == 1


def test_a_project_that_is_not_generated_is_told_the_command(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project, tmp_path, ignore=shutil.ignore_patterns("acme_generated"), dirs_exist_ok=True)
    done = run(tmp_path, "pytest", *WITHOUT_SLOW_PLUGINS, "tests/acme/test_books.py")
    assert "No module named 'acme_generated'" in done.stdout
    assert "`toolaccord generate` writes acme_generated, which is missing or outdated\n" in done.stdout


def test_the_page_lists_every_fixture() -> None:
    fixtures = [name for name, each in vars(plugin).items() if hasattr(each, "_fixture_function_marker")]
    assert sorted(re.findall(r"^\| `(\w+)` \| (?:module|test|session) ", PAGE, re.MULTILINE)) == sorted(fixtures)


async def test_the_examples_of_asks_and_events_run_on_real_brokers_and_show_the_promise(
    tmp_path: Path, redis: RedisServer, nats: NatsServer
) -> None:
    with generated_page(PAGE, tmp_path) as folder:
        shown = await run_tests(folder / "tests/acme/test_loans.py", tmp_path, redis=redis, nats=nats)
        assert check_types(folder, "acme_generated", "acme_handlers") == ""
    assert {promise.shown for promise in shown.promises} == {"NOT_LENT", "UNAVAILABLE"}


async def test_an_answer_to_an_unknown_ask_names_the_asks(tmp_path: Path) -> None:
    with generated_page(PAGE, tmp_path):
        client = importlib.import_module("acme_generated.acme.loans.client").LoansClient
        serve = Serve(Observations(), HttpProcesses(tmp_path))
        with pytest.raises(ValueError, match="loans-mcp has no ask 'confrm'; it has confirm"):
            serve(client, answers={"confrm": None})
