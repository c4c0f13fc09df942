"""What the compiler makes for hosts and for the registry, of contracts that are not ours."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codegen.compiler import compile_folder
from codegen.emit.hosts import HOSTS, host_files
from codegen.emit.mcp_registry import registry_files
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout
from tests.codegen.conftest import Command
from tests.hosts import schemas

LAYOUT = Layout(package="acme", handlers="acme_handlers", sandbox=None, contracts="contracts", command="again")


@pytest.fixture
def contract(shop: Path) -> Contract:
    """The contract of a server without settings."""
    return compile_folder(shop / "contracts").contracts[0]


def told(contract: Contract, layout: Layout = LAYOUT) -> dict[str, Any]:
    """What the registry is told of a server."""
    files = registry_files([contract], layout)
    content: dict[str, Any] = json.loads(files["shop/stock/server.json"])
    return content


def test_every_host_has_a_schema_here() -> None:
    assert {*HOSTS, "codex.config.toml"} == set(schemas.HOSTS)


def test_a_server_whose_name_has_a_dot_goes_by_a_name_that_every_host_takes(contract: Contract) -> None:
    files = host_files([replace(contract, name="acme.stock-mcp")], LAYOUT)
    codex = tomllib.loads(files["shop/stock/hosts/codex.config.toml"])
    assert codex["mcp_servers"]["acme_stock-mcp"]["command"] == "acme.stock-mcp"
    for name in HOSTS:
        content = json.loads(files[f"shop/stock/hosts/{name}"])
        assert [str(fault) for fault in Draft202012Validator(schemas.HOSTS[name]).iter_errors(content)] == []


def test_a_host_waits_whole_seconds_and_longer_than_the_tool(contract: Contract) -> None:
    (tool,) = contract.tools
    slow = replace(contract, tools=(replace(tool, timeout_ms=60_001),))
    codex = tomllib.loads(host_files([slow], LAYOUT)["shop/stock/hosts/codex.config.toml"])
    assert codex["mcp_servers"]["stock"]["tool_timeout_sec"] == 66


def test_the_registry_is_told_of_no_package_where_there_is_no_image(contract: Contract) -> None:
    assert "packages" not in told(contract)
    images = replace(LAYOUT, images="images.example/acme", namespace="io.github.acme")
    packages = told(contract, images)["packages"]
    assert told(contract, images)["name"] == "io.github.acme/stock"
    assert [package["identifier"] for package in packages] == ["images.example/acme/stock:1.0.0"] * 2
    assert [package["transport"]["type"] for package in packages] == ["stdio", "streamable-http"]


@pytest.mark.parametrize(
    "description, shown",
    [
        ("Counts what is there.", "Counts what is there."),
        ("Two\nlines   of text.", "Two lines of text."),
        ("word " * 30, f"{'word ' * 19}…"),
        ("x" * 101, "…"),
    ],
)
def test_a_description_becomes_a_line_of_at_most_a_hundred_characters(
    contract: Contract, description: str, shown: str
) -> None:
    content = told(replace(contract, description=description))
    assert content["description"] == shown
    assert [str(fault) for fault in Draft202012Validator(schemas.REGISTRY).iter_errors(content)] == []


def test_the_command_takes_a_namespace_and_images_and_files_say_how_to_write_them_again(
    shop: Path, command: Command
) -> None:
    flags = ("--package", "acme", "--namespace", "io.github.acme", "--images", "images.example/acme")
    assert command("generate", *flags)[0] == 0
    content = json.loads((shop / "acme/shop/stock/server.json").read_text(encoding="utf-8"))
    assert (content["name"], content["packages"][0]["identifier"]) == (
        "io.github.acme/stock",
        "images.example/acme/stock:1.0.0",
    )
    assert " ".join(flags) in (shop / "acme/shop/hosts/codex.config.toml").read_text(encoding="utf-8")
    assert command("check", *flags)[0] == 0


def test_a_namespace_that_is_no_reverse_dns_name_is_refused(
    capsys: pytest.CaptureFixture[str], command: Command
) -> None:
    with pytest.raises(SystemExit):
        command("generate", "--namespace", "acme/stock")
    assert "is no reverse-DNS name, e.g. io.github.acme" in capsys.readouterr().err
