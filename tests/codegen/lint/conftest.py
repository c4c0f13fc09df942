"""What the tests of the lint stand on."""

import shutil
from pathlib import Path

import pytest

CASE = Path(__file__).parent / "cases" / "page_without_minimum"


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contract with two findings that can be mended, in a folder that is current."""
    shutil.copytree(CASE / "contracts", tmp_path / "contracts")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "contracts" / "shop" / "stock.json"
