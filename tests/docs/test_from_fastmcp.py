"""The page on FastMCP: its server compiles, and passes its test on a real PostgreSQL."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toolaccord
from tests.services.type_checker import check_types
from toolaccord_codegen.__main__ import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/from-fastmcp.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```(?:json|python|sql) (\S+/\S+)\n(.*?)```", PAGE, re.DOTALL))
MOST_LINES = 150
"""Lines of the server that its author writes, with its migration and its test."""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start a project, and write the files of the page over those of `init`."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["init", "desk/tickets", "--postgresql"]) == 0
        for name, text in FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        assert main(["generate"]) == 0
    return folder


def test_the_desk_has_the_parts_and_the_lines_that_the_page_promises() -> None:
    lines = sum(len(text.splitlines()) for text in FILES.values())
    assert lines <= MOST_LINES
    assert f"\n{lines} lines, with a test" in PAGE
    assert [Path(name).suffix for name in FILES] == [".json", ".py", ".sql", ".sql", ".py"]


def test_the_desk_passes_check(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert main(["check"]) == 0


def test_the_test_of_the_desk_passes(project: Path, postgresql_server_url: str) -> None:
    env = os.environ | {"PYTHONPATH": str(ROOT), "TEST_POSTGRES_DSN": postgresql_server_url}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis", "-p", "no:hypothesispytest"]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_the_handlers_of_the_desk_have_types(project: Path) -> None:
    assert check_types(project, "desk_handlers", "desk_generated") == ""


def test_the_other_half_is_python_with_the_same_parts() -> None:
    (text,) = re.findall(r"```python tickets\.py\n(.*?)```", PAGE, re.DOTALL)
    functions = {
        node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {"search_tickets", "close_ticket", "ticket", "triage"} <= functions
    assert all(part in text for part in ("@mcp.resource", "@mcp.prompt", "ctx.elicit", ".publish(", "asyncpg"))


def test_the_names_that_handlers_import_are_the_librarys() -> None:
    (line,) = re.findall(r"```python imports\nfrom toolaccord import (.*)\n```", PAGE)
    assert {*line.split(", ")} <= {*toolaccord.__all__}
