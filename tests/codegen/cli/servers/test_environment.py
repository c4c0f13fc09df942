"""The environment that `dev`, `call` and `migrate` share."""

from pathlib import Path

import pytest

from toolaccord_codegen.cli.servers.environment import read_environment
from toolaccord_codegen.diagnostics import CommandError


def test_a_variable_of_the_process_wins_over_the_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELF", "7")
    monkeypatch.delenv("SHELF_TITLE", raising=False)
    (tmp_path / ".env").write_text("# mine\nSHELF=1\nexport SHELF_TITLE='Sea stories'\nNO_VALUE\n")
    found = read_environment(tmp_path)
    assert (found["SHELF"], found["SHELF_TITLE"]) == ("7", "Sea stories")
    assert "NO_VALUE" not in found


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SHELF=1\n", encoding="utf-16")
    with pytest.raises(CommandError, match=r"\.env is not UTF-8; save it as UTF-8"):
        read_environment(tmp_path)
