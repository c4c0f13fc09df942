"""Read the shipped servers' contracts without the compiler, with references resolved."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CONTRACTS = ROOT / "contracts"


def load(path: Path) -> Any:
    """Return the JSON in *path*."""
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def shipped_names() -> frozenset[str]:
    """Return the names of the servers and agents on the page docs/servers.md: tests judge these."""
    page = (ROOT / "docs/servers.md").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^\* \*\*([\w-]+)\*\*", page, re.MULTILINE))


@cache
def all_names() -> dict[Path, str]:
    """Return the name in each contract file, also in those that tests do not judge."""
    files = sorted(path for path in CONTRACTS.glob("*/*.json") if path.suffixes == [".json"])
    found = {file: load(file) for file in files}
    return {file: (contract.get("server") or contract["agent"])["name"] for file, contract in found.items()}


def contract_files() -> list[Path]:
    """Return the contract files of the shipped servers and agents."""
    return [file for file, name in all_names().items() if name in shipped_names()]


def server_files() -> list[Path]:
    """Return the contract files of the shipped servers."""
    return [file for file in contract_files() if "server" in load(file)]


@cache
def contracts() -> dict[str, Any]:
    """Return each shipped server's contract with references resolved, e.g. tradestream.strategy."""
    documents = [(load(file), file) for file in server_files()]
    return {f"{file.parent.name}.{file.stem}": written_out(document, document, file) for document, file in documents}


def one_server_per_dialect() -> list[str]:
    """Return the server with the most tools of each dialect."""
    largest: dict[str, str] = {}
    for module, contract in contracts().items():
        known = largest.setdefault(contract["dialect"], module)
        if len(contract["tools"]) > len(contracts()[known]["tools"]):
            largest[contract["dialect"]] = module
    return list(largest.values())


def tool(module: str, name: str) -> dict[str, Any]:
    """Return one tool of the contract of *module*."""
    found: dict[str, Any] = next(tool for tool in contracts()[module]["tools"] if tool["name"] == name)
    return found


def mcp_tools(module: str) -> list[dict[str, Any]]:
    """Return the tools of the contract of *module* that MCP offers."""
    return [found for found in contracts()[module]["tools"] if found.get("transports") != ["content_length"]]


def tools() -> list[tuple[str, str]]:
    """Return module and name of every tool that MCP offers."""
    return [(module, found["name"]) for module in contracts() for found in mcp_tools(module)]


def written_out(value: Any, document: Any, file: Path) -> Any:
    """Return *value*, a part of *document* in *file*, with each `$ref` resolved.

    Keys beside a `$ref` replace those of the schema that it names.
    """
    if isinstance(value, list):
        return [written_out(item, document, file) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: written_out(member, document, file) for name, member in value.items() if name != "$ref"}
    if "$ref" not in value:
        return members
    where, _, name = value["$ref"].partition("#/$defs/")
    there = (file.parent / where).resolve() if where else file
    target = load(there) if where else document
    named: dict[str, Any] = written_out(target["$defs"][name], target, there)
    return named | members
