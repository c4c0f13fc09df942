"""Tests of rendering: stable bytes, and code of one tool that no other tool affects."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2 import DictLoader, Environment

from tests.codegen.conftest import Command
from tests.contracts.shipped import copy_contracts
from toolaccord.client.base import ServerClient
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.emit.render import SERVER_CLIENT_METHODS, render_tree
from toolaccord_codegen.emit.templating import CompiledTemplates
from toolaccord_codegen.ir.layout import Layout

ROOT = Path(__file__).parents[3]
LAYOUT = Layout(package="acme", handlers="acme_handlers", sandbox=None, contracts="contracts", command="again")
CONTRACTS = {
    name: json.loads((ROOT / "contracts" / name).read_text(encoding="utf-8"))
    for name in ("dialects.json", "shared.json", "tradestream/strategy.json", "moex/iss.json")
}
UNRELATED: dict[str, Any] = {
    "name": "aaa_new",
    "version": "1.0.0",
    "description": "A tool that has nothing to do with the others",
    "effects": {},
    "parameters": {
        "type": "object",
        "properties": {"symbol": {"type": "string"}, "metric": {"enum": ["sharpe"]}, "limit": {"type": "integer"}},
        "additionalProperties": False,
    },
    "returns": {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "metadata": {"type": "object", "properties": {"source": {"type": "string"}}},
            "strategy": {"$ref": "#/$defs/Strategy"},
        },
    },
    "errors": [],
    "deadline": {"timeout_ms": 1},
    "examples": [{"arguments": {}, "returns": {}}],
}


def render_contracts(folder: Path, contracts: dict[str, Any]) -> dict[str, str]:
    """Write contracts to a folder and render them."""
    for name, value in contracts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return render_tree(compile_folder(folder), LAYOUT)


def collect_classes(tree: dict[str, str]) -> dict[tuple[str, str], str]:
    """Collect the source of every class, by module and name."""
    return {
        (path, node.name): ast.get_source_segment(text, node) or ""
        for path, text in tree.items()
        if path.endswith(".py")
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    }


def prepend_tool(tools: list[Any]) -> list[Any]:
    return [UNRELATED, *tools]


def append_tool(tools: list[Any]) -> list[Any]:
    return [*tools, UNRELATED]


def reverse_tools(tools: list[Any]) -> list[Any]:
    return tools[::-1]


@pytest.mark.parametrize("change", [prepend_tool, append_tool, reverse_tools])
def test_no_class_changes_when_other_tools_are_added_or_moved(
    change: Callable[[list[Any]], list[Any]], tmp_path: Path
) -> None:
    before = collect_classes(render_contracts(tmp_path / "before", CONTRACTS))
    strategy = CONTRACTS["tradestream/strategy.json"]
    changed = CONTRACTS | {"tradestream/strategy.json": strategy | {"tools": change(strategy["tools"])}}
    after = collect_classes(render_contracts(tmp_path / "after", changed))
    # Two classes have members for all tools: the protocol of the handlers, and the client.
    exempt = {("tradestream/strategy/server.py", "Handlers"), ("tradestream/strategy/client.py", "StrategyClient")}
    compared = before.keys() - exempt
    assert {key: after[key] for key in compared} == {key: before[key] for key in compared}


def test_a_changed_contract_changes_no_file_of_another_server(tmp_path: Path) -> None:
    before = render_contracts(tmp_path / "before", CONTRACTS)
    strategy = CONTRACTS["tradestream/strategy.json"]
    changed = CONTRACTS | {"tradestream/strategy.json": strategy | {"tools": prepend_tool(strategy["tools"])}}
    after = render_contracts(tmp_path / "after", changed)
    different = {path for path in before if before[path] != after[path]}
    assert different == {"tradestream/dashboards/strategy.json"} | {
        f"tradestream/strategy/{name}"
        for name in ("client.py", "models.py", "openapi.json", "schemas.py", "server.py", "tools.json")
    }


def test_runs_in_other_folders_with_other_hash_seeds_give_the_same_bytes(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("generate", "--contracts", str(copy_contracts(tmp_path)), "--out", "tree", "--package", "acme")
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    monkeypatch.chdir(here)  # the hash seed of this process is random
    assert command(*arguments)[0] == 0
    program = [sys.executable, "-m", "toolaccord_codegen", *arguments]
    environment = os.environ | {"PYTHONHASHSEED": "4711"}
    subprocess.run(program, cwd=there, env=environment, check=True, capture_output=True)
    found = [
        {path.relative_to(folder): path.read_bytes() for path in (folder / "tree").rglob("*") if path.is_file()}
        for folder in (here, there)
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 20


def add_parameter(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Add a parameter to a tool, and definitions to its contract."""
    changed: dict[str, Any] = json.loads(json.dumps(CONTRACTS))
    contract = changed["moex/iss.json"]
    contract["tools"][0]["parameters"]["properties"]["extra"] = schema
    contract["$defs"] |= definitions
    return changed


