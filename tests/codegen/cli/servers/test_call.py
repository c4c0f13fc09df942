"""Call servers from the shell: one that listens, one of another make, and one of a project."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
import pytest_asyncio

from tests.codegen.cli.servers.foreign_server import PIXEL
from tests.codegen.cli.terminal import PROGRAM
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import ROOT, handled_signals
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.servers.server_log import list_faults, list_lines

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOREIGN = f"{sys.executable} -m tests.codegen.cli.servers.foreign_server"
DESK = f"{sys.executable} -m tests.toolaccord.demo.desk"


@dataclass(frozen=True)
class Shell:
    """Runs the command, with pipes instead of a terminal."""

    capsys: pytest.CaptureFixture[str]

    async def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Return exit status, standard output, and standard error."""
        status = await asyncio.to_thread(main, arguments)
        return status, *self.capsys.readouterr()

    async def fault(self, *arguments: str) -> str:
        """Return the sentence of a command that could not run."""
        status, output, errors = await self(*arguments)
        assert (status, output) == (2, ""), errors
        return errors.partition(": ")[2].rstrip("\n")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def listener() -> AsyncIterator[Listener]:
    async with listening(environ={"SHELF_URL": "http://127.0.0.1:1", "MCP_AUTH_TOKEN": "the-right-token"}) as running:
        yield running


