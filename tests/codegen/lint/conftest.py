"""Share a contract with fixable findings."""

import shutil
from pathlib import Path

import pytest

CASE = Path(__file__).parent / "cases" / "page_without_minimum"


@pytest.fixture
def fixable_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy a contract with two fixable findings into the current folder."""
    shutil.copytree(CASE / "contracts", tmp_path / "contracts")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "contracts" / "shop" / "stock.json"
