"""Texts of new contracts, tools and handlers, and their insertion into existing files."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.emit.ruff import format_snippet, sort_imports
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_edits import append_item, apply_edits
from toolaccord_codegen.loading.regular_files import parse_python
from toolaccord_codegen.naming import ClassName, Identifier, mcp_server_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The names and the files of a server."""

    package: str
    """The import name of the generated package."""
    system: str
    name: str
    """The Python name of its modules."""
    contract: Path
    module: Path
    """The module of its handlers."""

    @classmethod
    def locate(cls, folders: Folders, path: tuple[str, str]) -> Self:
        """Return a server of a project by its system and name; it need not exist."""
        system, name = path
        return cls(
            package=folders.package,
            system=system,
            name=name,
            contract=folders.contracts / system / f"{name}.json",
            module=folders.handlers_folder / system / f"{name}.py",
        )

    @property
    def home(self) -> str:
        """Return the import name of its generated package."""
        return f"{self.package}.{self.system}.{self.name}"

    @property
    def contract_name(self) -> str:
        """Return the contract's path below the contracts folder."""
        return f"{self.system}/{self.name}.json"

    @property
    def contract_path(self) -> str:
        """Return the contract's path as generated files name it."""
        return f"{self.contract.absolute().parents[1].name}/{self.contract_name}"

    @property
    def mcp_name(self) -> str:
        """Return the name that hosts show."""
        return mcp_server_name(self.name)

    @property
    def console_script(self) -> str:
        """Return the target of its console script."""
        return f"{self.home}.__main__:main"


def contract_text(server: Server, tool: str) -> str:
    """Return a contract with one tool, which compiles and is meant to be edited."""
    return render_template("new/contract.json", server=server, tool=tool)


def module_docstring(server: Server) -> str:
    """Return the first lines of a new module of handlers."""
    return f'"""Handlers of {server.contract_path}: one coroutine for each tool."""\n'


def add_tool(document: Document, text: str, tool: str) -> str:
    """Return the text of a contract with one more tool at the end; every other character stays."""
    drafted = json.loads(render_template("new/tool.json", tool=tool))
    return apply_edits(text, [append_item(document, "/tools", drafted)])


def add_handler(text: str, server: Server, tool: str) -> str:
    """Return the text of a module with a stub and its imports added; other lines stay."""
    newline = _newline(text)
    extended = _add_imports(text, server)
    if not extended.endswith("\n"):
        extended += newline
    return extended + format_snippet(_stub(server, tool), server.module).replace("\n", newline)


def _stub(server: Server, tool: str) -> str:
    """Return a handler with the right signature that raises NotImplementedError."""
    request, result = (f"models.{ClassName(tool)}{suffix}" for suffix in ("Request", "Result"))
    call = f"{ClassName(server.name)}Call"
    return (
        f"\n\nasync def {Identifier(tool)}(request: {request}, call: {call}, /) -> {result}:\n"
        f'    """Say how the answer is found."""\n'
        f'    raise NotImplementedError("{Identifier(tool)} is not written yet")\n'
    )


def _add_imports(text: str, server: Server) -> str:
    """Return the text of a module with a stub's imports.

    They are sorted as far as every line stays in its order; an import from the same module gets more names.
    """
    lines, body = text.split("\n"), parse_python(text, server.module).body
    statements = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {(node.module, name.name) for node in statements if isinstance(node, ast.ImportFrom) for name in node.names}
    needed = [(server.home, "models"), (f"{server.home}.server", f"{ClassName(server.name)}Call")]
    missing = [f"from {source} import {name}" for source, name in needed if (source, name) not in known]
    if not missing:
        return text
    last = max((node.end_lineno or 0 for node in statements), default=0)
    docstring_end = (body[0].end_lineno or 0) if body and isinstance(body[0], ast.Expr) else 0
    at = last or docstring_end
    added = [f"{line}{_newline(text)[:-1]}" for line in ([] if last else [""]) + missing]
    extended = "\n".join([*lines[:at], *added, *lines[at:]])
    ordered = sort_imports(extended, server.module)
    sources = {source for source, _ in needed}
    is_kept = _contains_in_order(*(_list_lines(each, server, sources) for each in (ordered, text)))
    return ordered if is_kept else extended


def _list_lines(text: str, server: Server, sources: Collection[str]) -> list[str]:
    """Return the lines of a module; an import from one of *sources* is its name alone."""
    lines: list[str | None] = [*text.split("\n")]
    for node in parse_python(text, server.module).body:
        if isinstance(node, ast.ImportFrom) and node.module in sources:
            lines[node.lineno - 1 : node.end_lineno] = [node.module, *[None] * ((node.end_lineno or 0) - node.lineno)]
    return [line for line in lines if line is not None]


def _contains_in_order(lines: list[str], others: list[str]) -> bool:
    """Return True where lines contain all others in their order."""
    rest = iter(lines)
    return all(line in rest for line in others)


def _newline(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"
