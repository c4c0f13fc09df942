"""Handlers against contracts: every tool has its function, every public function its tool. Nothing is imported."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from codegen.diagnostics import Problem
from codegen.loading.documents import member, shown_path

if TYPE_CHECKING:  # whoever only asks where a module lies need not load the compiler
    from codegen.ir.contract import Contract, Tool
    from codegen.loading.documents import Document

Function = ast.FunctionDef | ast.AsyncFunctionDef


def handler_faults(contract: Contract, package: str, roots: list[Path]) -> Iterator[Problem]:
    """Tools of a server without a handler, and public functions of its room that no tool names."""
    path = room_path(contract.system, contract.room, package, roots)
    try:
        functions = public_functions(path) if path else {}
    except SyntaxError as error:
        sentence = f"the handlers' module is not Python: {error.msg}"
        yield Problem(
            shown_path(path) if path else "", error.lineno or 1, error.offset or 1, "HANDLER_SYNTAX", sentence
        )
        return
    where = shown_path(path) if path else f"{package}.{contract.system}.{contract.room}, which does not exist"
    for index, tool in enumerate(contract.tools):
        if tool.function in functions:
            yield from function_fault(path, functions[tool.function])
        else:
            sentence = f'"{tool.name}" needs `async def {tool.function}(request, call)` in {where}'
            yield contract.document.problem(member("/tools", index, "name"), "MISSING_HANDLER", sentence)
        yield from lookup_faults(contract.document, tool, index, path, functions)
    known = {name for tool in contract.tools for name in (tool.function, *tool.lookups)}
    for name, function in functions.items():
        if name not in known:
            sentence = (
                f"no tool of {contract.document.shown} is called {name}; declare it, or name the function _{name}"
            )
            yield placed(path, function, "ORPHAN_HANDLER", sentence)


def lookup_faults(
    document: Document, tool: Tool, index: int, path: Path | None, functions: Mapping[str, Function]
) -> Iterator[Problem]:
    """Functions that older versions of a tool ask for, and that are not there or cannot be asked."""
    for name in tool.lookups:
        if name in functions:
            yield from function_fault(path, functions[name])
        else:
            sentence = f'older versions of "{tool.name}" need `async def {name}(value, call)`'
            yield document.problem(member("/tools", index, "versions"), "MISSING_HANDLER", sentence)


def function_fault(path: Path | None, function: Function) -> Iterator[Problem]:
    """A handler that cannot be awaited, or not be called as the runtime calls it."""
    if not isinstance(function, ast.AsyncFunctionDef):
        sentence = f"a handler is a coroutine; make it `async def {function.name}`"
        yield placed(path, function, "SYNC_HANDLER", sentence)
    elif not takes_two(function.args):
        sentence = f"a handler is called with two values; make it `async def {function.name}(request, call)`"
        yield placed(path, function, "HANDLER_SIGNATURE", sentence)


def takes_two(parameters: ast.arguments) -> bool:
    """Whether a function can be called with two positional values and nothing else."""
    most = len(parameters.posonlyargs) + len(parameters.args)
    least = most - len(parameters.defaults)
    return least <= 2 and (most >= 2 or parameters.vararg is not None) and None not in parameters.kw_defaults


def room_path(system: str, room: str, package: str, roots: list[Path]) -> Path | None:
    """The handlers' module of a server, a file or a package; None where there is none."""
    relative = Path(*package.split("."), system, room)
    for root in [*roots, *map(Path, sys.path)]:
        for path in ((root / relative).with_suffix(".py"), root / relative / "__init__.py"):
            if path.is_file():
                return path
    return None


def public_functions(path: Path) -> dict[str, Function]:
    """The functions a module defines at its top, by name, that do not begin with `_`.

    Raises SyntaxError for a module that is not Python.
    """
    module = ast.parse(path.read_bytes(), filename=str(path))
    return {node.name: node for node in module.body if isinstance(node, Function) and not node.name.startswith("_")}


def placed(path: Path | None, function: Function, rule: str, sentence: str) -> Problem:
    """A problem at a function."""
    return Problem(shown_path(path) if path else "", function.lineno, function.col_offset + 1, rule, sentence)
