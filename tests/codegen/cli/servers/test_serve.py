"""`toolaccord serve`: a server as its own command, and sentences about one that cannot run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolaccord_codegen.__main__ import main

CONTRACT, HANDLERS = Path("contracts/acme/books.json"), Path("acme_handlers/acme/books.py")
DRIVER = 'raise ModuleNotFoundError("No module named asyncpg", name="asyncpg")\nITEMS = '
"""An import of a driver that is not installed."""
COMMAND = ("-m", "toolaccord_codegen")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start a project with one server in memory, and generate it."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["init", "acme/books"]) == 0
        assert main(["generate"]) == 0
    return folder


def serve(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run `toolaccord serve` in a folder; return its exit status and output."""
    command = [sys.executable, *COMMAND, "serve", *arguments]
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout + done.stderr


async def test_it_serves_on_stdio_in_a_folder_below(project: Path) -> None:
    how = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, "serve", "acme/books"], cwd=str(project / "tests")
    )
    async with Client(stdio_client(how)) as client:
        found = await client.call_tool("search_books", {"query": "EMMA"})
        assert found.structured_content == {"items": [{"id": 2, "title": "Emma, Jane Austen"}]}


def test_options_after_the_name_are_the_servers(project: Path) -> None:
    assert serve(project, "acme/books", "--version") == (0, "books-mcp 0.1.0\n")
    code, output = serve(project, "--contracts", "contracts", "acme/books", "--help")
    assert (code, output.startswith("usage: books-mcp [-h]")) == (0, True)


def edit(path: Path, old: str, new: str) -> Callable[[], object]:
    """Return an edit of a file."""
    return lambda: path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    "server, change, fault",
    [
        ("acme/boks", lambda: None, 'there is no server acme/boks; did you mean "acme/books"?'),
        ("shop/stock", lambda: Path("contracts").rename("old"), "there is no server shop/stock; contracts has no contract: `"),
        ("acme/books", lambda: Path("acme_generated").rename("old"), "acme/books is not generated yet; run: "),
        ("acme/books", edit(CONTRACT, "Search books by", "Find books by"), f"{CONTRACT} changed after acme_generated was"),
        ("acme/books", HANDLERS.unlink, f"{HANDLERS} is missing; `"),
        ("acme/books", edit(HANDLERS, "def search_books", "def find_books"), f"{HANDLERS} has no coroutine search_books; `"),
        ("acme/books", edit(HANDLERS, "ITEMS = ", DRIVER), "acme/books: asyncpg is not installed: install toolaccord with its extra postgresql"),
        ("acme/books", edit(HANDLERS, "def search_books(", "def search_books(("), f"{HANDLERS}:10: SyntaxError: invalid syntax"),
        ("acme/books", edit(HANDLERS, "TITLES = ", "LIMIT = UNKNOWN\nTITLES = "), f"{HANDLERS}:6: NameError: name 'UNKNOWN' is not"),
        ("acme/books", edit(HANDLERS, "import models", "import modles"), f"{HANDLERS}:3: ImportError: cannot import name 'modles'"),
    ],
    ids=["misspelt", "no contracts", "not generated", "contract edited", "no handlers", "no handler", "no driver", "syntax", "name", "import"],
)  # fmt: skip
def test_a_server_that_cannot_run_says_why(
    server: str,
    change: Callable[[], object],
    fault: str,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subprocess.run(["cp", "-r", ".", str(tmp_path)], cwd=project, check=True)
    monkeypatch.chdir(tmp_path)
    change()
    code, output = serve(tmp_path, server)
    assert code == 2, output
    assert fault in output
    assert "Traceback" not in output
