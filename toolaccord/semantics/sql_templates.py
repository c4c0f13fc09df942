"""Statements of SQL files: parameters by name, optional lines and chosen lines.

`:name` is a parameter. A line with `:name?` is left out where the value is absent. A line that ends in the comment
`-- when :name = choice` is left out for any other choice. So a text stands for a bounded set of statements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, product
from math import prod
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<skipped>
        [eE]'(?:[^'\\]|\\.|'')*'                               # a string with escapes, and its parts on lines below
        (?:[^\S\n]*(?:--[^\n]*)?\n\s*'(?:[^'\\]|\\.|'')*')*
      | '(?:[^']|'')*' | "(?:[^"]|"")*"                        # a string, a quoted name
      | \$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$            # a string in dollars
      | [^\W\d][\w$]* | ::                                     # a name, a cast
    )
  | (?P<comment>--[^\n\r]*)
  | (?P<block>/\*)
  | (?P<bracket>[()])
  | (?P<end>;)
  | (?P<number>\$\d+)
  | :(?P<name>[^\W\d]\w*)(?P<optional>\??)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_WHEN = re.compile(r"--\s*when\s+:([^\W\d]\w*)\s*=\s*(\w+)\s*")
_LIKE_WHEN = re.compile(r"--\s*when\s+:")
_ORDER = re.compile(r"\s*ORDER\s+BY\b", re.IGNORECASE)


class Parameter(NamedTuple):
    """A parameter at its place in a text."""

    name: str
    start: int
    end: int
    is_optional: bool


class Place(NamedTuple):
    """The offset of a piece of a statement, and that of the same piece in its template."""

    in_statement: int
    in_template: int


class Variant(NamedTuple):
    """A choice among the statements of a template."""

    given: frozenset[str] = frozenset()
    """The optional parameters that have values."""
    chosen: tuple[str, ...] = ()
    """The choices, in the order of the template's."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that PostgreSQL can prepare."""

    sql: str
    parameters: tuple[str, ...]
    """The names of its parameters: `$1` is the first."""
    places: tuple[Place, ...] = ()

    def locate(self, offset: int) -> int:
        """Return the offset in the template of a character of the statement."""
        before = [place for place in self.places if place.in_statement <= offset]
        return before[-1].in_template + offset - before[-1].in_statement if before else 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    parameters: tuple[Parameter, ...] = ()
    choice: tuple[str, str] | None = None
    """A name and the choice for which the line stays."""

    def is_in(self, variant: Variant, choices: Mapping[str, str]) -> bool:
        """Return whether the line stays in a statement."""
        needed = {parameter.name for parameter in self.parameters if parameter.is_optional}
        return needed <= variant.given and (self.choice is None or choices[self.choice[0]] == self.choice[1])


@dataclass(frozen=True, slots=True)
class Template:
    """The lines of a text that stands for several statements."""

    lines: tuple[_Line, ...]
    order: int | None
    """The index of the first line that only orders; None without one."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The choices that lines name, by parameter."""
    ends: tuple[int, ...] = ()
    """The offsets of semicolons, of which a statement needs none."""
    numbers: tuple[int, ...] = ()
    """The offsets of parameters such as `$1`, which have no name."""
    unread: tuple[int, ...] = ()
    """The offsets of comments that begin like a choice, and are none."""

    @property
    def parameters(self) -> list[Parameter]:
        """Return every place of a parameter, in order."""
        return [parameter for line in self.lines for parameter in line.parameters]

    def find_parameter(self, name: str) -> int | None:
        """Return the offset of the first place of a parameter; None without one."""
        return next((parameter.start for parameter in self.parameters if parameter.name == name), None)

    @property
    def optional(self) -> tuple[str, ...]:
        """Return the names of the optional parameters, sorted."""
        return tuple(sorted({parameter.name for parameter in self.parameters if parameter.is_optional}))

    def count_variants(self) -> int:
        """Return the number of statements for which the text stands."""
        return prod(map(len, self.choices.values()), start=1 << len(self.optional))

    def list_variants(self) -> Iterator[Variant]:
        """Yield the choice of each statement; the first has every optional line."""
        names = self.optional
        subsets = chain.from_iterable(combinations(names, size) for size in range(len(names), -1, -1))
        for given, chosen in product(subsets, product(*self.choices.values())):
            yield Variant(frozenset(given), chosen)

    def build(self, variant: Variant = Variant()) -> Statement:  # noqa: B008 - it is immutable
        """Return the statement of a choice."""
        builder = _Builder()
        builder.add(self._select(variant, self.lines))
        return builder.finish()

    def build_page(self, variant: Variant = Variant()) -> Statement:  # noqa: B008 - it is immutable
        """Return the statement that counts all rows, and has those of one page.

        Before its own columns are the total, and the number of the row. Past the last page, one row has the total and
        nulls.
        """
        rows, order = self.lines[: self.order], self.lines[len(self.lines) if self.order is None else self.order :]
        builder = _Builder()
        builder.add_text("SELECT (SELECT count(*) FROM (")
        builder.add(self._select(variant, rows))
        builder.add_text(") AS counted) AS total, page.*\nFROM (SELECT) AS always\nLEFT JOIN (")
        builder.add_text("SELECT row_number() OVER () AS ordinal, listed.* FROM (")
        builder.add(self._select(variant, (*rows, *order)))
        builder.add_limits()
        builder.add_text(") AS listed) AS page ON true\nORDER BY 2")
        return builder.finish()

    def _select(self, variant: Variant, lines: Collection[_Line]) -> list[_Line]:
        choices = dict(zip(self.choices, variant.chosen, strict=False))
        return [line for line in lines if line.is_in(variant, choices)]


