"""Prove that each configuration has its host's form and references in place of values."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.hosts.reading import FILES, FOLDERS, GENERATED, contracts, entries, read, shown
from tests.hosts.schemas import HOSTS, REGISTRY

REFERENCES = {
    "opencode.json": "{{env:{}}}",
    "claude-code.mcp.json": "${{{}:-}}",
    "gemini.settings.json": "${{{}:-}}",
    "vscode.mcp.json": "${{input:{}}}",
    "cursor.mcp.json": "${{env:{}}}",
}
"""The form of a variable's value in each host."""
ALL = {"opencode.json", "claude-code.mcp.json", "gemini.settings.json", "codex.config.toml"}
"""Hosts in which an unset variable is empty, so that every setting can be named."""


PATIENT = {"opencode.json", "gemini.settings.json", "codex.config.toml"}
"""The hosts that are told how long to wait."""


def settings(contract: dict[str, Any]) -> list[dict[str, Any]]:
    """The settings of a contract."""
    return list(contract.get("settings", {}).values())


def test_every_server_and_every_system_has_a_configuration_for_every_host() -> None:
    servers = [path.parent for path in GENERATED.glob("*/*/server.py")]
    systems = {path.parent for path in servers}
    assert {folder.parent for folder in FOLDERS} == {*servers, *systems}
    assert [shown(path) for path in FILES if not path.exists()] == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_configuration_has_the_form_that_its_host_documents(path: Path) -> None:
    faults = Draft202012Validator(HOSTS[path.name]).iter_errors(read(path))
    assert [f"{fault.json_path}: {fault.message}" for fault in faults] == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_configuration_starts_each_server_by_its_name_from_wherever_the_host_runs(path: Path) -> None:
    names = [contract["server"]["name"] for contract in contracts(path.parent)]
    started = {name: entry["command"] for name, entry in entries(read(path)).items()}
    if path.name == "opencode.json":
        assert started == {name: [name] for name in names}
    elif path.name == "claude-desktop.json":
        assert [entry["args"][1] for entry in entries(read(path)).values()] == [
            f"exec \"${{SHELL:-/bin/sh}}\" -lc 'exec {name}'" for name in names
        ]
    else:
        assert started == {name: name for name in names}


@pytest.mark.parametrize("path", [path for path in FILES if path.name in REFERENCES], ids=shown)
def test_every_value_in_the_environment_is_a_reference_to_a_setting_of_the_contract(path: Path) -> None:
    servers = entries(read(path))
    for contract in contracts(path.parent):
        entry = servers[contract["server"]["name"]]
        given = entry["environment" if path.name == "opencode.json" else "env"]
        known = {setting["env"]: REFERENCES[path.name].format(setting["env"]) for setting in settings(contract)}
        assert given == {name: known[name] for name in given}


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "claude-desktop.json"], ids=shown)
def test_a_required_setting_is_named_and_so_is_every_other_where_the_host_may_leave_it_unset(path: Path) -> None:
    servers = entries(read(path))
    for contract in contracts(path.parent):
        entry = servers[contract["server"]["name"]]
        given = set(entry.get("environment") or entry.get("env") or entry.get("env_vars") or ())
        required = {setting["env"] for setting in settings(contract) if "required" in setting}
        assert required <= given
        assert given == {setting["env"] for setting in settings(contract)} or path.name not in ALL


@pytest.mark.parametrize("path", [path for path in FILES if path.name == "vscode.mcp.json"], ids=shown)
def test_vscode_asks_once_for_each_value_it_refers_to_and_hides_the_secret_ones(path: Path) -> None:
    content = read(path)
    asked = {each["id"]: each["password"] for each in content["inputs"]}
    referred = set(re.findall(r"\$\{input:(\w+)\}", json.dumps(content["servers"])))
    assert set(asked) == referred
    assert len(asked) == len(content["inputs"])
    secrets = {each["env"] for contract in contracts(path.parent) for each in settings(contract) if each.get("secret")}
    assert {name for name, hidden in asked.items() if hidden} == secrets


@pytest.mark.parametrize("path", [path for path in FILES if path.name in PATIENT], ids=shown)
def test_a_host_waits_longer_than_the_slowest_tool(path: Path) -> None:
    servers = entries(read(path))
    for contract in contracts(path.parent):
        slowest = max(tool["deadline"]["timeout_ms"] for tool in contract["tools"])
        entry = servers[contract["server"]["name"]]
        patience_ms = 1000 * entry["tool_timeout_sec"] if path.suffix == ".toml" else entry["timeout"]
        assert patience_ms > slowest


@pytest.mark.parametrize("path", sorted(GENERATED.rglob("server.json")), ids=shown)
def test_what_the_registry_is_told_has_its_form_and_is_what_the_contract_says(path: Path) -> None:
    told = read(path)
    assert [str(fault) for fault in Draft202012Validator(REGISTRY).iter_errors(told)] == []
    (contract,) = contracts(path)
    server = contract["server"]
    assert (told["name"], told["version"]) == (f"com.example/{server['name']}", server["version"])
    assert {package["identifier"] for package in told["packages"]} == {
        f"localhost/{server['name']}:{server['version']}"
    }
    stdio, http = told["packages"]
    flags = {
        each["name"]: (each["isRequired"], each["isSecret"], "default" in each)
        for each in stdio["environmentVariables"]
    }
    assert flags == {
        setting["env"]: ("required" in setting, setting.get("secret", False), setting.get("default", "") != "")
        for setting in settings(contract)
    }
    token = {"name": "MCP_AUTH_TOKEN", "isRequired": True, "isSecret": True}
    assert [token.items() <= each.items() for each in http["environmentVariables"]].count(True) == 1
