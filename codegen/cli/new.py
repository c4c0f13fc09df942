"""New servers and tools: a contract entry and a handler stub, without touching a line that exists."""

from __future__ import annotations

import argparse
import ast
import json
from pathlib import Path
from typing import Any

from codegen.cli.options import surroundings
from codegen.diagnostics import CommandError, ContractProblems, Problem
from codegen.emit.ruff import in_order, in_style
from codegen.loading.documents import Document, display_path, parse_document, read_document
from codegen.loading.references import SchemaLibrary, as_array, as_object
from codegen.naming import ClassName, Identifier
from codegen.rules import metaschema
from codegen.rules.contract import check_path, check_tool_names
from codegen.rules.tool import check_tool_name
from codegen.rules.tool_view import view_tools


class Refused(CommandError):
    """What was asked for cannot be made; the text says why."""


def run_server(options: argparse.Namespace) -> int:
    """Begin a server."""
    system, name = options.server
    done = made(new_server(options.contracts, handlers_folder(options), system, name, options.package))
    print(f"To start it by its name, add to [project.scripts]: {console_script(options.package, system, name)}")
    return done


def run_tool(options: argparse.Namespace) -> int:
    """Begin a tool."""
    system, name = options.server
    folder = handlers_folder(options)
    return made(new_tool(options.contracts, folder, system, name, options.name, options.package))


def handlers_folder(options: argparse.Namespace) -> Path:
    """Where the handlers lie: beside the output folder."""
    return surroundings(options).joinpath(*options.handlers.split("."))


def made(paths: list[Path]) -> int:
    """Say what was made, and what comes next."""
    for path in paths:
        print(f"wrote   {display_path(path)}")
    print("Next: edit the contract, then `python -m codegen generate`, then write the handler.")
    return 0


def new_server(contracts: Path, handlers: Path, system: str, server: str, package: str) -> list[Path]:
    """Write a contract with one tool, and its handlers' module. Returns the paths made.

    Raises Refused where one of them exists, or where the names would not do.
    """
    contract, module = contracts / system / f"{server}.json", handlers / system / f"{server}.py"
    for path in (contract, module):
        if path.exists():
            raise Refused(f"{display_path(path)} exists already")
    tool = f"get_{server}"
    text = json.dumps(server_entry(server, tool), indent=2, ensure_ascii=False) + "\n"
    refuse_faults(contract, f"{system}/{server}.json", text)
    make(contract, text)
    made = [contract]
    for directory in (handlers, module.parent):
        package_file = directory / "__init__.py"
        if not package_file.exists():
            make(package_file, f'"""Handlers: {directory.name}."""\n')
            made.append(package_file)
    make(module, with_stub(module, beginning(system, server), imports(system, server, package), stub(server, tool)))
    return [*made, module]


def new_tool(contracts: Path, handlers: Path, system: str, server: str, name: str, package: str) -> list[Path]:
    """Add a tool to a contract and a stub to its handlers' module. Returns the paths changed.

    Raises Refused where the server is not there or the name would not do, ContractProblems where its JSON cannot be
    read.
    """
    path, module = contracts / system / f"{server}.json", handlers / system / f"{server}.py"
    if not path.exists():
        raise Refused(
            f"{display_path(path)} does not exist; make it with: python -m codegen new server {system}/{server}"
        )
    problems: list[Problem] = []
    document = read_document(path, f"{system}/{server}.json", problems)
    if document is None:
        raise ContractProblems(problems)
    if not as_array(as_object(document.value).get("tools")):
        raise Refused(f'{display_path(path)} has no "tools" to add one to')
    text = with_tool(document, path.read_bytes().decode(), tool_entry(name))
    refuse_faults(path, document.name, text)
    known = module.read_bytes().decode() if module.exists() else beginning(system, server)
    handlers_text = with_stub(module, known, imports(system, server, package), stub(server, name))
    make(path, text)
    make(module, handlers_text)
    return [path, module]


def refuse_faults(path: Path, name: str, text: str) -> None:
    """Refuse a contract that breaks the language or in which names collide, before it is written."""
    problems: list[Problem] = []
    document = parse_document(text.removeprefix("\ufeff"), name, str(path), problems)
    if document:
        problems.extend(metaschema.check_shape(document))
        problems.extend(check_path(document))
        problems.extend(check_tool_names(document))
        problems.extend(
            fault for view in view_tools(SchemaLibrary({}), document, {}) for fault in check_tool_name(view)
        )
    if problems:
        raise Refused("; ".join(dict.fromkeys(problem.sentence for problem in sorted(problems))))


