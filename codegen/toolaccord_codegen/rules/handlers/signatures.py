"""Rules for handlers: a function for every tool, a tool for every function.

Handlers are parsed, never imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.regular_files import parse_python, read_regular_file

if TYPE_CHECKING:  # locating a module must not load the compiler
    from toolaccord_codegen.ir.agent import Agent
    from toolaccord_codegen.ir.contract import Contract
    from toolaccord_codegen.ir.resources import Completion
    from toolaccord_codegen.ir.tool import Tool
    from toolaccord_codegen.loading.documents import Document

AGENT_HANDLER = "answer"
"""Name of an agent's handler."""
LIFESPAN = "lifespan"
"""Name of the function that opens a server's state."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Needed(NamedTuple):
    """A handler that a resource, a prompt or a completion needs."""

    function: str
    pointer: str
    """The place of its owner in the contract."""
    owner: str
    """The name of its owner for people."""
    parameters: tuple[str, ...] = ("request", "call")


def check_handlers(contract: Contract, package: str, roots: list[Path]) -> Iterator[Problem]:
    """Yield tools without a handler and public functions without a tool."""
    where, functions, faults = _read_module(contract.system, contract.module, package, roots)
    yield from faults or _check_server(contract, where, functions)


def check_agent_handler(agent: Agent, package: str, roots: list[Path]) -> Iterator[Problem]:
    """Yield an agent without its handler, and other public functions."""
    where, functions, faults = _read_module(agent.system, agent.module, package, roots)
    yield from faults or _check_agent(agent, where, functions)


def _read_module(
    system: str, module: str, package: str, roots: list[Path]
) -> tuple[str, Mapping[str, Function], list[Problem]]:
    """Return a module's path for people, its public functions, and its faults of syntax."""
    path = handler_module_path(system, module, package, roots)
    where = display_path(path) if path else f"{package}.{system}.{module}, which does not exist"
    try:
        return where, _public_functions(path) if path else {}, []
    except SyntaxError as error:
        sentence = f"the handlers' module is not Python: {error.msg}"
        return where, {}, [Problem(where, error.lineno or 1, error.offset or 1, "HANDLER_SYNTAX", sentence)]


def _check_agent(agent: Agent, where: str, functions: Mapping[str, Function]) -> Iterator[Problem]:
    """Yield the problems of an agent's public functions."""
    if AGENT_HANDLER in functions:
        yield from _check_function(where, functions[AGENT_HANDLER])
    else:
        sentence = f'"{agent.name}" needs `async def {AGENT_HANDLER}(request, call)` in {where}'
        yield agent.document.problem("/agent/name", "MISSING_HANDLER", sentence)
    for name, function in functions.items():
        if name != AGENT_HANDLER:
            sentence = f"an agent has the handler {AGENT_HANDLER} alone; name the function _{name}"
            yield _problem_at(where, function, "ORPHAN_HANDLER", sentence)


def _check_server(contract: Contract, where: str, functions: Mapping[str, Function]) -> Iterator[Problem]:
    """Yield the problems of the public functions of a server's handlers."""
    for index, tool in enumerate(contract.tools):
        if tool.function in functions:
            yield from _check_function(where, functions[tool.function])
        else:
            sentence = f'"{tool.name}" needs `async def {tool.function}(request, call)` in {where}'
            yield contract.document.problem(join_pointer("/tools", index, "name"), "MISSING_HANDLER", sentence)
        yield from _check_lookups(contract.document, tool, index, where, functions)
    needed = {each.function: each for each in (*_list_resource_handlers(contract), *_list_prompt_handlers(contract))}
    for name, each in needed.items():
        if name in functions:
            yield from _check_function(where, functions[name], each.parameters)
        else:
            sentence = f"{each.owner} needs `{_format_head(name, each.parameters)}` in {where}"
            yield contract.document.problem(each.pointer, "MISSING_HANDLER", sentence)
    known = {name for tool in contract.tools for name in (tool.function, *tool.lookups)} | needed.keys()
    if contract.lifespan and LIFESPAN not in functions:
        sentence = f"the server needs `{LIFESPAN}(start)`, an asynchronous context manager, in {where}"
        yield contract.document.problem("/lifespan", "MISSING_HANDLER", sentence)
    known |= {LIFESPAN} if contract.lifespan else set()
    for name, function in functions.items():
        if name not in known:
            sentence = f"no tool, resource or prompt of {contract.document.display_path} is called {name}; declare it, or name the function _{name}"
            yield _problem_at(where, function, "ORPHAN_HANDLER", sentence)