@pytest.fixture
def url(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BOOKS_TOKEN", "the-right-token")
    return f"http://127.0.0.1:{listener.port}/mcp"


async def test_a_call_prints_json_in_a_pipe_and_an_error_has_the_status_1(shell: Shell, url: str) -> None:
    at = ("call", "--url", url, "--token-env", "BOOKS_TOKEN")
    status, output, errors = await shell(*at, "get_book", "id=7")
    assert (status, json.loads(output)["data"]["id"], errors) == (0, 7, "")
    status, output, errors = await shell(*at, "get_book", "id=404")
    assert (status, json.loads(output)["error"]["code"]) == (1, "BOOK_NOT_FOUND")
    assert errors.startswith("BOOK_NOT_FOUND: ")


async def test_tools_lists_what_a_server_has(shell: Shell, url: str) -> None:
    status, output, _ = await shell("tools", "--url", url, "--token-env", "BOOKS_TOKEN")
    listed = {each["name"]: each for each in json.loads(output)}
    assert status == 0
    assert listed["get_book"]["description"] == "Get one book"
    assert listed["get_book"]["parameters"]["required"] == ["id"]
    fault = await shell.fault("tools", "books", "--url", url)
    assert fault == "books is a server of the project; leave it out with --url and --command"


async def test_a_call_that_is_impossible_has_the_status_2_and_a_sentence(
    shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = ("call", "--url", url, "--token-env", "BOOKS_TOKEN")
    assert await shell.fault(*at, "get_bok") == 'the server has no tool "get_bok"; did you mean "get_book"?'
    assert await shell.fault(*at, "get_book", "di=7") == 'get_book has no argument "di"; did you mean "id"?'
    assert await shell.fault(*at, "get_book", "--timeout", "1") == "get_book also needs\n  id=integer"
    assert await shell.fault("call", "--url", url, "get_book") == (
        f"the server at {url} rejected the call (401): Send a valid token in the header Authorization: Bearer TOKEN. "
        "Give the client a valid token: of the server's MCP_AUTH_TOKEN or MCP_TOKEN_FILE, of its authorization server, "
        "or the server's own key. "
        "--token-env NAME sends the token in a variable."
    )
    elsewhere = await shell.fault("call", "--url", f"{url}/elsewhere", "--token-env", "BOOKS_TOKEN", "get_book")
    assert "answered with the HTTP status 404" in elsewhere
    assert elsewhere.endswith("Check the URL: MCP servers often listen at /mcp.")
    monkeypatch.setenv("BOOKS_TOKEN", "secret\nX: y")
    for command in (*at, "get_book"), ("import", "acme/books", "--from-url", *at[2:]):
        fault = await shell.fault(*command)
        assert fault.startswith("the environment variable BOOKS_TOKEN of --token-env has a space, a line break or a ")
        assert "secret" not in fault
    monkeypatch.delenv("BOOKS_TOKEN")
    assert await shell.fault(*at, "get_book") == "the environment variable BOOKS_TOKEN of --token-env is not set"
    assert "connection attempts failed" in await shell.fault("call", "--url", "http://127.0.0.1:1/mcp", "get_book")
    assert await shell.fault(*at, "--command", "x", "t") == "--url and --command name two servers; give one"


async def test_a_server_of_another_make_is_called_and_its_content_saved(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    file = tmp_path / "pixel.png"
    status, output, errors = await shell("call", "--command", FOREIGN, "draw", "--out", str(file))
    assert (status, output, errors) == (0, "", f"saved {file}: image/png, 70 bytes\n")
    assert file.read_bytes() == PIXEL


async def test_a_question_is_declined_outside_a_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    status, output, errors = await shell("call", "--command", DESK, "book_trip", "city=Oslo")
    assert (status, json.loads(output)) == (0, {"booking": "Declined"})
    assert errors == "the server asks: Who travels to Oslo for 7 EUR?\ndeclined: nobody can answer outside a terminal\n"


async def test_a_command_that_starts_no_server_shows_the_reason(shell: Shell) -> None:
    missing = await shell.fault("call", "--command", "nosuch-program x", "t")
    assert missing == "there is no program nosuch-program to start; install it, or correct --command"
    assert (
        await shell.fault("call", "--command", "", "t")
        == "--command is empty; write the command that starts the server"
    )
    script = "import sys; sys.exit('KEY is not set')"
    ended = await shell.fault("call", "--command", f'{sys.executable} -c "{script}"', "t")
    assert ended.endswith("\n  KEY is not set")


async def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    # The server presses Ctrl-C after the first message.
    command = [*PROGRAM, "tools", "--command", "sh -c 'read message; kill -INT $PPID; cat'"]
    with handled_signals():
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with a generated server."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "tests/codegen/cases/minimal/contracts", folder / "contracts")
    shutil.copy(ROOT / "tests/toolaccord/contracts/dialects.json", folder / "contracts")
    contract = folder / "contracts/shop/stock.json"
    contract.write_text(contract.read_text(encoding="utf-8").replace('"plain"', '"library"'), encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.toolaccord]\npackage = "acme_generated"\nhandlers = "acme_handlers"\n'
    )
    (folder / ".env").write_text("STOCK_OFFSET=10\n")
    handler = folder / "acme_handlers/shop/stock.py"
    handler.parent.mkdir(parents=True)
    handler.write_text(HANDLER, encoding="utf-8")
    generate = [sys.executable, "-m", "toolaccord_codegen", "generate"]
    subprocess.run(generate, check=True, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True)
    return folder


HANDLER = """
import os

from acme_generated.shop.stock.models import CountRequest, CountResult


async def count(request: CountRequest, _call: object) -> CountResult:
    if request.article == "screw": raise ValueError("no screws here")
    return CountResult(count=len(request.article or "") + int(os.environ["STOCK_OFFSET"]))
"""


async def test_a_server_of_the_project_is_called_by_its_names_from_any_folder(
    shell: Shell, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "acme_handlers")
    status, output, _ = await shell("call", "shop/stock.count", "article=nail")
    assert (status, json.loads(output)["data"]) == (0, {"count": 14}), "the server has the variables of .env"
    status, output, errors = await shell("call", "stock.count", "article=screw")
    assert (status, json.loads(output)["error"]["code"]) == (1, "INTERNAL_ERROR")
    assert "acme_handlers/shop/stock.py:8 in count\n" in errors
    assert "ValueError: no screws here\n" in errors
    assert await shell.fault("call", "stock.cont") == 'stock has no tool "cont"; did you mean "count"?'
    assert await shell.fault("call", "stock") == "name a tool of stock: stock.count"
    assert await shell.fault("call", "stok.count") == (
        f'the project in {project}/contracts has no server "stok"; did you mean "stock"?'
    )
    assert (await shell.fault("call", "count", "--sandbox")).startswith("stock has no sandbox; name a module")
    monkeypatch.chdir(project)
    contract = project / "contracts/shop/stock.json"
    contract.write_text(contract.read_text(encoding="utf-8").replace('"stock"', '"stocks"'), encoding="utf-8")
    changed = "contracts/shop/stock.json changed after acme_generated was generated; run: "
    assert (await shell.fault("call", "count")).startswith(changed)
    contract.write_text(contract.read_text(encoding="utf-8").replace('"stocks"', '"stock"'), encoding="utf-8")
    shutil.rmtree(project / "acme_generated/shop")
    assert (
        await shell.fault("call", "count")
        == "shop/stock is not generated yet; run `python -m toolaccord_codegen generate`"
    )
    status, output, _ = await shell("tools", "stock", "-v")
    [listed] = json.loads(output)
    assert (status, listed["server"], listed["name"], listed["versions"]) == (0, "shop/stock", "count", ["1.0.0"])
    assert list(listed["parameters"]["properties"]) == ["article"]


async def test_the_last_faults_of_a_log_are_its_warnings_and_its_calls_with_a_cause() -> None:
    records = [
        {"timestamp": "", "level": "WARNING", "message": "a source failed"},
        {"timestamp": "", "level": "INFO", "message": "call", "cause": "a table is missing"},
        {"timestamp": "", "level": "INFO", "message": "call"},
        {"level": "ERROR", "message": "no record of toolaccord"},
    ]
    lines = [json.dumps(each) for each in records]
    assert list(list_faults(StringIO("\n".join(["no JSON", "[]", *lines])))) == records[:2]


async def test_a_traceback_in_a_log_is_its_last_place_and_the_exception() -> None:
    log = """starting
Traceback (most recent call last):
  File "/env/bin/books-mcp", line 8, in <module>
    sys.exit(main())
             ^^^^^^
  File "/shop/handlers/books.py", line 2, in <module>
    x = undefined
        ^^^^^^^^^
NameError: name 'undefined' is not defined
"""
    assert list(list_lines(StringIO(log))) == [
        "  starting",
        "  /shop/handlers/books.py:2 in <module>",
        "  NameError: name 'undefined' is not defined",
    ]
