"""The command line: help, invalid calls, and problems of handlers."""

import os
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.commands import COMMANDS, KINDS
from toolaccord_codegen.cli.parser import parse

ROOT = Path(__file__).parents[3]


CALLS = [[kind] for kind in KINDS] + [command.name.split() for group in COMMANDS.values() for command in group]


def help_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the text that `--help` prints."""
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ([], ["generate", "check", "new", "examples:", "python -m toolaccord_codegen new tool acme/films find_films"]),
        (["generate"], ["--contracts DIR", "--out DIR", "--package NAME", "--handlers PACKAGE", "default: contracts"]),
        (["check"], ["--contracts DIR", "compare generated files and handlers with the contracts"]),
        (["lint"], ["<server>.accepted.json beside the contract"]),
        (["new"], ["a contract with one tool", "add a tool to a contract"]),
        (["new", "server"], ["SYSTEM/NAME", "e.g. acme/books"]),
        (["new", "tool"], ["SYSTEM/NAME", "TOOL", "the name that models call"]),
    ],
)
def test_help_teaches_each_command(
    arguments: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = " ".join(help_of(arguments, capsys).split()).lower()
    assert [text for text in expected if text.lower() not in printed] == []


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_the_example_in_a_commands_help_is_a_valid_call(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    example = help_of(arguments, capsys).partition("example:\n")[2].splitlines()[0]
    assert example.startswith(f"  python -m toolaccord_codegen {' '.join(arguments)}")
    assert parse(shlex.split(example)[3:]).command.target.startswith("toolaccord_codegen.cli.")


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("arguments", [[], *CALLS], ids=" ".join)
def test_help_fits_into_the_terminal_but_for_examples(
    arguments: list[str], columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "argv", ["toolaccord"])
    lines = help_of(arguments, capsys).splitlines()
    assert [line for line in lines if len(line) > columns and not line.startswith("  toolaccord ")] == []


@pytest.mark.parametrize("program", ["toolaccord", "toolaccord.exe"])
def test_help_uses_the_name_by_which_the_program_was_called(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [f"/bin/{program}"])
    assert "  toolaccord lint --fix\n" in help_of([], capsys)
    assert help_of(["new", "tool"], capsys).startswith("usage: toolaccord new tool ")


def test_the_console_script_runs_the_same_program_as_the_module() -> None:
    program = Path(sys.executable).with_name("toolaccord")
    done = subprocess.run([program, "rules", "BOUND_TIGHTENED"], capture_output=True, encoding="utf-8", check=True)
    module = [sys.executable, "-m", "toolaccord_codegen", "rules", "BOUND_TIGHTENED"]
    assert "BOUND_TIGHTENED" in done.stdout
    assert done.stdout == subprocess.run(module, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


def loaded_modules(arguments: list[str]) -> set[str]:
    """Return the modules that a command loads."""
    command = [sys.executable, "-X", "importtime", "-m", "toolaccord_codegen", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize("arguments", [["--help"], ["generate", "--help"], ["check", "--help"]])
def test_help_loads_no_command(arguments: list[str]) -> None:
    loaded = loaded_modules(arguments)
    assert "toolaccord_codegen.cli.parser" in loaded
    assert (
        loaded
        & {
            "toolaccord_codegen.cli.generate",
            "toolaccord_codegen.cli.check",
            "toolaccord_codegen.breaking",
            "toolaccord_codegen.lint",
            "jinja2",
        }
        == set()
    )


def test_the_compiler_loads_only_the_shared_package_of_the_library() -> None:
    loaded = {name for name in loaded_modules(["lint"]) if name.startswith("toolaccord.")}
    assert "toolaccord.semantics.json_pointers" in loaded
    assert {name for name in loaded if not name.startswith(("toolaccord.contract", "toolaccord.semantics"))} == set()


@pytest.mark.parametrize(
    "arguments, output",
    [
        ([], "start a project in this folder, with a server that works"),
        (["new"], "required: KIND"),
        (["serve"], "required: SYSTEM/NAME\n"),
        (["dev", "--port", "99999"], '"99999" is no port; a port is a number from 0 to 65535'),
        (["generate", "--package", "import os"], "is no name that Python can import"),
        (["generate", "--handlers", "a.class"], '"class" is a keyword of Python'),
        (["new", "server", "alerts"], "is not SYSTEM/NAME, e.g. acme/books"),
        (["new", "tool", "a/b/c", "x"], "is not SYSTEM/NAME"),
    ],
)
def test_an_invalid_call_exits_with_2_and_the_reason(
    arguments: list[str], output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert output in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["ini", "acme/books"], 'there is no command "ini"; did you mean "init"?'),
        (["compile"], 'there is no command "compile"; `python -m toolaccord_codegen --help` lists them'),
        (["new", "sever", "a/b"], 'there is no command "new sever"; did you mean "new server"?'),
        (
            ["accept", "X", "1", "--reason", "y"],
            'no rule of lint or breaking is called "X"; `python -m toolaccord_codegen rules`',
        ),
    ],
)
def test_an_unknown_name_is_a_sentence_with_the_nearest_one(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_reader_that_ends_first_ends_the_command_without_a_word() -> None:
    ours, its = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "toolaccord_codegen", "rules"]
    done = subprocess.run(command, cwd=ROOT, stdout=its, stderr=subprocess.PIPE, check=False)
    os.close(its)
    assert (done.returncode, done.stderr) == (141, b"")


def test_the_program_knows_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"toolaccord {version('toolaccord')}\n")


@pytest.mark.parametrize(
    "arguments", [["generate", "--package", "acme"], ["lint"], ["breaking", "--against", "contracts"]]
)
def test_a_folder_without_contracts_is_refused(arguments: list[str], shop: Path, command: Command) -> None:
    code, output = command(*arguments, "--contracts", str(shop / "nowhere"))
    assert (code, output.splitlines()[0]) == (
        3,
        "nowhere:1:1: NO_CONTRACTS: no <system>/<server>.json lies in this folder; `toolaccord init SYSTEM/NAME` starts a project",
    )


@pytest.mark.parametrize(
    "handlers, rule",
    [
        ("async def count(request, call): ...\n", None),
        ("async def _count(request, call): ...\n", "MISSING_HANDLER"),
        ("def count(request, call): ...\n", "SYNC_HANDLER"),
        ("async def count(request, call): ...\n\ndef helper(): ...\n", "ORPHAN_HANDLER"),
        ("async def count(request, call: ...\n", "HANDLER_SYNTAX"),
        ("async def count(): ...\n", "HANDLER_SIGNATURE"),
        ("async def count(request): ...\n", "HANDLER_SIGNATURE"),
        ("async def count(request, call, more): ...\n", "HANDLER_SIGNATURE"),
        ("async def count(request, call, *, more): ...\n", "HANDLER_SIGNATURE"),
        ("async def count(request, *, call): ...\n", "HANDLER_SIGNATURE"),
        ("async def count(request, call, /): ...\n", None),
        ("async def count(request, call, more=1, *, most=2, **others): ...\n", None),
        ("async def count(*given): ...\n", None),
        ("from acme.shop.stock import models\nasync def count(request, call): ...\n", None),
        ("from acme.shop.stock.models import CountRequest\nasync def count(request, call): ...\n", None),
        ("from acme.shop.stock.models import CountRequests\nasync def count(request, call): ...\n", "HANDLER_IMPORT"),
        ("from acme.shop import stocks\nasync def count(request, call): ...\n", "HANDLER_IMPORT"),
        ("import acme.shop.stocks.models\nasync def count(request, call): ...\n", "HANDLER_IMPORT"),
        ("from .prices import answer\nasync def count(request, call): ...\n", "HANDLER_IMPORT"),
        ("from handlers.shop import stock\nasync def count(request, call): ...\n", None),
        ("import not_installed_here\nasync def count(request, call): ...\n", None),
    ],
)
def test_check_compares_handlers_with_the_contract(
    handlers: str, rule: str | None, shop: Path, command: Command
) -> None:
    command("generate", "--package", "acme")
    (shop / "handlers" / "shop" / "stock.py").write_text(handlers)
    code, output = command("check", "--package", "acme")
    assert code == (1 if rule else 0)
    assert rule is None or f": {rule}: " in output


def test_a_handlers_module_may_be_a_package(shop: Path, command: Command) -> None:
    command("generate", "--package", "acme")
    module = shop / "handlers" / "shop" / "stock.py"
    package = shop / "handlers" / "shop" / "stock"
    package.mkdir()
    module.rename(package / "__init__.py")
    assert command("check", "--package", "acme")[0] == 0


def test_handlers_are_found_beside_the_package_from_any_folder(
    shop: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    flags = ("--contracts", str(shop / "contracts"), "--out", str(shop / "acme" / "api"), "--package", "acme.api")
    assert command("generate", *flags)[0] == 0
    assert command("check", *flags)[0] == 0
    code, output = command("check", *flags[:-1], "acme.other")
    assert code == 1
    assert "update with: python -m toolaccord_codegen generate --contracts" in output
    assert f"--contracts {shop / 'contracts'} --out {shop / 'acme' / 'api'} --package acme.other\n" in output


@pytest.mark.parametrize(
    "flags, expected",
    [
        ((), ""),
        (("--package", "acme"), "--package acme"),
        (
            ("--package", "acme", "--contracts", "./contracts", "--out", "acme", "--handlers", "handlers"),
            "--package acme",
        ),
        (("--package", "acme.api", "--out", "{shop}/src/acme/api"), "--out src/acme/api --package acme.api"),
        (("--contracts", "{shop}/promises", "--handlers", "hands"), "--contracts promises --handlers hands"),
        (("--package", "acme", "--sandbox", "acme_lab"), "--package acme --sandbox acme_lab"),
        (("--package", "acme", "--out", "an out"), "--out 'an out' --package acme"),
    ],
)
def test_generated_files_name_the_command_that_writes_them(
    flags: tuple[str, ...], expected: str, shop: Path, command: Command
) -> None:
    shutil.copytree(shop / "contracts", shop / "promises")
    given = [flag.format(shop=shop) for flag in flags]
    assert command("generate", *given)[0] == 0
    text = " ".join(next(shop.rglob("stock/models.py")).read_text(encoding="utf-8").split())
    regenerate = text.partition("Regenerate with `")[2].partition("`")[0]
    assert shlex.split(regenerate) == ["toolaccord", "generate", *shlex.split(expected)]
    code, answer = command(*shlex.split(regenerate)[1:])
    assert (code, "nothing changed" in answer) == (0, True)


def test_generated_files_name_a_folder_outside_by_its_last_part(
    shop: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "here").mkdir()
    monkeypatch.chdir(shop / "here")
    assert command("generate", "--contracts", "../contracts", "--out", str(shop / "acme"), "--package", "acme")[0] == 0
    text = " ".join((shop / "acme" / "__init__.py").read_text(encoding="utf-8").split())
    assert "`toolaccord generate --contracts contracts --out acme --package acme`" in text


def test_toolaccords_own_files_name_the_repositorys_command() -> None:
    assert "Regenerate with `nox -s generate`" in (ROOT / "generated" / "__init__.py").read_text(encoding="utf-8")


def test_control_characters_in_problems_are_escaped(shop: Path, command: Command) -> None:
    path = shop / "contracts" / "shop" / "stock.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"effects"', '"\\u001b[2J\\nx", "effects"'), encoding="utf-8"
    )
    path.write_text(path.read_text(encoding="utf-8").replace('\\nx", ', '\\nx": 1, '), encoding="utf-8")
    code, output = command("generate", "--package", "acme")
    assert code == 3
    assert "\\x1b[2J\\nx" in output
    assert "\x1b" not in output


@pytest.mark.parametrize("package", ["datamodel-code-generator", "ruff"])
def test_a_missing_package_of_the_compiler_is_named(
    package: str, shop: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    if package == "ruff":
        monkeypatch.setattr("toolaccord_codegen.emit.ruff.find_ruff", lambda: str(shop / "missing"))
    else:
        monkeypatch.setitem(sys.modules, "datamodel_code_generator", None)
    code, output = command("generate", "--package", "acme")
    assert code == 2
    assert f"the compiler needs {package}, which is not installed; run: pip install {package}\n" in output


def test_the_module_runs_as_a_program(shop: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    arguments = [sys.executable, "-m", "toolaccord_codegen", "generate", "--package", "acme"]
    done = subprocess.run(arguments, cwd=shop, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("1 server with 1 tool in acme\n")
