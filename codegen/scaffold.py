"""New servers and tools: a contract entry and a handler stub, without touching a line that exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from codegen.documents import Document, read
from codegen.naming import ClassName, Identifier
from codegen.problems import ContractProblems, Problem


class Refused(Exception):
    """What was asked for cannot be made; the text says why."""


def new_server(contracts: Path, handlers: Path, system: str, room: str, package: str) -> list[Path]:
    """Write a contract with one tool, and its handlers' module. Returns the paths made.

    Raises Refused where one of them exists, or where the names are no Python names.
    """
    for name in (system, room):
        if not (name.isidentifier() and name == name.lower()):
            raise Refused(f'"{name}" becomes a Python package; use lower-case letters, digits and "_"')
    contract, module = contracts / system / f"{room}.json", handlers / system / f"{room}.py"
    for path in (contract, module):
        if path.exists():
            raise Refused(f"{path} exists already")
    tool = f"get_{room}"
    make(contract, json.dumps(server_entry(room, tool), indent=2, ensure_ascii=False) + "\n")
    made = [contract]
    for directory in (handlers, module.parent):
        package_file = directory / "__init__.py"
        if not package_file.exists():
            make(package_file, f'"""Handlers: {directory.name}."""\n')
            made.append(package_file)
    make(module, module_header(system, room, package) + stub(room, tool))
    return [*made, module]


def new_tool(contracts: Path, handlers: Path, system: str, room: str, name: str, package: str) -> list[Path]:
    """Add a tool to a contract and a stub to its handlers' module. Returns the paths changed.

    Raises Refused where the server is not there or has such a tool, ContractProblems where its JSON cannot be read.
    """
    path, module = contracts / system / f"{room}.json", handlers / system / f"{room}.py"
    if not path.exists():
        raise Refused(f"{path} does not exist; make it with: python -m codegen new server {system}/{room}")
    problems: list[Problem] = []
    document = read(path, path.name, problems)
    if document is None:
        raise ContractProblems(problems)
    if any(Identifier(tool["name"]) == Identifier(name) for tool in document.value["tools"]):
        raise Refused(f'{path} has a tool "{name}" already, or one that Python cannot tell from it')
    path.write_text(with_tool(document, path.read_text(encoding="utf-8"), tool_entry(name)), encoding="utf-8")
    if not module.exists():
        make(module, module_header(system, room, package))
    with module.open("a", encoding="utf-8") as file:
        file.write(stub(room, name))
    return [path, module]


def with_tool(document: Document, text: str, entry: dict[str, Any]) -> str:
    """The text of a contract with one more tool at the end of its tools; every other character stays."""
    last = len(document.value["tools"]) - 1
    start = offset(document, text, f"/tools/{last}")
    end = start + json.JSONDecoder().raw_decode(text[start:])[1]
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    step = indent[: len(indent) // 2] or "  "
    body = json.dumps(entry, indent=step, ensure_ascii=False).replace("\n", f"\n{indent}")
    return f"{text[:end]},\n{indent}{body}{text[end:]}"


def offset(document: Document, text: str, pointer: str) -> int:
    """Where a value begins in the file; a byte order mark, which reading removes, shifts nothing that is written."""
    return document.values[pointer] + (1 if text.startswith("\ufeff") else 0)


def make(path: Path, text: str) -> None:
    """Write a new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def server_entry(room: str, tool: str) -> dict[str, Any]:
    """A contract that compiles, to be edited."""
    name = room.replace("_", "-")
    return {
        "$schema": "../contract.schema.json",
        "contract": 1,
        "server": {
            "name": f"{name}-mcp",
            "title": name.replace("-", " ").capitalize(),
            "version": "0.1.0",
            "description": f"What {name} knows.",
        },
        "dialect": "plain",
        "tools": [tool_entry(tool)],
    }


def tool_entry(name: str) -> dict[str, Any]:
    """A tool that compiles, to be edited."""
    return {
        "name": name,
        "version": "0.1.0",
        "description": f"Say what {name} does, for the model that chooses it",
        "effects": {},
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
        "returns": {
            "type": "object",
            "properties": {"answer": {"type": "string", "description": "Say what it means"}},
            "required": ["answer"],
            "additionalProperties": False,
        },
        "errors": [],
        "deadline": {"timeout_ms": 10000},
        "examples": [{"arguments": {}, "returns": {"answer": "an example"}}],
    }


def module_header(system: str, room: str, package: str) -> str:
    """The beginning of a new handlers' module."""
    return (
        f'"""Handlers of contracts/{system}/{room}.json: one coroutine for each tool."""\n\n'
        "from __future__ import annotations\n\n"
        f"from {package}.{system}.{room} import models\n"
        f"from {package}.{system}.{room}.server import {ClassName(room)}Call\n"
    )


def stub(room: str, tool: str) -> str:
    """A handler to be written: its signature is right, and a call of it says that it is not done."""
    request, result = (f"models.{ClassName(tool)}{suffix}" for suffix in ("Request", "Result"))
    return (
        f"\n\nasync def {Identifier(tool)}(request: {request}, call: {ClassName(room)}Call) -> {result}:\n"
        f'    """Say how the answer is found."""\n'
        f'    raise NotImplementedError("{Identifier(tool)} is not written yet")\n'
    )
