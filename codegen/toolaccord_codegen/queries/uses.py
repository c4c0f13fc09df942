"""Queries that the handlers of a server call, by handler."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_uses(module: ast.Module, package: str) -> Mapping[str, frozenset[str]]:
    """Return the functions of the module *package*`.queries` that each function of a module calls.

    Calls through other functions of the module count.
    """
    names = dict(_list_names(module, package))
    functions = {node.name: node for node in module.body if isinstance(node, Function)}
    return {name: frozenset(_collect(name, functions, names, set())) for name in functions}


def _list_names(module: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """Yield names of the module, each with the query that it stands for; empty for the module of queries."""
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from ((alias.asname or alias.name, "") for alias in node.names if alias.name == "queries")
        elif isinstance(node, ast.ImportFrom) and node.module == f"{package}.queries":
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)


def _collect(name: str, functions: Mapping[str, Function], names: Mapping[str, str], seen: set[str]) -> Iterator[str]:
    """Yield the queries that a function calls, itself or through others."""
    seen.add(name)
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and names.get(node.value.id) == "":
            yield node.attr
        elif isinstance(node, ast.Name) and names.get(node.id):
            yield names[node.id]
        elif isinstance(node, ast.Name) and node.id in functions and node.id not in seen:
            yield from _collect(node.id, functions, names, seen)


def runs_own_sql(module: ast.Module) -> bool:
    """Return whether a module sends statements that no SQL file has."""
    return any(isinstance(node, ast.Attribute) and node.attr in {"fetch", "fetch_one"} for node in ast.walk(module))
