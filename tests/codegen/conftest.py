"""What the tests of the compiler stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

from codegen.__main__ import main

Command: TypeAlias = Callable[..., tuple[int, str]]
CONTENT = """Files: ok: acme matches contracts
Handlers: ok: handlers matches contracts
Lint: ok: contracts: nothing to fix
"""
"""What `check` says of the package acme where nothing is to be mended."""

# A machine that does several things at once is slow now and then; that is no fault of the compiler.
settings.register_profile("codegen", deadline=None)
settings.load_profile("codegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Understand --accept."""
    parser.addoption(
        "--accept", action="store_true", help="take what the compiler says now as what golden cases expect"
    )


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, made current, with the contract of one server with one tool, and its handler."""
    contract = Path(__file__).parent / "cases" / "minimal" / "contracts" / "shop" / "stock.json"
    (tmp_path / "contracts" / "shop").mkdir(parents=True)
    (tmp_path / "contracts" / "shop" / "stock.json").write_bytes(contract.read_bytes())
    (tmp_path / "handlers" / "shop").mkdir(parents=True)
    (tmp_path / "handlers" / "shop" / "stock.py").write_text("async def count(request, call): ...\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """The compiler's command, in this process: its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(arguments)
        said = capsys.readouterr()
        return code, said.out + said.err

    return run
