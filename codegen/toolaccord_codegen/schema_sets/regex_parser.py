"""Parse regular expressions into trees.

The dialect is the one that JSON Schema recommends, as the servers' validators read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points in ascending order: the first and the last of each range."""

START, END = 0x110000, 0x110001
"""Anchors `^` and `$`: code points beyond Unicode that stand before and after every text."""
SURROGATES = (0xD800, 0xDFFF)
MAX_DEPTH = 60
"""Groups and quantifiers inside each other."""
QUANTIFIER = re.compile(r"\{(\d+)(,(\d*))?\}")
GROUP = re.compile(r"\?(:|<[A-Za-z_]\w*>)")
HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
WHITESPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


class UnsupportedPattern(Exception):
    """A pattern uses a feature outside this parser: look-around, a back reference or a property."""


@dataclass(frozen=True, slots=True, eq=False)
class CharacterSet:
    """One character of a set.

    Expressions are equal only to themselves, for the speed of large ones.
    """

    ranges: Ranges


@dataclass(frozen=True, slots=True, eq=False)
class Concatenation:
    """Expressions one after the other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Alternation:
    """One of several expressions."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repetition:
    """An expression repeated. A maximum of None is unbounded."""

    part: Expression
    minimum: int
    maximum: int | None


Expression: TypeAlias = CharacterSet | Concatenation | Alternation | Repetition


def union(*parts: Ranges) -> Ranges:
    """Return the characters that are in any of some sets."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(each for part in parts for each in part):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _complement(part: Ranges) -> Ranges:
    """Return every character that is not in a set. Surrogates are never included."""
    found, at = [], 0
    for low, high in union(part, (SURROGATES,)):
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    return (*found, (at, START - 1)) if at < START else tuple(found)


def _characters(text: str) -> Ranges:
    """Return the set of a text's characters."""
    return union(tuple((ord(char), ord(char)) for char in text))


ANY = _complement(())
DIGITS: Ranges = ((0x30, 0x39),)
WORDS = union(DIGITS, ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)))
CLASSES = {"d": DIGITS, "w": WORDS, "s": _characters(WHITESPACE)}
CLASSES |= {name.upper(): _complement(ranges) for name, ranges in CLASSES.items()}


@lru_cache(maxsize=1024)
def parse(pattern: str) -> Expression:
    """Parse a pattern. Raises UnsupportedPattern."""
    parser = _Parser(pattern)
    found = parser.alternation()
    if parser.position < len(pattern):
        raise UnsupportedPattern(pattern)
    return found


@dataclass(slots=True)
class _Parser:
    """A recursive-descent parser that reads a pattern from left to right."""

    pattern: str
    position: int = 0
    depth: int = 0
    """Groups and quantifiers around the position."""

    def alternation(self) -> Expression:
        """Parse alternatives up to the end of the group."""
        found = [self.concatenation()]
        while self.peek() == "|":
            self.position += 1
            found.append(self.concatenation())
        return found[0] if len(found) == 1 else Alternation(tuple(found))

    def concatenation(self) -> Expression:
        """Parse expressions up to the next alternative."""
        found: list[Expression] = []
        ended = False
        while self.peek() not in {"", "|", ")"}:
            found.append(self.quantified(self.atom()))
            anchors = _anchors(found[-1])
            if ended and START in anchors:
                raise UnsupportedPattern(self.pattern)  # only the empty text has its end before its start
            ended |= END in anchors
        return Concatenation(tuple(found))

    def atom(self) -> Expression:
        """Parse one character, class or group."""
        mark = self.next_character()
        if mark in "^$":
            code = START if mark == "^" else END
            return CharacterSet(((code, code),))
        if mark == "(":
            return self.group()
        if mark == "[":
            return CharacterSet(self.character_class())
        if mark in "*+?":
            raise UnsupportedPattern(self.pattern)
        return CharacterSet(
            self.escaped() if mark == "\\" else _complement(_characters("\n")) if mark == "." else _characters(mark)
        )

    def group(self) -> Expression:
        """Parse the content of a group and its closing parenthesis."""
        if self.peek() == "?":
            named = GROUP.match(self.pattern, self.position)
            if not named:
                raise UnsupportedPattern(self.pattern)
            self.position = named.end()
        self.enter()
        found = self.alternation()
        self.next_character()
        self.depth -= 1
        return found

    def enter(self) -> None:
        """Count a group or a quantifier around what follows.

        Raises UnsupportedPattern where there are too many.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnsupportedPattern(self.pattern)

    def escaped(self) -> Ranges:
        """Parse an escape sequence after its backslash."""
        code = HEX.match(self.pattern, self.position)
        if code:
            self.position = code.end()
            return _characters(chr(min(int(code[1] or code[2] or code[3], 16), START - 1)))
        mark = self.next_character()
        if mark in CLASSES:
            return CLASSES[mark]
        if mark.isalnum() and mark not in CONTROLS:
            raise UnsupportedPattern(self.pattern)
        return _characters(CONTROLS.get(mark, mark))

    def character_class(self) -> Ranges:
        """Parse a character class after its opening bracket."""
        negated = self.peek() == "^"
        self.position += negated
        found: list[Ranges] = []
        while self.peek() != "]":
            low = self.class_member()
            if _is_single(low) and self.peek() == "-" and self.pattern[self.position + 1 : self.position + 2] != "]":
                self.position += 1
                high = self.class_member()
                if not _is_single(high):
                    raise UnsupportedPattern(self.pattern)
                low = ((low[0][0], high[0][0]),)
            found.append(low)
        self.position += 1
        return _complement(union(*found)) if negated else union(*found)

    def class_member(self) -> Ranges:
        """Parse one character, or one escape, inside a character class."""
        mark = self.next_character()
        return self.escaped() if mark == "\\" else _characters(mark)

    def quantified(self, part: Expression) -> Expression:
        """Parse the quantifiers that follow an expression."""
        braces = QUANTIFIER.match(self.pattern, self.position)
        if braces:
            self.position = braces.end()
            minimum = int(braces[1])
            maximum = minimum if not braces[2] else int(braces[3]) if braces[3] else None
        elif self.peek() in {"*", "+", "?"}:
            mark = self.next_character()
            minimum, maximum = int(mark == "+"), 1 if mark == "?" else None
        else:
            return part
        self.position += self.peek() == "?"
        if len(_anchors(part)) > 1:
            raise UnsupportedPattern(self.pattern)
        self.enter()
        found = self.quantified(Repetition(part, minimum, maximum))
        self.depth -= 1
        return found

    def peek(self) -> str:
        """Return the next character without reading it. It is empty at the end."""
        return self.pattern[self.position : self.position + 1]

    def next_character(self) -> str:
        """Read the next character. Raises UnsupportedPattern at the end."""
        mark = self.peek()
        if not mark:
            raise UnsupportedPattern(self.pattern)
        self.position += 1
        return mark


def character_sets(part: Expression) -> Iterator[Ranges]:
    """Yield every character set in an expression."""
    match part:
        case CharacterSet(ranges):
            yield ranges
        case Repetition(inner):
            yield from character_sets(inner)
        case Concatenation(parts) | Alternation(parts):
            for each in parts:
                yield from character_sets(each)


def _anchors(part: Expression) -> set[int]:
    """Return the anchors in an expression."""
    return {START, END} & {low for ranges in character_sets(part) for low, _ in ranges}


def _is_single(ranges: Ranges) -> bool:
    """Return True if a set has exactly one character."""
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
