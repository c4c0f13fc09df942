"""Queries that the handlers of a server call, by handler."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SENDING = frozenset({"fetch", "fetch_one", "fetch_values"})


def find_uses(module: ast.Module, package: str) -> Mapping[str, frozenset[str]]:
    """Return the functions of *package*`.queries` that each function of a module calls.

    Calls through other functions and classes of the module count, and so does what it does when it is imported.
    """
    owned = {node.name: node for node in module.body if isinstance(node, Function | ast.ClassDef)}
    loose = [node for node in module.body if not isinstance(node, Function | ast.ClassDef)]
    uses = _Uses(dict(_list_names(module, package)), owned)
    always = frozenset(uses.collect(loose, set()))
    return {name: always.union(uses.collect([node], {name})) for name, node in owned.items()}


def _list_names(module: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """Yield names of the module with the query that each is; empty for the module of queries."""
    above, _, last = package.rpartition(".")
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from ((alias.asname or alias.name, "") for alias in node.names if alias.name == "queries")
        elif isinstance(node, ast.ImportFrom) and node.module == f"{package}.queries":
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == above:
            yield from ((f"{alias.asname or last}.queries", "") for alias in node.names if alias.name == last)
        elif isinstance(node, ast.Import):
            named = {alias.name: alias.asname or alias.name for alias in node.names}
            yield from ((named[name], "") for name in named if name == f"{package}.queries")
            yield from ((f"{named[name]}.queries", "") for name in named if name == package)


@dataclass(frozen=True, slots=True)
class _Uses:
    """The uses of queries in a module."""

    names: Mapping[str, str]
    """Names with the query that each stands for; empty for the module of queries."""
    owned: Mapping[str, Function | ast.ClassDef]
    """The functions and classes of the module."""

    def collect(self, nodes: Sequence[ast.AST], seen: set[str]) -> Iterator[str]:
        """Yield the queries that nodes call, also through functions and classes of the module."""
        for node in (below for each in nodes for below in ast.walk(each)):
            if isinstance(node, ast.Attribute) and self.names.get(ast.unparse(node.value)) == "":
                yield node.attr
            elif isinstance(node, ast.Name) and self.names.get(node.id):
                yield self.names[node.id]
            elif isinstance(node, ast.Name) and node.id in self.owned and node.id not in seen:
                seen.add(node.id)
                yield from self.collect([self.owned[node.id]], seen)


def runs_own_sql(module: ast.Module) -> bool:
    """Return whether a module sends statements that no SQL file has."""
    return any(isinstance(node, ast.Attribute) and node.attr in _SENDING for node in ast.walk(module))
