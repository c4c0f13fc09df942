"""Regular expressions as trees, in the dialect that JSON Schema recommends, and as the validators of servers read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, in order: the first and the last of each range."""

START, END = 0x110000, 0x110001
"""What `^` and `$` read: marks that stand before and after every text."""
SURROGATES = (0xD800, 0xDFFF)
REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")
GROUP = re.compile(r"\?(:|<[A-Za-z_]\w*>)")
HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
SPACES = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


class NotUnderstood(Exception):
    """A piece of an expression that is beyond this module: look-around, back references, properties."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One of some characters."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One thing several times; None is without end."""

    part: Tree
    least: int
    most: int | None


Tree: TypeAlias = Letter | Sequence | Choice | Repeat


def union(*parts: Ranges) -> Ranges:
    """Whatever is in one of some sets."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(each for part in parts for each in part):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def negation(part: Ranges) -> Ranges:
    """Every character that is not in a set."""
    found, at = [], 0
    for low, high in union(part, (SURROGATES,)):
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    return (*found, (at, START - 1)) if at < START else tuple(found)


def of(text: str) -> Ranges:
    """The characters of a text."""
    return union(tuple((ord(char), ord(char)) for char in text))


ANY = negation(())
DIGITS: Ranges = ((0x30, 0x39),)
WORDS = union(DIGITS, ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)))
CLASSES = {"d": DIGITS, "w": WORDS, "s": of(SPACES)}
CLASSES |= {name.upper(): negation(ranges) for name, ranges in CLASSES.items()}


@lru_cache(maxsize=1024)
def tree(pattern: str) -> Tree:
    """An expression read.

    Raises NotUnderstood.
    """
    reader = Reader(pattern)
    found = reader.alternatives()
    if reader.at < len(pattern):
        raise NotUnderstood(pattern)
    return found


@dataclass(slots=True)
class Reader:
    """Reads an expression from left to right."""

    pattern: str
    at: int = 0

    def alternatives(self) -> Tree:
        """What stands up to the end of the group."""
        found = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            found.append(self.sequence())
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def sequence(self) -> Tree:
        """Pieces up to the next alternative."""
        found: list[Tree] = []
        while self.peek() not in {"", "|", ")"}:
            found.append(self.repeated(self.piece()))
        if any(END in marks(first) and START in marks(later) for first, later in combinations(found, 2)):
            raise NotUnderstood(self.pattern)  # an end before a start is both in the empty text, and nowhere else
        return Sequence(tuple(found))

    def piece(self) -> Tree:
        """A character, a class or a group, once."""
        mark = self.take()
        if mark in "^$":
            code = START if mark == "^" else END
            return Letter(((code, code),))
        if mark == "(":
            return self.group()
        if mark == "[":
            return Letter(self.characters())
        if mark in "*+?":
            raise NotUnderstood(self.pattern)
        return Letter(self.escaped() if mark == "\\" else negation(of("\n")) if mark == "." else of(mark))

    def group(self) -> Tree:
        """What stands between parentheses."""
        if self.peek() == "?":
            named = GROUP.match(self.pattern, self.at)
            if not named:
                raise NotUnderstood(self.pattern)
            self.at = named.end()
        found = self.alternatives()
        self.take()
        return found

    def escaped(self) -> Ranges:
        """What a backslash introduces."""
        code = HEX.match(self.pattern, self.at)
        if code:
            self.at = code.end()
            return of(chr(min(int(code[1] or code[2] or code[3], 16), START - 1)))
        mark = self.take()
        if mark in CLASSES:
            return CLASSES[mark]
        if mark.isalnum() and mark not in CONTROLS:
            raise NotUnderstood(self.pattern)
        return of(CONTROLS.get(mark, mark))

    def characters(self) -> Ranges:
        """The characters of a class."""
        negated = self.peek() == "^"
        self.at += negated
        found: Ranges = ()
        while self.peek() != "]":
            low = self.member()
            if is_one(low) and self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                high = self.member()
                if not is_one(high):
                    raise NotUnderstood(self.pattern)
                low = ((low[0][0], high[0][0]),)
            found = union(found, low)
        self.at += 1
        return negation(found) if negated else found

    def member(self) -> Ranges:
        """One character, or a class inside a class."""
        mark = self.take()
        return self.escaped() if mark == "\\" else of(mark)

    def repeated(self, part: Tree) -> Tree:
        """A piece, and how often it may stand."""
        counted = REPEAT.match(self.pattern, self.at)
        if counted:
            self.at = counted.end()
            least = int(counted[1])
            most = least if not counted[2] else int(counted[3]) if counted[3] else None
        elif self.peek() in {"*", "+", "?"}:
            mark = self.take()
            least, most = int(mark == "+"), 1 if mark == "?" else None
        else:
            return part
        self.at += self.peek() == "?"
        if len(marks(part)) > 1:
            raise NotUnderstood(self.pattern)
        return self.repeated(Repeat(part, least, most))

    def peek(self) -> str:
        """The next character; nothing at the end."""
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        """The next character, which must be there."""
        mark = self.peek()
        if not mark:
            raise NotUnderstood(self.pattern)
        self.at += 1
        return mark


def marks(part: Tree) -> frozenset[int]:
    """The anchors in a part."""
    match part:
        case Letter(ranges):
            return frozenset({START, END} & {low for low, _ in ranges[:1]})
        case Repeat(inner):
            return marks(inner)
        case Sequence(parts) | Choice(parts):
            return frozenset().union(*map(marks, parts))


def is_one(ranges: Ranges) -> bool:
    """Whether a set is one character."""
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
