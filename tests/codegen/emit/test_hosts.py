"""Tests of host configurations and of the registry's server.json."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.codegen.conftest import Command
from tests.hosts import schemas
from toolaccord.contract.operations import Deadline
from toolaccord.contract.texts import Transport
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.emit.hosts import HOSTS, build_server_host_files, build_system_host_files
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

CASES = Path(__file__).parents[1] / "cases"
LAYOUT = Layout(package="acme", handlers="acme_handlers", sandbox=None, contracts="contracts", command="again")


@pytest.fixture
def contract(shop: Path) -> Contract:
    """A contract of a server without settings."""
    return compile_folder(shop / "contracts").contracts[0]


def read_server_json(contract: Contract, layout: Layout = LAYOUT) -> dict[str, Any]:
    """Read the server.json of a server."""
    content: dict[str, Any] = json.loads(render_template("server.json", layout, contract=contract))
    return content


def redeclare(contract: Contract, transports: tuple[Transport, ...] = (), **server: Any) -> Contract:
    """Return a contract with other transports and other keys of its server."""
    declared = replace(contract.declared, transports=transports, server=replace(contract.declared.server, **server))
    return replace(contract, declared=declared)


def test_every_host_configuration_has_a_schema() -> None:
    assert set(HOSTS) == set(schemas.HOSTS)


def test_a_server_name_with_a_dot_becomes_a_name_that_every_host_accepts(contract: Contract) -> None:
    named = redeclare(contract, name="acme.stock-mcp")
    files = build_system_host_files([named], LAYOUT) | build_server_host_files(named, LAYOUT)
    codex = tomllib.loads(files["shop/stock/hosts/codex.config.toml"])
    assert codex["mcp_servers"]["acme_stock-mcp"]["command"] == "acme.stock-mcp"
    for name in HOSTS:
        content = (json if name.endswith(".json") else tomllib).loads(files[f"shop/stock/hosts/{name}"])
        assert [str(fault) for fault in Draft202012Validator(schemas.HOSTS[name]).iter_errors(content)] == []


def test_a_host_timeout_is_in_whole_seconds_and_longer_than_the_tools_deadline(contract: Contract) -> None:
    (tool,) = contract.tools
    slow = replace(contract, tools=(replace(tool, deadline=Deadline(timeout_ms=60_001)),))
    codex = tomllib.loads(build_server_host_files(slow, LAYOUT)["shop/stock/hosts/codex.config.toml"])
    assert codex["mcp_servers"]["stock"]["tool_timeout_sec"] == 66


def test_server_json_lists_packages_only_if_there_are_images(contract: Contract) -> None:
    assert "packages" not in read_server_json(contract)
    images = replace(LAYOUT, images="images.example/acme", namespace="io.github.acme")
    packages = read_server_json(contract, images)["packages"]
    assert read_server_json(contract, images)["name"] == "io.github.acme/stock"
    assert [package["identifier"] for package in packages] == ["images.example/acme/stock:1.0.0"] * 2
    assert [package["transport"]["type"] for package in packages] == ["stdio", "streamable-http"]


@pytest.mark.parametrize("transports", [("stdio", "http"), ("http", "content_length"), ("stdio", "content_length")])
def test_server_json_has_a_package_and_the_settings_of_each_transport(transports: tuple[Transport, ...]) -> None:
    (keyed,) = compile_folder(CASES / "transports/contracts").contracts
    content = read_server_json(redeclare(keyed, transports), replace(LAYOUT, images="images.example/acme"))
    assert [str(fault) for fault in Draft202012Validator(schemas.REGISTRY).iter_errors(content)] == []
    packages = {package["transport"]["type"]: package for package in content["packages"]}
    types = {"stdio": "stdio", "http": "streamable-http"}
    assert list(packages) == [types[each] for each in transports if each in types]
    names = {kind: [each["name"] for each in part["environmentVariables"]] for kind, part in packages.items()}
    expected = {"stdio": ["SHELF"], "streamable-http": ["STOCK_KEY", "SHELF"]}
    assert names == {kind: expected[kind] for kind in packages}
    if "streamable-http" in packages:
        (header,) = packages["streamable-http"]["transport"]["headers"]
        assert header["value"] == "Bearer {STOCK_KEY}"


def test_a_host_starts_only_servers_that_speak_mcp_on_standard_input(contract: Contract) -> None:
    remote = redeclare(contract, ("http", "content_length"), name="remote")
    assert build_server_host_files(remote, LAYOUT) == build_system_host_files([remote], LAYOUT) == {}
    both = json.loads(build_system_host_files([contract, remote], LAYOUT)["shop/hosts/claude-code.mcp.json"])
    assert list(both["mcpServers"]) == ["stock"]


@pytest.mark.parametrize(
    "description, shown",
    [
        ("Counts what is there.", "Counts what is there."),
        ("Two\nlines   of text.", "Two lines of text."),
        ("word " * 30, f"{'word ' * 19}…"),
        ("x" * 101, "…"),
    ],
)
def test_a_description_is_shortened_to_one_line_of_100_characters(
    contract: Contract, description: str, shown: str
) -> None:
    content = read_server_json(redeclare(contract, description=description))
    assert content["description"] == shown
    assert [str(fault) for fault in Draft202012Validator(schemas.REGISTRY).iter_errors(content)] == []


def test_namespace_and_images_are_options_and_headers_repeat_them(shop: Path, command: Command) -> None:
    flags = ("--package", "acme", "--namespace", "io.github.acme", "--images", "images.example/acme")
    assert command("generate", *flags)[0] == 0
    content = json.loads((shop / "acme/shop/stock/server.json").read_text(encoding="utf-8"))
    assert (content["name"], content["packages"][0]["identifier"]) == (
        "io.github.acme/stock",
        "images.example/acme/stock:1.0.0",
    )
    assert " ".join(flags) in (shop / "acme/shop/hosts/codex.config.toml").read_text(encoding="utf-8")
    assert command("check", *flags)[0] == 0


def test_a_namespace_that_is_no_reverse_dns_name_is_rejected(
    capsys: pytest.CaptureFixture[str], command: Command
) -> None:
    with pytest.raises(SystemExit):
        command("generate", "--namespace", "acme/stock")
    assert "is no reverse-DNS name, e.g. io.github.acme" in capsys.readouterr().err