class _Builder:
    """Builds a statement, and numbers its parameters in the order of their first places."""

    def __init__(self) -> None:
        self._sql = ""
        self._numbers: dict[str, int] = {}
        self._places: list[Place] = []

    def add(self, lines: Collection[_Line]) -> None:
        """Add lines of a template."""
        for line in lines:
            done = line.start
            for parameter in line.parameters:
                self._add_piece(line, done, parameter.start)
                self._add_parameter(parameter.name, parameter.start)
                done = parameter.end
            self._add_piece(line, done, line.start + len(line.text))
            self._sql += "\n"

    def add_text(self, text: str) -> None:
        """Add SQL that no template has."""
        self._sql += text

    def add_limits(self) -> None:
        """Add the limits of a page."""
        self._sql += "LIMIT "
        self._add_parameter("limit", None)
        self._sql += " OFFSET "
        self._add_parameter("offset", None)
        self._sql += "\n"

    def finish(self) -> Statement:
        """Return the statement."""
        return Statement(self._sql.rstrip(), tuple(self._numbers), tuple(self._places))

    def _add_piece(self, line: _Line, start: int, end: int) -> None:
        self._places.append(Place(len(self._sql), start))
        self._sql += line.text[start - line.start : end - line.start]

    def _add_parameter(self, name: str, place: int | None) -> None:
        if place is not None:
            self._places.append(Place(len(self._sql), place))
        self._sql += f"${self._numbers.setdefault(name, len(self._numbers) + 1)}"


@lru_cache(maxsize=1024)
def parse_template(text: str) -> Template:
    """Return the template of a *text* in PostgreSQL's SQL, without its final semicolon."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    parameters: list[Parameter] = []
    conditions: dict[int, tuple[str, str]] = {}
    outermost: list[int] = []
    depth = 0
    tokens = [*_scan(text)]
    for match in tokens:
        if match["name"]:
            parameters.append(Parameter(match["name"], match.start(), match.end(), bool(match["optional"])))
        elif match["comment"] and (when := _WHEN.fullmatch(match["comment"])):
            conditions[match.start()] = (when[1], when[2])
        elif match["bracket"]:
            depth += 1 if match["bracket"] == "(" else -1
        elif match["skipped"] and not depth:
            outermost.append(match.start())
    lines = []
    for start, end in zip(starts, [*starts[1:], len(text) + 1], strict=True):
        choice = next((value for place, value in conditions.items() if start <= place < end), None)
        here = tuple(parameter for parameter in parameters if start <= parameter.start < end)
        lines.append(_Line(start, text[start : end - 1], here, choice))
    choices: dict[str, dict[str, None]] = {}
    for name, value in conditions.values():
        choices.setdefault(name, {})[value] = None
    return Template(
        tuple(lines),
        _find_order(lines, outermost),
        {name: tuple(of) for name, of in choices.items()},
        tuple(match.start() for match in tokens if match["end"]),
        tuple(match.start() for match in tokens if match["number"]),
        tuple(match.start() for match in tokens if _is_like_choice(match) and match.start() not in conditions),
    )


def cut_statement(text: str) -> str:
    """Return a text without the semicolon at its end.

    The space and the comments around it go, too, but for a comment that chooses its line. It may be behind that one.
    """
    for end in (True, False):
        comments, text = {stop: start for start, stop in _list_comments(text)}, text.rstrip()
        while (start := comments.get(len(text))) is not None:
            text = text[:start].rstrip()
        text = text.removesuffix(";") if end else text
    return text


def _list_comments(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first offset of each comment, and the one after it."""
    at = 0
    while match := _TOKEN.search(text, at):
        at = _end_of_block(text, match.end()) if match["block"] else match.end()
        if match["block"] or (match["comment"] and not _is_like_choice(match)):
            yield match.start(), at


def _is_like_choice(token: re.Match[str]) -> bool:
    """Return whether a token is a comment that begins as one that chooses its line."""
    return bool(token["comment"] and _LIKE_WHEN.match(token["comment"]))


def _scan(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text; a block comment, which may hold others, is left out."""
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["block"]:
            at = _end_of_block(text, at)
        else:
            yield match


def _end_of_block(text: str, at: int) -> int:
    """Return the offset after the end of a comment that began before *at*."""
    depth = 1
    while depth and (edge := _BLOCK_EDGE.search(text, at)):
        depth += 1 if edge[0] == "/*" else -1
        at = edge.end()
    return len(text) if depth else at


def _find_order(lines: Collection[_Line], outermost: Collection[int]) -> int | None:
    """Return the index of the first line that begins with ORDER BY outside of brackets."""
    for index, line in enumerate(lines):
        match = _ORDER.match(line.text)
        if match and any(line.start <= place < line.start + match.end() for place in outermost):
            return index
    return None
