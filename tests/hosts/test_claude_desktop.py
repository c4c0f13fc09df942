"""Prove that a server starts as Claude Desktop starts it, through the login shell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.shipped import GENERATED
from tests.hosts.reading import entries, read

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "desktop", "version": "1"}},
}


def started(home: Path) -> subprocess.CompletedProcess[str]:
    """Start a server as Claude Desktop does, initialize it, and return the result."""
    entry = entries(read(GENERATED / "tradestream/strategy/hosts/claude-desktop.json"))["strategy-mcp"]
    return subprocess.run(
        [entry["command"], *entry["args"]], cwd="/", env={"HOME": str(home), "SHELL": "/bin/sh"},
        input=json.dumps(HELLO) + "\n", capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile that puts the servers on the path."""
    path = tmp_path / ".profile"
    path.write_text(f'export PATH="{Path(sys.executable).parent}:$PATH"\n', encoding="utf-8")
    return path


def test_claude_desktop_starts_a_server_with_the_variables_of_the_profile(profile: Path) -> None:
    with profile.open("a", encoding="utf-8") as lines:
        lines.write("export DATABASE_URL=postgresql://nobody@127.0.0.1:9/nothing\n")
    done = started(profile.parent)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "strategy-mcp"


def test_a_setting_missing_from_the_profile_is_reported(profile: Path) -> None:
    done = started(profile.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "DATABASE_URL is required and not set" in done.stderr
