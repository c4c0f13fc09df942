"""The official tool of MCP bundles accepts ours; it comes from npm."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from toolaccord_codegen.__main__ import main

pytestmark = pytest.mark.hosts
TOOL = ("npx", "--yes", "@anthropic-ai/mcpb@2.1.2")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["strategy", "new"])
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bundle one of our servers, and the first server of a new project."""
    folder = tmp_path_factory.mktemp("bundle")
    if request.param == "strategy":
        run("bundle", "tradestream/strategy", "--to", str(folder), cwd=ROOT)
    else:
        run("init", "acme/books", cwd=folder)
        run("generate", cwd=folder)
        run("bundle", "acme/books", "--to", str(folder), cwd=folder)
    (written,) = folder.glob("*.mcpb")
    return written


def run(*arguments: str, cwd: Path) -> None:
    """Run a command of toolaccord in a folder."""
    subprocess.run([sys.executable, "-m", main.__module__.split(".")[0], *arguments], cwd=cwd, check=True, timeout=120)


def ask_tool(*arguments: str | Path) -> str:
    """Run the official tool; return its output."""
    done = subprocess.run([*TOOL, *arguments], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_official_tool_accepts_the_manifest_and_packs_the_same_files(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "unpacked")
        names = set(archive.namelist())
    assert "validation passes" in ask_tool("validate", tmp_path / "unpacked/manifest.json")
    ask_tool("pack", tmp_path / "unpacked", tmp_path / "packed.mcpb")
    with zipfile.ZipFile(tmp_path / "packed.mcpb") as packed:
        assert set(packed.namelist()) == names


def test_the_official_tool_reads_the_bundle(bundle: Path) -> None:
    assert bundle.name in ask_tool("info", bundle)
