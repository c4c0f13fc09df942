"""`python -m sandbox` gives any command the sandbox, as somebody needs it who tries a host."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import NAMES


def sandboxed(folder: Path, *command: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in the sandbox from some folder, and return its result."""
    return subprocess.run(
        [sys.executable, "-m", "sandbox", *command],
        cwd=folder, input=answer, capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


def test_a_command_has_every_setting_and_its_exit_code_is_reported(tmp_path: Path) -> None:
    script = "import json, os; print(json.dumps(dict(os.environ))); raise SystemExit(7)"
    done = sandboxed(tmp_path, sys.executable, "-c", script)
    assert done.returncode == 7, done.stderr
    assert set(json.loads(done.stdout)) >= NAMES


def test_the_users_own_query_language_is_not_that_of_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INFLUXDB_QUERY_LANGUAGE", "flux")
    script = "import os; print(os.environ['INFLUXDB_QUERY_LANGUAGE'])"
    assert sandboxed(tmp_path, sys.executable, "-c", script).stdout == "influxql\n"


def test_the_servers_are_on_its_path(tmp_path: Path) -> None:
    done = sandboxed(tmp_path, "sh", "-c", "command -v strategy-mcp")
    assert (done.returncode, done.stdout.strip()) == (0, str(Path(sys.executable).with_name("strategy-mcp")))


def test_without_a_command_or_with_one_that_does_not_exist_it_says_so(tmp_path: Path) -> None:
    done = sandboxed(tmp_path)
    usage = "usage: python -m sandbox [-h] COMMAND [ARGUMENT ...]\npython -m sandbox: error: "
    assert done.returncode == 2
    assert done.stderr == f"{usage}name a command to run, such as opencode; --help shows examples\n"
    done = sandboxed(tmp_path, "no-such-host")
    assert done.returncode == 2
    assert done.stderr == f"{usage}there is no program no-such-host on the PATH; install it, or correct its name\n"


def test_help_shows_examples_and_starts_nothing(tmp_path: Path) -> None:
    done = sandboxed(tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "python -m sandbox opencode" in done.stdout
    assert f"{len(NAMES)} variables" in done.stdout