def test_thousands_of_values_and_dozens_of_levels_are_rendered(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"enum": [f"value {number}" for number in range(5000)]}
    for _ in range(20):
        deep = {"type": "object", "properties": {"deeper": {"type": "array", "items": deep}}}
    tree = render_contracts(tmp_path, add_parameter(deep["properties"]["deeper"]["items"], {}))
    assert "value 4999" in tree["moex/iss/models.py"]
    compile(tree["moex/iss/schemas.py"], "schemas.py", "exec")


@pytest.mark.parametrize("branches", [1, 2], ids=["a chain", "a tree that doubles"])
def test_excessive_references_are_rejected_at_once(branches: int, tmp_path: Path) -> None:
    definitions: dict[str, Any] = {
        f"D{level}": {"anyOf": [{"$ref": f"#/$defs/D{level + 1}"}] * branches} for level in range(1000)
    }
    changed = add_parameter({"$ref": "#/$defs/D0"}, definitions | {"D1000": {"type": "string"}})
    with pytest.raises(ContractProblems) as rejection:
        render_contracts(tmp_path, changed)
    assert {problem.rule for problem in rejection.value.problems} == {"SCHEMA_TOO_LARGE"}


def test_methods_of_tasks_make_way_for_tools_of_their_names(tmp_path: Path) -> None:
    tools = [UNRELATED | {"name": "bake", "task": {"mode": "optional"}}, UNRELATED | {"name": "start_bake"}]
    strategy = CONTRACTS["tradestream/strategy.json"]
    changed = CONTRACTS | {"tradestream/strategy.json": strategy | {"tools": strategy["tools"] + tools}}
    client = collect_classes(render_contracts(tmp_path, changed))["tradestream/strategy/client.py", "StrategyClient"]
    named = re.findall(r"def (\w*bake\w*)\(", client)
    assert named == ["bake", "start_bake_", "resume_bake", "start_bake"]


def test_the_reserved_method_names_are_those_of_the_client_class() -> None:
    assert {name for name in vars(ServerClient) if not name.startswith("_")} == SERVER_CLIENT_METHODS


def greet(folder: Path) -> str:
    compiled = CompiledTemplates(str(folder))
    templates = Environment(loader=DictLoader({"greeting": "Hello {{ name }}"}), bytecode_cache=compiled)
    return templates.get_template("greeting").render(name="Ada")


def forbid_compilation(*_: object, **__: object) -> None:
    raise AssertionError("a template was compiled again")


def test_compiled_templates_serve_the_next_run_until_jinja_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert greet(tmp_path) == "Hello Ada"
    monkeypatch.setattr(Environment, "compile", forbid_compilation)
    assert greet(tmp_path) == "Hello Ada"
    monkeypatch.setattr(jinja2, "__version__", "0")
    with pytest.raises(AssertionError, match="compiled again"):
        greet(tmp_path)


@pytest.mark.parametrize("rest", [0, 5, 20, 24, 30, 60, 100, 200])
def test_a_damaged_compiled_template_costs_time_only(
    rest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    greet(tmp_path)
    [kept] = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:rest])
    assert greet(tmp_path) == "Hello Ada"


@pytest.mark.parametrize("folder, keeps_none", [("missing", False), (".", True)])
def test_templates_are_rendered_where_none_is_kept(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, keeps_none: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", keeps_none)
    assert greet(tmp_path / folder) == "Hello Ada"
    assert [*tmp_path.iterdir()] == []
