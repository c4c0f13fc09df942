"""Fixtures for tests of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

from toolaccord_codegen.__main__ import main

Command: TypeAlias = Callable[..., tuple[int, str]]
UP_TO_DATE = """Files: ok: acme matches contracts
Handlers: ok: handlers matches contracts
Lint: ok: contracts: nothing to fix
"""
"""The output of `check` for the package acme without findings."""

# A busy machine is slow now and then, which is no failure of the compiler.
settings.register_profile("codegen", deadline=None)
settings.load_profile("codegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --accept."""
    parser.addoption(
        "--accept", action="store_true", help="make the present output the expected outcome of golden cases"
    )


def copy_shop(folder: Path) -> Path:
    """Write a contract with one tool, and its handler, into *folder*; return the folder."""
    contract = Path(__file__).parent / "cases" / "minimal" / "contracts" / "shop" / "stock.json"
    (folder / "contracts" / "shop").mkdir(parents=True)
    (folder / "contracts" / "shop" / "stock.json").write_bytes(contract.read_bytes())
    (folder / "handlers" / "shop").mkdir(parents=True)
    (folder / "handlers" / "shop" / "stock.py").write_text("async def count(request, call): ...\n")
    return folder


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder current that has the contract of one server with one tool, and its handler."""
    monkeypatch.chdir(copy_shop(tmp_path))
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return the compiler's command for this process; it returns the exit code and the output."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out + output.err

    return run