def _list_resource_handlers(contract: Contract) -> Iterator[_Needed]:
    """Yield the handlers of resources and completions."""
    for index, resource in enumerate(contract.resources):
        if not resource.static:
            at = join_pointer("/resources", index)
            yield _Needed(resource.function, f"{at}/name", f'the resource "{resource.name}"')
            yield from _list_completion_handlers(at, resource.completions)


def _list_prompt_handlers(contract: Contract) -> Iterator[_Needed]:
    """Yield the handlers of prompts and of their completions."""
    for index, prompt in enumerate(contract.prompts):
        at = join_pointer("/prompts", index)
        if not prompt.messages:
            yield _Needed(prompt.function, f"{at}/name", f'the prompt "{prompt.name}"')
        yield from _list_completion_handlers(at, prompt.completions)


def _list_completion_handlers(at: str, completions: Sequence[Completion]) -> Iterator[_Needed]:
    """Yield the handlers of completions."""
    for completion in completions:
        if completion.values is None:
            member = join_pointer(at, "parameters", "properties", completion.member)
            parameters = ("prefix", "call") if completion.ttl_s is None else ("call",)
            yield _Needed(completion.function, member, f'"{completion.member}"', parameters)


def _check_lookups(
    document: Document, tool: Tool, index: int, shown: str, functions: Mapping[str, Function]
) -> Iterator[Problem]:
    """Yield missing or unusable lookup functions of older versions."""
    for name in tool.lookups:
        if name in functions:
            yield from _check_function(shown, functions[name])
        else:
            sentence = f'older versions of "{tool.name}" need `async def {name}(value, call)` in {shown}'
            yield document.problem(join_pointer("/tools", index, "versions"), "MISSING_HANDLER", sentence)


def _check_function(
    shown: str, function: Function, parameters: tuple[str, ...] = ("request", "call")
) -> Iterator[Problem]:
    """Yield handlers that are no coroutine, or do not take *parameters* by position."""
    if not isinstance(function, ast.AsyncFunctionDef):
        sentence = f"a handler is a coroutine; make it `async def {function.name}`"
        yield _problem_at(shown, function, "SYNC_HANDLER", sentence)
    elif not _takes(len(parameters), function.args):
        number = "two values" if len(parameters) == 2 else "one value"
        sentence = f"a handler is called with {number}; make it `{_format_head(function.name, parameters)}`"
        yield _problem_at(shown, function, "HANDLER_SIGNATURE", sentence)


def _format_head(function: str, parameters: tuple[str, ...]) -> str:
    return f"async def {function}({', '.join(parameters)})"


def _takes(number: int, parameters: ast.arguments) -> bool:
    """Return True where a function can be called with exactly *number* positional values."""
    most = len(parameters.posonlyargs) + len(parameters.args)
    least = most - len(parameters.defaults)
    return least <= number and (most >= number or parameters.vararg is not None) and None not in parameters.kw_defaults


def handler_module_path(system: str, server: str, package: str, roots: list[Path]) -> Path | None:
    """Return the file of a server's handlers, a module or a package; None without one."""
    relative = Path(*package.split("."), system, server)
    for root in [*roots, *map(Path, sys.path)]:
        for path in ((root / relative).with_suffix(".py"), root / relative / "__init__.py"):
            if path.is_file():
                return path
    return None


def _public_functions(path: Path) -> dict[str, Function]:
    """Return the public functions that a module defines at its top level, by name.

    Raises SyntaxError for a module that is not Python.
    """
    module = parse_python(read_regular_file(path), path)
    return {node.name: node for node in module.body if isinstance(node, Function) and not node.name.startswith("_")}


def _problem_at(shown: str, function: Function, rule: str, sentence: str) -> Problem:
    """Return a problem at a function of a module."""
    return Problem(shown, function.lineno, function.col_offset + 1, rule, sentence)