def with_tool(document: Document, text: str, entry: dict[str, Any]) -> str:
    """The text of a contract with one more tool at the end of its tools; every other character stays."""
    last = len(document.value["tools"]) - 1
    start = document.places.value(f"/tools/{last}") + (1 if text.startswith("\ufeff") else 0)
    end = start + json.JSONDecoder().raw_decode(text[start:])[1]
    line = text[text.rfind("\n", 0, start) + 1 : start]
    indent = line[: len(line) - len(line.lstrip())]
    body = json.dumps(entry, indent=indent[: len(indent) // 2] or "  ", ensure_ascii=False)
    added = f",\n{body}".replace("\n", f"\n{indent}").replace("\n", newline_of(text))
    return f"{text[:end]}{added}{text[end:]}"


def with_stub(module: Path, text: str, needed: list[tuple[str, str]], function: str) -> str:
    """The text of a module with the imports that it lacks and one more function; every line of it stays."""
    newline = newline_of(text)
    whole = with_imports(module, text, needed)
    return (whole if whole.endswith("\n") else f"{whole}{newline}") + in_style(function, module).replace("\n", newline)


def with_imports(module: Path, text: str, needed: list[tuple[str, str]]) -> str:
    """The text of a module with the imports that it lacks, sorted as far as no line of it has to move for that."""
    lines, body = text.split("\n"), ast.parse(text).body
    statements = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {(node.module, name.name) for node in statements if isinstance(node, ast.ImportFrom) for name in node.names}
    missing = [f"from {home} import {name}" for home, name in needed if (home, name) not in known]
    if not missing:
        return text
    last = max((node.end_lineno or 0 for node in statements), default=0)
    docstring_end = (body[0].end_lineno or 0) if body and isinstance(body[0], ast.Expr) else 0
    at = last or docstring_end
    added = [f"{line}{newline_of(text)[:-1]}" for line in ([] if last else [""]) + missing]
    simple = "\n".join([*lines[:at], *added, *lines[at:]])
    ordered = in_order(simple, module)
    return ordered if keeps(ordered.split("\n"), lines) else simple


def keeps(lines: list[str], others: list[str]) -> bool:
    """Whether lines hold all others, in their order."""
    rest = iter(lines)
    return all(line in rest for line in others)


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def make(path: Path, text: str) -> None:
    """Write a file, byte for byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def server_entry(server: str, tool: str) -> dict[str, Any]:
    """A contract that compiles, to be edited."""
    name = server.replace("_", "-")
    return {
        "$schema": "../contract.schema.json",
        "contract": 1,
        "server": {
            "name": server_name(server),
            "title": name.replace("-", " ").capitalize(),
            "version": "0.1.0",
            "description": f"What {name} knows.",
        },
        "dialect": "plain",
        "tools": [tool_entry(tool)],
    }


def server_name(server: str) -> str:
    """The name of a new server."""
    return f"{server.replace('_', '-')}-mcp"


def console_script(package: str, system: str, server: str) -> str:
    """The line of a pyproject.toml that makes a server a program."""
    return f'{server_name(server)} = "{package}.{system}.{server}.__main__:main"'


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


def beginning(system: str, server: str) -> str:
    """The first lines of a new handlers' module."""
    return f'"""Handlers of contracts/{system}/{server}.json: one coroutine for each tool."""\n'


def imports(system: str, server: str, package: str) -> list[tuple[str, str]]:
    """What a stub needs: modules, and names in them."""
    home = f"{package}.{system}.{server}"
    return [(home, "models"), (f"{home}.server", f"{ClassName(server)}Call")]


def stub(server: str, tool: str) -> str:
    """A handler to be written: its signature is right, and a call of it says that it is not done."""
    request, result = (f"models.{ClassName(tool)}{suffix}" for suffix in ("Request", "Result"))
    return (
        f"\n\nasync def {Identifier(tool)}(request: {request}, call: {ClassName(server)}Call, /) -> {result}:\n"
        f'    """Say how the answer is found."""\n'
        f'    raise NotImplementedError("{Identifier(tool)} is not written yet")\n'
    )
