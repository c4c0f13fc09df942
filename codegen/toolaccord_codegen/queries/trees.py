"""Trees of nodes in which PostgreSQL prints statements that it has understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

_PIECE = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_NUMBERS = frozenset({"i", "o", "b", "x"})
"""The first items of lists of numbers."""
_NOTHING = "<>"


@dataclass(frozen=True, slots=True)
class Node:
    """A node: a query, an expression or a part of one."""

    kind: str
    """Its name in upper case, such as OPEXPR."""
    fields: Mapping[str, Any]
    """Its values by name: nodes, lists, texts and None."""

    def node(self, name: str) -> Node | None:
        """Return the node of a field; None where there is none."""
        value = self.fields.get(name)
        return value if isinstance(value, Node) else None

    def items(self, name: str) -> Sequence[Any]:
        """Return the items of a field's list; it is empty where there is none."""
        value = self.fields.get(name)
        return value if isinstance(value, list) else ()

    def nodes(self, name: str) -> Sequence[Node]:
        """Return the nodes in the list of a field."""
        return [each for each in self.items(name) if isinstance(each, Node)]

    def number(self, name: str) -> int:
        """Return the number of a field; 0 where there is none."""
        return int(self.fields.get(name) or 0)

    def is_true(self, name: str) -> bool:
        """Return whether a field is true."""
        return bool(self.fields.get(name) == "true")

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it."""
        waiting: list[Any] = [self]
        while waiting:
            each = waiting.pop()
            if isinstance(each, Node):
                yield each
                waiting.extend(each.fields.values())
            elif isinstance(each, list):
                waiting.extend(each)


_Item: TypeAlias = Any
"""A node, a list, a text or None."""


def parse_trees(text: str) -> list[Node]:
    """Return the nodes of a text that PostgreSQL has printed."""
    open_: list[list[_Item]] = [[]]
    for piece in _PIECE.findall(text):
        if piece in "({":
            open_.append([])
        elif piece in ")}":
            items = open_.pop()
            open_[-1].append(_make_list(items) if piece == ")" else _make_node(items))
        else:
            open_[-1].append(None if piece == _NOTHING else piece)
    found = open_[0][0] if open_[0] else []
    return [each for each in found if isinstance(each, Node)]


def _make_list(items: list[_Item]) -> list[_Item]:
    return items[1:] if items and isinstance(items[0], str) and items[0] in _NUMBERS else items


def _make_node(items: list[_Item]) -> Node:
    """Return the node of a name and of fields, each a name with a colon and one or more values."""
    fields: dict[str, _Item] = {}
    at = 1
    while at + 1 < len(items):
        fields[str(items[at]).removeprefix(":")] = items[at + 1]
        at += 2
        while at < len(items) and not (isinstance(items[at], str) and items[at].startswith(":")):
            at += 1  # more values of a constant
    return Node(str(items[0]), fields)


def locate(expression: Node) -> int | None:
    """Return the offset in bytes of an expression in its statement; None without a place."""
    places = [each.number("location") for each in expression.walk() if "location" in each.fields]
    return min((place for place in places if place >= 0), default=None)
