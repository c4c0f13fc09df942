"""The Guardian's S-expressions: a strict reader, and a writer.

The grammar is the data of R7RS Scheme (section 7.1.2) that the Guardian's messages use: lists, dotted pairs, strings,
decimal numbers, `#t`, `#f` and symbols. Quotations, comments, vectors and characters are errors here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_DEPTH = 128
"""The most lists inside each other, as in the Guardian's reader."""
_TOKEN = re.compile(r"""[ \t\r\n\f]*(?:([()])|("(?:[^"\\]|\\.)*")|([^ \t\r\n\f()"';`,\[\]{}|\\]+)|($))""", re.DOTALL)
_SYMBOL = re.compile(r"[A-Za-z!$%&*/:<=>?^_~][A-Za-z0-9!$%&*/:<=>?^_~+.@-]*|[+-]")
_INTEGER = re.compile(r"[+-]?[0-9]{1,100}")
"""An integer; longer ones become floats, because Python reads none of thousands of digits."""
_FRACTION = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,6});|(.))", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "|": "|"} | dict(zip("abtnvfr", "\a\b\t\n\v\f\r", strict=True))


class SExpressionError(ValueError):
    """The text is no single S-expression of the grammar."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, as it is spelled."""

    name: str


@dataclass(frozen=True, slots=True)
class List:
    """The data between two parentheses: `(a b)`, and `(a . b)` with a tail."""

    items: tuple["Datum", ...] = ()
    tail: "Datum | None" = None
    """The datum after the dot, never a list: `(a . (b))` is `(a b)`."""


Datum: TypeAlias = Symbol | List | str | bool | int | float


def cons(first: Datum, rest: Datum) -> List:
    """Return the pair of two data: a longer list where *rest* is one."""
    return List((first, *rest.items), rest.tail) if isinstance(rest, List) else List((first,), rest)


@dataclass(slots=True)
class _OpenList:
    items: list[Datum] = field(default_factory=list)
    tail: Datum | None = None
    is_dotted: bool = False

    def add(self, datum: Datum) -> None:
        if not self.is_dotted:
            self.items.append(datum)
        elif self.tail is None:
            self.tail = datum
        else:
            raise SExpressionError("two data follow a dot")

    def dot(self) -> None:
        if self.is_dotted or not self.items:
            raise SExpressionError("a dot has no datum before it")
        self.is_dotted = True

    def close(self) -> List:
        if self.is_dotted and self.tail is None:
            raise SExpressionError("a dot has no datum after it")
        closed = List(tuple(self.items))
        if self.tail is None:
            return closed
        if isinstance(self.tail, List):
            return List((*closed.items, *self.tail.items), self.tail.tail)
        return List(closed.items, self.tail)


def parse(text: str) -> Datum:
    """Return the one datum of *text*. Raises SExpressionError."""
    lists = [_OpenList()]
    place = 0
    while (token := _TOKEN.match(text, place)) is not None and token.end() > place:
        place = token.end()
        parenthesis, string, atom, _ = token.groups()
        if parenthesis == "(" and len(lists) <= MAX_DEPTH:
            lists.append(_OpenList())
        elif parenthesis == ")" and len(lists) > 1:
            closed = lists.pop().close()
            lists[-1].add(closed)
        elif parenthesis is not None:
            raise SExpressionError(f"a parenthesis too many at {place}")
        elif atom == "." and len(lists) > 1:
            lists[-1].dot()
        elif string is not None or atom is not None:
            lists[-1].add(_parse_string(string) if atom is None else _parse_atom(atom))
    if place < len(text) or len(lists) != 1 or len(lists[0].items) != 1:
        raise SExpressionError(f"the text is not one datum; reading ended at {place} of {len(text)}")
    return lists[0].items[0]


def _parse_atom(atom: str) -> Datum:
    if _INTEGER.fullmatch(atom):
        return int(atom)
    if _FRACTION.fullmatch(atom):
        return float(atom)
    if atom in {"#t", "#f"}:
        return atom == "#t"
    if _SYMBOL.fullmatch(atom):
        return Symbol(atom)
    raise SExpressionError(f"neither a number nor a symbol: {atom!r}")


def _parse_string(quoted: str) -> str:
    return _ESCAPE.sub(_unescape, quoted[1:-1])


def _unescape(escape: re.Match[str]) -> str:
    number, letter = escape.groups()
    if number is None and letter in _ESCAPES:
        return _ESCAPES[letter]
    code = int(number or "110000", 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise SExpressionError(f"an unknown escape: {escape[0]}")
    return chr(code)


def to_mapping(datum: Datum) -> dict[str, Datum]:
    """Return the values of an association list by key. Raises SExpressionError."""
    if not isinstance(datum, List) or datum.tail is not None:
        raise SExpressionError("not an association list")
    found: dict[str, Datum] = {}
    for pair in datum.items:
        if not isinstance(pair, List) or not pair.items or not isinstance(pair.items[0], Symbol):
            raise SExpressionError("an association list has an item that is no pair with a symbol")
        key = pair.items[0].name
        if key in found:
            raise SExpressionError(f"the key {key} occurs twice")
        is_dotted = len(pair.items) == 1 and pair.tail is not None
        found[key] = pair.tail if is_dotted and pair.tail is not None else List(pair.items[1:], pair.tail)
    return found


Value: TypeAlias = "str | int | float | Mapping[str, Value] | Sequence[Value]"


def format_value(value: Value) -> str:
    """Return *value* as text: a mapping as an association list, a sequence as a list."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "(" + " ".join(f"({key} . {format_value(each)})" for key, each in value.items()) + ")"
    if isinstance(value, Sequence):
        return "(" + " ".join(map(format_value, value)) + ")"
    return str(value)
