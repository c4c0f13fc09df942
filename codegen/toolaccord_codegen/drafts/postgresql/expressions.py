"""Expressions as PostgreSQL prints those of its catalogue, with all their brackets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>E?'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")+")
    | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<mark>::|[()\[\],.])
    | (?P<operator>[-+*/<>=~!@\#%^&|`?]+)
    )""",
    re.VERBOSE,
)
_TYPE_WORDS = frozenset({"varying", "precision", "with", "without", "time", "zone"})
"""Words that follow the first one of a type's name."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression."""

    kind: str
    """`and`, `or`, `not`, `null`, `operator`, `any`, `array`, `call`, `cast`, `column`, or
    `constant`."""
    value: str | int | float | bool | None = None
    """The operator, the function, the type, the column or the constant."""
    parts: tuple[Node, ...] = ()


def parse_expression(text: str) -> Node:
    """Return the tree of an expression. Raises ValueError for parts that no condition needs."""
    parser = _Parser(text)
    node = parser.parse()
    parser.expect_end()
    return node


class _Parser:
    """Reads tokens from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise ValueError(text)
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self._at = 0

    def parse(self) -> Node:
        """Return the alternatives."""
        return self._chain("OR", lambda: self._chain("AND", self._negated))

    def expect_end(self) -> None:
        """Raise ValueError unless all is read."""
        if self._at < len(self._tokens):
            raise ValueError(self._tokens[self._at][1])

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _take(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _accepts(self, *values: str) -> bool:
        """Read tokens if they come next; words in capitals stand for keywords."""
        coming = self._tokens[self._at : self._at + len(values)]
        if [value if kind != "quoted" else "" for kind, value in coming] != [*values]:
            return False
        self._at += len(values)
        return True

    def _expect(self, value: str) -> None:
        if not self._accepts(value):
            raise ValueError(self._peek()[1])

    def _chain(self, word: str, inner: Callable[[], Node]) -> Node:
        parts = [inner()]
        while self._accepts(word):
            parts.append(inner())
        return parts[0] if len(parts) == 1 else Node(word.lower(), None, tuple(parts))

    def _negated(self) -> Node:
        if self._accepts("NOT"):
            return Node("not", None, (self._negated(),))
        left = self._operand()
        if self._accepts("IS", "NULL"):
            return Node("null", value=True, parts=(left,))
        if self._accepts("IS", "NOT", "NULL"):
            return Node("null", value=False, parts=(left,))
        operator = self._operator()
        return left if operator is None else Node("operator", operator, (left, self._right()))

    def _operator(self) -> str | None:
        """Read an operator; one of another schema counts as unknown."""
        if self._accepts("OPERATOR"):
            raise ValueError("OPERATOR")
        return self._take()[1] if self._peek()[0] == "operator" else None

    def _right(self) -> Node:
        if self._accepts("ANY"):
            self._expect("(")
            inner = self.parse()
            self._expect(")")
            return Node("any", None, (inner,))
        return self._operand()

    def _operand(self) -> Node:
        node = self._primary()
        while self._accepts("::"):
            node = Node("cast", self._type(), (node,))
        return node

    def _primary(self) -> Node:
        kind, value = self._take()
        if kind == "text":
            return Node("constant", _unquote(value))
        if kind == "number":
            return Node("constant", _number(value))
        if kind == "quoted":
            return Node("column", value[1:-1].replace('""', '"'))
        if value == "(":
            inner = self.parse()
            self._expect(")")
            return inner
        if value == "-" and self._peek()[0] == "number":
            return Node("constant", _number(f"-{self._take()[1]}"))
        if kind == "word":
            return self._word(value)
        raise ValueError(value)

    def _word(self, value: str) -> Node:
        """Return a constant, an array, a call or a column."""
        if value in {"true", "false"}:
            return Node("constant", value == "true")
        if value == "ARRAY":
            self._expect("[")
            return Node("array", None, self._list("]"))
        if self._accepts("("):
            return Node("call", value, self._list(")"))
        if value.isupper() and value != "VALUE":
            raise ValueError(value)
        return Node("column", value)

    def _list(self, end: str) -> tuple[Node, ...]:
        """Return expressions up to a bracket."""
        if self._accepts(end):
            return ()
        parts = [self.parse()]
        while self._accepts(","):
            parts.append(self.parse())
        self._expect(end)
        return tuple(parts)

    def _type(self) -> str:
        """Return the name of a type, without its length."""
        kind, value = self._take()
        if kind not in {"word", "quoted"}:
            raise ValueError(value)
        words = [value]
        while self._peek()[1] in _TYPE_WORDS:
            words.append(self._take()[1])
        while self._accepts("."):
            words[-1] += f".{self._take()[1]}"
        if self._accepts("("):
            self._list(")")
            while self._peek()[1] in _TYPE_WORDS:
                words.append(self._take()[1])
        brackets = 0
        while self._accepts("[", "]"):
            brackets += 1
        return " ".join(words) + "[]" * bool(brackets)


def _unquote(text: str) -> str:
    """Return the text of a literal."""
    inner = text[text.index("'") + 1 : -1].replace("''", "'")
    return inner.replace("\\\\", "\\") if text.startswith("E") else inner


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
