"""Three-way merges of handlers: an old draft, what its author made of it, and a new draft."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.emit.ruff import sort_imports
from toolaccord_codegen.loading.regular_files import parse_python

Function = ast.AsyncFunctionDef | ast.FunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """The functions and imports of a module of handlers."""

    lines: list[str]
    functions: Mapping[str, Function]
    imports: Mapping[str, None]
    """Imports of one name each, as statements."""
    last_import: int
    """The line of the last import; 0 without one."""

    @classmethod
    def parse(cls, text: str, path: Path) -> Module:
        """Return a module. Raises CommandError for a text that is no Python."""
        body = parse_python(text, path).body
        statements = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        singles = [ast.unparse(_narrow(node, name)) for node in statements for name in node.names]
        return cls(
            lines=text.splitlines(),
            functions={node.name: node for node in body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)},
            imports=dict.fromkeys(singles),
            last_import=max((node.end_lineno or 0 for node in statements), default=0),
        )

    def source(self, name: str) -> list[str]:
        """Return the lines of a function."""
        first, last = self.span(name)
        return self.lines[first:last]

    def span(self, name: str) -> tuple[int, int]:
        """Return the first line of a function, with its decorators, and the one behind it."""
        node = self.functions[name]
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        return first - 1, node.end_lineno or node.lineno

    def form(self, name: str) -> str | None:
        """Return what a function does, whatever its layout and docstring; None without the function."""
        if name not in self.functions:
            return None
        node = self.functions[name]
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        return ast.dump(node.args) + "".join(map(ast.dump, [*node.decorator_list, *body]))


@dataclass(slots=True)
class HandlerMerge:
    """Merges modules of handlers, and collects the functions that both sides changed."""

    path: Path
    conflicts: list[str] = field(default_factory=list)
    """Names of functions, which stay as they were edited."""

    def merge(self, old_text: str, edited_text: str, new_text: str) -> str:
        """Return the edited module with the changes from the old draft to the new one.

        Other lines stay.
        """
        old, edited, new = (Module.parse(text, self.path) for text in (old_text, edited_text, new_text))
        taken = [
            name for name in dict.fromkeys([*new.functions, *old.functions]) if self._is_taken(name, old, edited, new)
        ]
        if not taken:
            return edited_text
        lines = list(edited.lines)
        present = [name for name in taken if name in edited.functions]
        for name in sorted(present, key=edited.span, reverse=True):
            first, last = edited.span(name)
            while name not in new.functions and first > 0 and not lines[first - 1]:
                first -= 1  # the blank lines before it go, too
            lines[first:last] = new.source(name) if name in new.functions else []
        for name in taken:
            lines += ["", "", *new.source(name)] if name not in edited.functions else []
        missing = [statement for statement in new.imports if statement not in edited.imports]
        lines[edited.last_import : edited.last_import] = missing
        return sort_imports("\n".join(lines) + "\n", self.path)

    def _is_taken(self, name: str, old: Module, edited: Module, new: Module) -> bool:
        """Return True for a function of which the new draft is taken; note a conflict."""
        before, mine, theirs = (module.form(name) for module in (old, edited, new))
        if theirs in {before, mine}:
            return False
        if mine != before:
            self.conflicts.append(name)
        return mine == before


def _narrow(node: ast.Import | ast.ImportFrom, name: ast.alias) -> ast.Import | ast.ImportFrom:
    """Return an import of one of its names."""
    if isinstance(node, ast.Import):
        return ast.Import(names=[name])
    return ast.ImportFrom(module=node.module, names=[name], level=node.level)
