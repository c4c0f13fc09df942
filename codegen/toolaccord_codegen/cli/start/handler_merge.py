"""Three-way merges of handlers: an old draft, what its author made of it, and a new draft."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.emit.ruff import sort_imports
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.regular_files import parse_python

Function = ast.AsyncFunctionDef | ast.FunctionDef
LINE_END = re.compile(r"\r\n|\r|\n")
"""Ends of lines as Python counts them; `str.splitlines` splits at more."""


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
    def parse(cls, text: str, path: Path, version: str = "") -> Module:
        """Return a *version* of a module. Raises CommandError for a text that is no Python."""
        try:
            body = parse_python(text, path).body
        except SyntaxError as error:
            found = f"{version}{display_path(path)} is no Python: {error.msg} in line {error.lineno}"
            raise CommandError(f"{found}; mend the handlers, then repeat the command; nothing was written") from None
        statements = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        singles = [ast.unparse(_narrow(node, name)) for node in statements for name in node.names]
        return cls(
            lines=LINE_END.sub("\n", text).removesuffix("\n").split("\n"),
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
        bare = copy(self.functions[name])
        if ast.get_docstring(bare) is not None:
            bare.body = bare.body[1:]
        return ast.dump(bare)


@dataclass(slots=True)
class HandlerMerge:
    """Merges modules of handlers, and collects the functions that both sides changed."""

    path: Path
    conflicts: list[str] = field(default_factory=list)
    """Names of functions, which stay as they were edited."""

    def merge(self, old_text: str, edited_text: str, new_text: str) -> str:
        """Return the edited module with the changes from the old draft to the new one.

        Other lines stay. Raises CommandError if one of them, or the merge, is no Python.
        """
        old = Module.parse(old_text, self.path, "the stored draft of ")
        edited = Module.parse(edited_text, self.path)
        new = Module.parse(new_text, self.path, "the new draft of ")
        taken = [
            name for name in dict.fromkeys([*new.functions, *old.functions]) if self._is_taken(name, old, edited, new)
        ]
        if not taken:
            return edited_text
        lines = list(edited.lines)
        missing = [statement for statement in new.imports if statement not in edited.imports]
        changes = [(edited.last_import, edited.last_import, missing)]
        changes += [
            (*edited.span(name), new.source(name) if name in new.functions else [])
            for name in taken
            if name in edited.functions
        ]
        for start, last, replacement in sorted(changes, reverse=True):
            first = start
            while last > first > 0 and not replacement and not lines[first - 1]:
                first -= 1  # the blank lines before a function go, too
            lines[first:last] = replacement
        for name in taken:
            lines += ["", "", *new.source(name)] if name not in edited.functions else []
        end = next(iter(LINE_END.findall(edited_text)), "\n")
        merged = sort_imports(end.join([*lines, ""]), self.path)
        Module.parse(merged, self.path, "the merge into ")
        return merged

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
