"""Prove that contract.schema.json helps editors without a change of what it admits."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.snippets import Snippet, fill, inserted_text, list_snippets
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.loading.documents import OWN_DIALECTS
from toolaccord_codegen.rules.metaschema import load_metaschema

SNIPPETS = list_snippets()
OLD_MEMBERS: dict[str, dict[str, bool]] = {
    "Move": {"old_name": True},
    "Add": {},
    "Drop": {"name": True, "old_name": False},
}
"""Arguments of an older version that needs the step, and true for a required one."""


def filled(label: str) -> Any:
    """Return the snippet *label* with its defaults."""
    (found,) = (each for each in SNIPPETS if each.label == label)
    return fill(inserted_text(found.body))


def server_with(snippet: Snippet) -> dict[str, Any]:
    """Return a contract that the snippet is part of, with the snippet of a tool."""
    value, tool = filled(snippet.label), filled("Tool")
    identity = {"name": "books-mcp", "title": "Books", "version": "1.0.0", "description": "Books."}
    contract = {"contract": 1, "server": identity, "dialect": "plain", "tools": [tool]}
    match snippet.owner:
        case "Error":
            tool["errors"] = [value]
        case "OlderVersion":
            tool |= {"version": "1.1.0", "versions": [value]}
        case "DeclaredStep":
            tool |= {"version": "1.1.0", "versions": [older_version(OLD_MEMBERS[snippet.label], value)]}
        case "TaskPolicy":
            tool["task"] = value
            contract["settings"] = {"url": {"env": "REDIS_URL", "description": "Redis", "required": True}}
            contract["sources"] = {value["store"]: {"kind": "redis", "url": {"setting": "url"}}}
        case "View":
            tool["view"] = value
            tool["returns"] = viewed_result()
            del tool["examples"]
        case "Resource" | "Prompt":
            contract[f"{snippet.owner.lower()}s"] = [value]
        case "Ask":
            contract["asks"] = {"confirmation": value}
            tool["asks"] = ["confirmation"]
        case _:
            pass  # the tool alone
    return contract


def viewed_result() -> dict[str, Any]:
    """Return the schema of a result that the snippets of views can show."""
    numbers = {key: {"type": "number"} for key in ("open", "high", "low", "close", "volume")}
    item = {"timestamp": {"type": "string", "format": "date-time"}, "name": {"type": "string"}, **numbers}
    items = {"type": "array", "items": {"type": "object", "properties": item}}
    return {"type": "object", "properties": {"answer": {"type": "string"}, "items": items}}


def older_version(members: dict[str, bool], step: Any) -> dict[str, Any]:
    """Return the snippet of a version with other arguments and one step."""
    older: dict[str, Any] = filled("Version")
    (argument,) = older["parameters"]["properties"].values()
    older["parameters"]["properties"] = dict.fromkeys(members, argument)
    older["parameters"]["required"] = [name for name, is_required in members.items() if is_required]
    older["to_next"]["parameters"] = [step]
    return older


def agent() -> dict[str, Any]:
    """Return the contract of an agent with the snippets of its identity and of a use."""
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    return {
        "contract": 1,
        "agent": filled("Agent"),
        "uses": {"books": filled("Use of a server")},
        "limits": {"timeout_ms": 1000, "max_concurrent": 1},
        "input": empty,
        "output": empty,
    }


def test_there_are_snippets_for_each_part_that_people_write_often() -> None:
    owners = {
        "Tool",
        "TaskPolicy",
        "View",
        "Error",
        "OlderVersion",
        "DeclaredStep",
        "Resource",
        "Prompt",
        "Ask",
        "Use",
        "agent",
    }
    assert {each.owner for each in SNIPPETS} == owners
    assert len({each.label for each in SNIPPETS}) == len(SNIPPETS)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda each: each.label)
def test_a_snippet_with_its_defaults_compiles(snippet: Snippet, tmp_path: Path) -> None:
    files = {"library/books.json": server_with(snippet)}
    if snippet.owner in {"Use", "agent"}:
        files["agents/reminder.json"] = agent()
    for name, contract in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(contract), encoding="utf-8")
    compiled = compile_folder(tmp_path)
    assert len(compiled.contracts) + len(compiled.agents) == len(files)


def test_editors_offer_each_dialect() -> None:
    dialects = json.loads(OWN_DIALECTS.read_text(encoding="utf-8"))
    offered = load_metaschema()["$defs"]["ServerContract"]["properties"]["dialect"]["examples"]
    assert offered == [name for name in dialects if not name.startswith("$")]


def test_editors_offer_each_type() -> None:
    parts = load_metaschema()["$defs"]
    assert parts["Schema"]["properties"]["type"]["examples"] == parts["json_type"]["enum"]
