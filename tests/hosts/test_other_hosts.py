"""Prove that hosts with a status command connect to the servers."""

import json

import pytest

from tests.contracts.shipped import GENERATED
from tests.hosts.project import Project
from tests.hosts.reading import entries, read
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts

SYSTEM = "tradestream/hosts"
SERVERS = list(entries(read(GENERATED / SYSTEM / "claude-code.mcp.json")))


def lines_about(name: str, printed: str) -> list[str]:
    """Return the lines of a host's output that name a server."""
    return [line for line in printed.splitlines() if f"{name}:" in line]


def test_claude_code_connects_to_every_server_of_a_system(project: Project) -> None:
    project.copy(f"{SYSTEM}/claude-code.mcp.json", "project/.mcp.json")
    project.write("home/.claude/settings.json", json.dumps({"enableAllProjectMcpServers": True}))
    printed = project.run(fetched("claude"), "mcp", "list")
    assert ["Connected" in line for name in SERVERS for line in lines_about(name, printed)] == [True] * len(SERVERS), (
        printed
    )
    assert "warning" not in printed.lower()


def test_claude_code_shows_the_missing_setting_of_a_server_and_connects_to_the_others(project: Project) -> None:
    project.copy(f"{SYSTEM}/claude-code.mcp.json", "project/.mcp.json")
    project.write("home/.claude/settings.json", json.dumps({"enableAllProjectMcpServers": True}))
    printed = project.run(fetched("claude"), "mcp", "list", PORTFOLIO_ACCOUNT_ID="")
    connected = {name: "Connected" in line for name in SERVERS for line in lines_about(name, printed)}
    assert connected == {name: name != "portfolio-mcp" for name in SERVERS}, printed


def test_gemini_cli_connects_to_every_server_of_a_system(project: Project) -> None:
    project.copy(f"{SYSTEM}/gemini.settings.json", "project/.gemini/settings.json")
    project.write("home/.gemini/trustedFolders.json", json.dumps({str(project.folder): "TRUST_FOLDER"}))
    printed = project.run("node", fetched("gemini"), "mcp", "list")
    assert ["Connected" in line for name in SERVERS for line in lines_about(name, printed)] == [True] * len(SERVERS), (
        printed
    )


@pytest.mark.parametrize("name", SERVERS)
def test_codex_reads_each_server_and_the_variables_it_passes_on(project: Project, name: str) -> None:
    project.copy(f"{SYSTEM}/codex.config.toml", "home/.codex/config.toml")
    printed = project.run(fetched("codex"), "mcp", "get", name, "--json")
    server = json.loads(printed[printed.index("{") : printed.rindex("}") + 1])
    (written,) = (entry for each, entry in entries(read(project.home / ".codex/config.toml")).items() if each == name)
    assert server["enabled"]
    assert server["transport"]["command"] == written["command"] == name
    assert server["transport"]["env_vars"] == written["env_vars"]
    assert server["tool_timeout_sec"] == written["tool_timeout_sec"]
