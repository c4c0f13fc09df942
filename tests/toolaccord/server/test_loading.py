"""Generated code ends with a sentence beside a library of a release that it does not fit."""

import subprocess
import sys
from pathlib import Path

import pytest

from toolaccord.semantics.releases import VERSION, can_run, release_of
from toolaccord.server.loading import loading

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "compiled_for, version, runs",
    [
        ("0.1", "0.1.0", True),
        ("0.1", "0.1.7", True),
        ("0.1", "0.2.0", False),
        ("0.2", "0.1.9", False),
        ("0.9", "1.0.0", False),
        ("1.2", "1.2.0", True),
        ("1.2", "1.3.0", True),
        ("1.2", "1.10.0", True),
        ("1.3", "1.2.9", False),
        ("1.9", "2.0.0", False),
    ],
)
def test_a_library_runs_code_of_its_release_and_from_1_0_on_of_older_minor_releases(
    compiled_for: str, version: str, *, runs: bool
) -> None:
    assert can_run(compiled_for, version) is runs


def test_code_of_the_librarys_own_release_is_loaded() -> None:
    with loading("books-mcp", release_of(VERSION)):
        pass


def test_code_of_another_release_ends_with_a_sentence_before_it_is_imported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, loading("books-mcp", "99.1"):
        raise AssertionError("imported")
    sentence = f"books-mcp: generated for toolaccord 99.1, and {VERSION} is installed: generate it again\n"
    assert (ended.value.code, capsys.readouterr().err) == (2, sentence)


@pytest.mark.parametrize("module", ["tradestream/strategy", "agents/moex_analyst"])
def test_a_generated_command_of_another_release_does_not_start(module: str) -> None:
    path = ROOT / "generated" / module / "__main__.py"
    text = path.read_text(encoding="utf-8")
    assert f'"{release_of(VERSION)}")' in text
    other = text.replace(f'"{release_of(VERSION)}")', '"99.1")')
    ended = subprocess.run([sys.executable, "-c", other], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.endswith(f"generated for toolaccord 99.1, and {VERSION} is installed: generate it again\n")
    assert ended.stderr.count("\n") == 1
