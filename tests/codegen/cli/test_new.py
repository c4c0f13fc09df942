"""`new server` and `new tool`: new files compile, and existing lines stay."""

import asyncio
import difflib
import importlib
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from tests.contracts.reading import CONTRACTS, server_files
from tests.services.type_checker import check_types
from toolaccord.testing import capture_logs, pipeline

ROOT = Path(__file__).parents[3]
STOCK = "contracts/shop/stock.json"
HANDLERS = "handlers/shop/stock.py"


def lost_lines(before: str, after: str) -> list[str]:
    """Return the lines of a text that another lacks, in their order."""
    return [line for line in difflib.ndiff(before.splitlines(True), after.splitlines(True)) if line.startswith("-")]


@pytest.mark.usefixtures("shop")
def test_a_new_server_compiles_and_checks(command: Command) -> None:
    code, output = command("new", "server", "shop/price_list", "--package", "acme")
    assert code == 0
    assert "wrote   contracts/shop/price_list.json\n" in output
    assert "wrote   handlers/shop/price_list.py\n" in output
    following = "Next: edit the contract, then `python -m toolaccord_codegen generate --package acme`, then write the handler.\n"
    script = 'price-list-mcp = "acme.shop.price_list.__main__:main"'
    assert output.endswith(f"To start it by its name, add to [project.scripts]:\n  {script}\n{following}")
    assert not Path("pyproject.toml").exists()
    assert json.loads(Path("contracts/shop/price_list.json").read_bytes())["server"]["name"] == "price-list-mcp"
    assert command("generate", "--package", "acme")[0] == 0
    assert command("check", "--package", "acme")[0] == 0


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("file", ["pyproject.toml", "servers/pyproject.toml"])
def test_the_console_script_of_a_new_server_joins_those_of_the_project(file: str, command: Command) -> None:
    Path("servers").mkdir()
    Path("pyproject.toml").write_text(f'[project]\nname = "shop"\n\n[tool.toolaccord]\nscripts = "{file}"\n')
    Path("servers/pyproject.toml").write_text('[project]\nname = "servers" # ours\n')
    output = command("new", "server", "shop/prices")[1]
    assert f"added   {file}: project.scripts.prices-mcp\nNext: " in output
    text = Path(file).read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["scripts"] == {"prices-mcp": "generated.shop.prices.__main__:main"}
    assert text.splitlines()[1].startswith("name = ")


