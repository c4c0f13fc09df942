"""Prove that each configuration has its host's form and references in place of values."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.contracts.shipped import generated_paths
from tests.hosts.reading import FILES, FOLDERS, contracts, entries, read, shown
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


WITH_TIMEOUT = {"opencode.json", "gemini.settings.json", "codex.config.toml"}
"""The hosts whose configuration has a timeout."""


def settings(contract: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of a contract that a server on stdio needs."""
    keys = {key["setting"] for key in contract.get("access", {}).values()}
    return [setting for name, setting in contract.get("settings", {}).items() if name not in keys]


def test_every_server_and_every_system_has_a_configuration_for_every_host() -> None:
    servers = [path.parent for path in generated_paths("server.py")]
    systems = {path.parent for path in servers}
    assert {folder.parent for folder in FOLDERS} == {*servers, *systems}
    assert [shown(path) for path in FILES if not path.exists()] == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_configuration_has_the_form_that_its_host_documents(path: Path) -> None:
    faults = Draft202012Validator(HOSTS[path.name]).iter_errors(read(path))
    assert [f"{fault.json_path}: {fault.message}" for fault in faults] == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_configuration_starts_each_server_by_its_name_from_any_folder(path: Path) -> None:
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
def test_required_settings_are_named_and_all_others_where_the_host_allows_unset_ones(path: Path) -> None:
    servers = entries(read(path))
    for contract in contracts(path.parent):
        entry = servers[contract["server"]["name"]]
        given = set(entry.get("environment") or entry.get("env") or entry.get("env_vars") or ())
        required = {setting["env"] for setting in settings(contract) if "required" in setting}
        assert required <= given
        assert given == {setting["env"] for setting in settings(contract)} or path.name not in ALL


@pytest.mark.parametrize("path", [path for path in FILES if path.name == "vscode.mcp.json"], ids=shown)
def test_vscode_prompts_once_for_each_referenced_value_and_hides_secret_ones(path: Path) -> None:
    content = read(path)
    inputs = {each["id"]: each["password"] for each in content["inputs"]}
    referred = set(re.findall(r"\$\{input:(\w+)\}", json.dumps(content["servers"])))
    assert set(inputs) == referred
    assert len(inputs) == len(content["inputs"])
    known = {each["env"]: each.get("secret") for contract in contracts(path.parent) for each in settings(contract)}
    assert {name for name in inputs.keys() & known if inputs[name]} == {name for name in known if known[name]}


@pytest.mark.parametrize("path", [path for path in FILES if path.name in WITH_TIMEOUT], ids=shown)
def test_a_host_waits_longer_than_the_slowest_tool(path: Path) -> None:
    servers = entries(read(path))
    for contract in contracts(path.parent):
        slowest = max(tool["deadline"]["timeout_ms"] for tool in contract["tools"])
        entry = servers[contract["server"]["name"]]
        timeout_ms_of_host = 1000 * entry["tool_timeout_sec"] if path.suffix == ".toml" else entry["timeout"]
        assert timeout_ms_of_host > slowest


@pytest.mark.parametrize("path", generated_paths("server.json"), ids=shown)
def test_server_json_has_the_form_of_the_registry_and_the_facts_of_the_contract(path: Path) -> None:
    entry = read(path)
    assert [str(fault) for fault in Draft202012Validator(REGISTRY).iter_errors(entry)] == []
    (contract,) = contracts(path)
    server = contract["server"]
    assert (entry["name"], entry["version"]) == (f"com.example/{server['name']}", server["version"])
    assert {package["identifier"] for package in entry["packages"]} == {
        f"localhost/{server['name']}:{server['version']}"
    }
    stdio, http = entry["packages"]
    flags = {
        each["name"]: (each["isRequired"], each["isSecret"], "default" in each)
        for each in stdio["environmentVariables"]
    }
    assert flags == {
        setting["env"]: ("required" in setting, setting.get("secret", False), setting.get("default", "") != "")
        for setting in settings(contract)
    }
    key = contract.get("access", {}).get("http")
    name = contract["settings"][key["setting"]]["env"] if key else "MCP_AUTH_TOKEN"
    token = {"name": name, "isRequired": True, "isSecret": True}
    assert [token.items() <= each.items() for each in http["environmentVariables"]].count(True) == 1
