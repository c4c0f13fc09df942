"""The statements of Python code, without what they consist of: a tenth of its nodes."""

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a module, a statement, a handler of exceptions or a case."""
    for name in _BLOCKS:
        for each in getattr(node, name, ()):
            yield each
            yield from statements(each)
