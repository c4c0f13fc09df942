"""The generated package matches the contracts, and waives no rule of lint or types."""

from pathlib import Path

import pytest

from tests.contracts.shipped import GENERATED, generated_paths
from toolaccord_codegen.__main__ import main

ROOT = Path(__file__).parents[2]


def test_the_package_and_the_handlers_match_the_contracts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    code = main(["check"])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", generated_paths("*.py"), ids=lambda path: str(path.relative_to(GENERATED)))
def test_no_rule_is_waived_in_a_generated_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "noqa" not in text
    assert "type: ignore" not in text
