"""Imports of handlers that fail at the start: modules and names that the project lacks.

Files are parsed, never imported. Packages of others are left out: a command may run in an environment without them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.regular_files import parse_python, read_regular_file, read_utf8
from toolaccord_codegen.rules.handlers.signatures import handler_module_path

if TYPE_CHECKING:
    from toolaccord_codegen.ir.agent import Agent
    from toolaccord_codegen.ir.contract import Contract


def check_imports(owners: Iterable[Contract | Agent], modules: ProjectModules) -> Iterator[Problem]:
    """Yield the imports of handlers that fail at the start of a server or an agent."""
    for owner in owners:
        path = handler_module_path(owner.system, owner.module, modules.handlers, [*modules.roots])
        with suppress(SyntaxError):  # HANDLER_SYNTAX
            yield from modules.check(path) if path else ()


@dataclass(frozen=True, slots=True)
class ProjectModules:
    """Modules of a project: generated ones as they will be, and those of handlers."""

    package: str
    tree: Mapping[str, str]
    """The files of the generated package."""
    handlers: str
    roots: Sequence[Path]
    """Folders that hold the handlers' package."""
    _names: dict[str, frozenset[str] | None] = field(default_factory=dict)
    """The names of `_list_names` in each module that was looked at."""

    def check(self, path: Path) -> Iterator[Problem]:
        """Yield the imports of a handlers' module that no module of the project satisfies."""
        package = self._name_package(path)
        for node in parse_python(read_regular_file(path), path).body:
            for module, name in _list_imports(node, package):
                if sentence := self._find_fault(module, name):
                    yield Problem(display_path(path), node.lineno, node.col_offset + 1, "HANDLER_IMPORT", sentence)

    def _name_package(self, path: Path) -> list[str]:
        """Return the parts of the package around a module."""
        absolute = path.absolute()
        roots = [root.absolute() for root in self.roots if absolute.is_relative_to(root.absolute())]
        return [*absolute.relative_to(roots[0]).parts[:-1]] if roots else []

    def _find_fault(self, module: str, name: str | None) -> str | None:
        """Return the reason for which an import fails; None if it does not, or if nobody knows."""
        if not any(f"{module}.".startswith(f"{own}.") for own in (self.package, self.handlers)):
            return None
        if module not in self._names:
            text = self._read(module)
            if text is None:
                return f"there is no module {module}, so the server cannot start"
            self._names[module] = _list_names(ast.parse(text))
        names = self._names[module]
        if name in {None, "*"} or names is None or name in names or self._read(f"{module}.{name}") is not None:
            return None
        return f"{module} has no {name}, so the server cannot start; {suggest(str(name), names)}"

    def _read(self, module: str) -> str | None:
        """Return the text of a module, empty for a package without one; None if there is none."""
        if f"{module}.".startswith(f"{self.package}."):
            place = module[len(self.package) + 1 :].replace(".", "/")
            found = self.tree.get(f"{place}.py", self.tree.get(f"{place}/__init__.py".lstrip("/")))
            return "" if found is None and any(path.startswith(f"{place}/") for path in self.tree) else found
        for folder in (root.joinpath(*module.split(".")) for root in self.roots):
            for file in (folder / "__init__.py", folder.with_name(f"{folder.name}.py")):
                if file.is_file():
                    return read_utf8(file)
            if folder.is_dir():
                return ""
        return None


def _list_imports(node: ast.stmt, package: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the modules that a statement in a *package* imports, each with a name in it or None."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, None) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*parts, *([node.module] if node.module else [])])
        yield from ((module, alias.name) for alias in node.names)


def _list_names(module: ast.Module) -> frozenset[str] | None:
    """Return the names that a module has; None if it makes names at run time."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name):
            names |= {node.id} if isinstance(node.ctx, ast.Store) or node.id == "globals" else set()
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return None if names & {"*", "__getattr__", "globals"} else frozenset(names)
