"""The command `toolaccord` itself."""

import subprocess
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from toolaccord_codegen.console_script import main

IN_AN_IMAGE = """
import sys
missing = "datamodel_code_generator dotenv jinja2 packaging rich tomlkit watchfiles yaml".split()
sys.modules.update(dict.fromkeys(missing))
from toolaccord_codegen.console_script import main
sys.exit(main())
"""


class Interrupted(MetaPathFinder):
    """Loads the compiler until a person presses Ctrl-C."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Raise KeyboardInterrupt for the compiler."""
        if fullname == "toolaccord_codegen.__main__":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_compiler_loads_is_a_status_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toolaccord_codegen.__main__", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert main() == 130


@pytest.mark.parametrize(
    "arguments, status, sentence",
    [
        (["migrate", "--help"], 0, ""),
        (["serve", "--help"], 0, ""),
        (
            ["init", "acme/books"],
            2,
            "toolaccord: tomlkit is not installed: install toolaccord-codegen with what it requires",
        ),
        (
            ["tools", "--url", "x"],
            2,
            "toolaccord: rich.console is not installed: install toolaccord-codegen with what it requires",
        ),
    ],
)
def test_a_command_without_the_compilers_requirements_runs_or_says_what_is_missing(
    tmp_path: Path, arguments: list[str], status: int, sentence: str
) -> None:
    command = [sys.executable, "-c", IN_AN_IMAGE, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr.partition(";")[0].strip()) == (status, sentence)
