"""Texts that match a regular expression: some short, some long, so that two expressions can be told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

TRIES = 60
"""Texts made of one expression."""
LONGEST = 64
"""Repetitions of a piece that has no end."""
CLASSES = {"d": "0123456789", "w": "abcxyzABCXYZ0189_", "s": " ", "D": "aZ-", "W": " -/", "S": "aZ0-"}
ANY = "aZ0 -_./"
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")


class NotUnderstood(Exception):
    """A piece of an expression that no text is made of: look-around, back references, properties."""


def matching(pattern: str) -> Iterator[str]:
    """Texts that are likely to match; none where the expression is beyond this module. Always the same ones."""
    random = Random(pattern)  # noqa: S311 - chooses letters, guards nothing
    plain = [Writer(pattern, None, length) for length in (0.0, 1.0)]
    for writer in (*plain, *(Writer(pattern, random, random.random()) for _ in range(TRIES))):
        try:
            text = writer.alternatives()
            yield text
            yield ("" if pattern.startswith("^") else "x") + text + ("" if pattern.endswith("$") else "x")
        except NotUnderstood:
            return


@dataclass(slots=True)
class Writer:
    """Reads an expression once and writes one text that matches it."""

    pattern: str
    random: Random | None
    """Chooses among characters and alternatives; without it, the first is taken."""
    length: float
    """How long the text becomes: 0 as short, 1 as long as it may."""
    at: int = 0

    def alternatives(self) -> str:
        """One of the alternatives up to the end of the group."""
        found = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            found.append(self.sequence())
        return self.choice(found)

    def sequence(self) -> str:
        """Pieces up to the next alternative."""
        written: list[str] = []
        while self.peek() not in {"", "|", ")"}:
            start = self.at
            piece = self.piece()
            least, most = self.repetition()
            end = self.at
            count = round(least + (most - least) * self.length)
            for index in range(count):
                self.at = start
                written.append(piece if index == 0 else self.piece())
            self.at = end
        return "".join(written)

    def piece(self) -> str:
        """A character, a class or a group, once."""
        mark = self.take()
        if mark in "^$":
            return ""
        if mark == "(":
            return self.group()
        if mark == "[":
            return self.choice(self.characters())
        if mark == "\\":
            return self.escaped()
        return self.choice(ANY) if mark == "." else mark

    def group(self) -> str:
        """What stands between parentheses."""
        if self.peek() == "?":
            named = re.compile(r"\?(:|<[A-Za-z_]\w*>)").match(self.pattern, self.at)
            if not named:
                raise NotUnderstood(self.pattern)
            self.at = named.end()
        text = self.alternatives()
        self.take()
        return text

    def escaped(self) -> str:
        """What a backslash introduces, outside a class."""
        mark = self.take()
        if mark in CLASSES:
            return self.choice(CLASSES[mark])
        if mark in "bB":
            return ""
        if mark.isalnum() and mark not in ESCAPES:
            raise NotUnderstood(self.pattern)
        return ESCAPES.get(mark, mark)

    def characters(self) -> str:
        """The characters of a class; of a negated one, some that it has not."""
        negated = self.peek() == "^"
        self.at += negated
        found = ""
        while self.peek() != "]":
            low = self.member()
            if (
                len(low) == 1
                and self.pattern[self.at : self.at + 1] == "-"
                and self.pattern[self.at + 1 : self.at + 2] != "]"
            ):
                self.at += 1
                found += "".join(map(chr, range(ord(low), min(ord(self.member()), ord(low) + 255) + 1)))
            else:
                found += low
        self.at += 1
        chosen = "".join(char for char in map(chr, range(32, 127)) if char not in found) if negated else found
        if not chosen:
            raise NotUnderstood(self.pattern)
        return chosen

    def member(self) -> str:
        """One character, or a class inside a class."""
        mark = self.take()
        if mark != "\\":
            return mark
        escaped = self.take()
        if escaped.isalnum() and escaped not in CLASSES and escaped not in ESCAPES:
            raise NotUnderstood(self.pattern)
        return CLASSES.get(escaped, ESCAPES.get(escaped, escaped))

    def repetition(self) -> tuple[int, int]:
        """How often the piece before may stand."""
        counted = REPEAT.match(self.pattern, self.at)
        if counted:
            self.at = counted.end()
            least = int(counted[1])
            most = least if not counted[2] else int(counted[3]) if counted[3] else least + LONGEST
        elif self.peek() in {"*", "+", "?"}:
            mark = self.take()
            least, most = {"*": (0, LONGEST), "+": (1, LONGEST), "?": (0, 1)}[mark]
        else:
            return 1, 1
        self.at += self.peek() == "?"
        return least, most

    def choice(self, among: Sequence[str]) -> str:
        """One of several."""
        return self.random.choice(among) if self.random else among[0]

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
