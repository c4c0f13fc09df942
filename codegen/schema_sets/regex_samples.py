"""Texts that match a regular expression: some short, some long, so that what depends on their length is shown, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, permutations, product
from random import Random

from codegen.schema_sets.regex_automata import shortest
from codegen.schema_sets.regex_parser import END, START, Choice, Letter, NotUnderstood, Repeat, Tree, tree
from codegen.schema_sets.regex_parser import Sequence as Parts

FEW = 5
"""Texts that show one difference."""
TRIES = 60
"""Texts made of one expression."""
LONGEST = 64
"""Repetitions of a piece that has no end."""
READABLE = (0x20, 0x7E)


def of_patterns(patterns: Iterable[str], lengths: Iterable[int]) -> Iterator[str]:
    """Texts that tell patterns apart, then such as match each, then such as have certain lengths."""
    for one, other in permutations(patterns, 2):
        yield from few([one], other)
        yield from few([one, other])
    for pattern in patterns:
        yield from matching(pattern)
    for pattern, length in product(patterns, lengths):
        yield from few([pattern], None, length)


def few(taken: Sequence[str], refused: str | None = None, length: int | None = None) -> Iterator[str]:
    """A few of the shortest texts, or of those of a length, that match patterns and do not match another one."""
    with suppress(NotUnderstood):
        yield from islice(shortest(taken, refused, length or 0, length), FEW)


def matching(pattern: str) -> Iterator[str]:
    """Texts that are likely to match; none where the expression is beyond us. Always the same ones."""
    try:
        read = tree(pattern)
    except NotUnderstood:
        return
    random = Random(pattern)  # noqa: S311 - chooses letters, guards nothing
    plain = [Writer(None, length) for length in (0.0, 1.0)]
    for writer in (*plain, *(Writer(random, random.random()) for _ in range(TRIES))):
        text = "".join(writer.written(read))
        yield text
        yield ("" if pattern.startswith("^") else "x") + text + ("" if pattern.endswith("$") else "x")


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes one text."""

    random: Random | None
    """Chooses among characters and alternatives; without it, the first is taken."""
    length: float
    """How long the text becomes: 0 as short, 1 as long as it may."""

    def written(self, part: Tree) -> Iterator[str]:
        """The characters of a text that a part matches; anchors are taken to hold."""
        match part:
            case Letter(ranges):
                yield self.letter([*ranges])
            case Parts(parts):
                for each in parts:
                    yield from self.written(each)
            case Choice(parts):
                yield from self.written(self.random.choice(parts) if self.random else parts[0])
            case Repeat(inner, least, most):
                end = least + LONGEST if most is None else most
                for _ in range(round(least + (end - least) * self.length)):
                    yield from self.written(inner)

    def letter(self, ranges: list[tuple[int, int]]) -> str:
        """One of some characters, a readable one where there is one; nothing for an anchor."""
        if not ranges or ranges[0][0] in {START, END}:
            return ""
        readable = [(max(low, READABLE[0]), min(high, READABLE[1])) for low, high in ranges]
        low, high = self.chosen([each for each in readable if each[0] <= each[1]] or ranges)
        return chr(self.random.randint(low, high) if self.random else low)

    def chosen(self, ranges: list[tuple[int, int]]) -> tuple[int, int]:
        """One of some ranges."""
        return self.random.choice(ranges) if self.random else ranges[0]