@pytest.mark.usefixtures("shop")
def test_the_next_command_has_the_name_by_which_the_program_was_called(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/bin/toolaccord"])
    assert (
        "`toolaccord generate --package acme`"
        in command("new", "tool", "shop/stock", "recount", "--package", "acme")[1]
    )
    assert "make it with: toolaccord new server shop/x" in command("new", "tool", "shop/x", "list_x")[1]


@pytest.mark.usefixtures("shop")
def test_new_tools_compile_and_check(command: Command) -> None:
    for name in ("list_articles", "24h", "class", "models", "a.b"):
        assert command("new", "tool", "shop/stock", name, "--package", "acme")[0] == 0
    assert [tool["name"] for tool in json.loads(Path(STOCK).read_bytes())["tools"]] == [
        "count", "list_articles", "24h", "class", "models", "a.b",
    ]  # fmt: skip
    assert command("generate", "--package", "acme")[0] == 0
    assert command("check", "--package", "acme")[0] == 0


LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "tabs": lambda text: text.replace("  ", "\t"),
    "four spaces": lambda text: text.replace("  ", "    "),
    "brackets together": lambda text: text.replace('"tools": [\n    {', '"tools": [{').replace("    }\n  ]", "  }]"),
    "one line": lambda text: json.dumps(json.loads(text)),
    "no last line end": lambda text: text.rstrip(),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "keys after the tools": lambda text: text.rstrip()[:-2] + ',\n  "x-note": "[{"\n}\n',
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_new_tool_keeps_every_byte_of_the_contract(layout: str, command: Command) -> None:
    before = LAYOUTS[layout](Path(STOCK).read_text(encoding="utf-8")).encode()
    Path(STOCK).write_bytes(before)
    assert command("new", "tool", "shop/stock", "list_articles", "--package", "acme")[0] == 0
    after = Path(STOCK).read_bytes()
    common = next(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    assert after.endswith(before[common:])
    assert len(json.loads(after.decode("utf-8-sig"))["tools"]) == 2
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert b"\n" not in after.replace(b"\r\n", b"") or b"\r\n" not in after
    if layout in {"as it is", "windows", "byte order mark", "tabs", "four spaces", "no last line end"}:
        assert lost_lines(before.decode(), after.decode()) == []
    assert command("generate", "--package", "acme")[0] == 0


MODULES = {
    "nothing": "",
    "no line end": "async def count(request, call): ...",
    "windows": '"""Handlers."""\r\n\r\nimport os\r\n\r\n\r\nasync def count(request, call): ...\r\n',
    "a docstring": '"""Handlers.\n\nOf the shop.\n"""\n\n\nasync def count(request, call): ...\n',
    "a name of the server": "from acme.shop.stock.server import (\n    StockCall,\n)\n\nasync def count(request, call): ...\n",
    "imports in no order": "import os\nfrom acme.x import y\nimport ast\n\nasync def count(request, call): ...\n",
    "a later import": 'import os\n\nX = """\nimport no\n"""\n\nfrom pathlib import (\n    Path,\n)\n\nasync def count(request, call): ...\n',
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("module", MODULES)
def test_a_stub_and_its_imports_keep_every_line_of_the_module(module: str, command: Command) -> None:
    Path(HANDLERS).write_bytes(MODULES[module].encode())
    for name in ("list_articles", "list_prices"):
        assert command("new", "tool", "shop/stock", name, "--package", "acme")[0] == 0
    after = Path(HANDLERS).read_bytes().decode()
    assert [
        line for line in lost_lines(MODULES[module], after) if line != "- async def count(request, call): ..."
    ] == []
    assert after.count("from acme.shop.stock import models") == 1
    assert after.count("async def list_") == 2
    assert ("\r\n" in after) == ("\r\n" in MODULES[module])
    compile(after, HANDLERS, "exec")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy this repository's folders and configuration, and make the copy current."""
    for name in ("contracts", "handlers", "generated"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_server_in_this_repository_passes_its_linters_and_keeps_every_line(
    repository: Path, command: Command
) -> None:
    servers = [path.relative_to(CONTRACTS).with_suffix("") for path in server_files()]
    before = {server: Path("handlers", server).with_suffix(".py").read_text(encoding="utf-8") for server in servers}
    name, added = "compare_the_newest_signals_of_all", "tradestream/signals_of_yesterday"
    for server in servers:
        assert command("new", "tool", server.as_posix(), name)[0] == 0
    assert command("new", "server", added)[0] == 0
    for server, text in before.items():
        lost = lost_lines(text, Path("handlers", server).with_suffix(".py").read_text(encoding="utf-8"))
        assert [line for line in lost if "from generated." not in line] == []  # they have more names
    for arguments in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--no-cache", *(f"handlers/{server}.py" for server in [*servers, added])],
            cwd=repository, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "arguments, output",
    [
        (("server", "shop/stock"), "contracts/shop/stock.json exists already"),
        (("server", "shop/Class"), "use lower-case letters"),
        (("server", "shop/class"), "is a keyword of Python"),
        (("server", "../x"), "use lower-case letters"),
        (("server", "shared/x"), 'the generated package already uses "shared"'),
        (("server", f"shop/{'x' * 40}"), "shorten the tool's or the server's name"),
        (("tool", "shop/store", "x"), "make it with: python -m toolaccord_codegen new server shop/store"),
        (("tool", "shop/stock", "count"), 'another tool is called "count" too'),
        (("tool", "shop/stock", "Count"), "both become count once hosts and Python have cleaned the names"),
        (("tool", "shop/stock", "a b"), "must be: name"),
        (("tool", "shop/stock", "x" * 60), "shorten the tool's or the server's name"),
    ],
)
def test_an_impossible_server_or_tool_is_rejected_and_nothing_is_written(
    arguments: tuple[str, ...], output: str, command: Command
) -> None:
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    code, answer = command("new", *arguments, "--package", "acme")
    assert code == 2
    assert output in answer
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "contract, output", [("{", "JSON_SYNTAX"), ("[]", 'has no "tools" to add one to'), ('{"tools": []}', "has no")]
)
def test_a_contract_that_cannot_be_read_gets_no_tool(contract: str, output: str, command: Command) -> None:
    Path(STOCK).write_text(contract)
    code, answer = command("new", "tool", "shop/stock", "x", "--package", "acme")
    assert code in {2, 3}
    assert output in answer
    assert Path(STOCK).read_text() == contract


@pytest.mark.usefixtures("shop")
def test_an_invalid_module_gets_no_stub_and_its_contract_no_tool(command: Command) -> None:
    before = Path(STOCK).read_bytes()
    Path(HANDLERS).write_text("async def (\n")
    assert command("new", "tool", "shop/stock", "x", "--package", "acme")[0] == 2
    assert Path(STOCK).read_bytes() == before


@pytest.mark.usefixtures("shop")
def test_a_stub_is_typed_and_answers_as_an_internal_error(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ("--package", "fresh", "--handlers", "fresh_handlers")
    command("new", "server", "depot/crates", *flags)
    command("new", "tool", "depot/crates", "filter", *flags)
    Path(STOCK).unlink()
    assert command("generate", *flags)[0] == 0
    assert check_types(Path.cwd(), "fresh", "fresh_handlers") == ""
    monkeypatch.syspath_prepend(str(Path.cwd()))
    server = importlib.import_module("fresh.depot.crates.server").server(
        importlib.import_module("fresh_handlers.depot.crates")
    )
    with capture_logs() as logs:
        for tool in ("get_crates", "filter"):
            answer = asyncio.run(pipeline(server).call(tool, {}))
            assert (answer.is_error, answer.code) == (True, "INTERNAL")
            assert "not written yet" not in answer.text
    assert any("is not written yet" in str(record.exc_info) for record in logs)
