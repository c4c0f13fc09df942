"""Generate texts that match regular expressions, of short and long lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, permutations, product
from random import Random

from toolaccord_codegen.schema_sets.regex_automata import shortest_matches
from toolaccord_codegen.schema_sets.regex_parser import (
    END,
    START,
    Alternation,
    CharacterSet,
    Concatenation,
    Expression,
    Ranges,
    Repetition,
    UnsupportedPattern,
    parse,
)

MAX_TEXTS = 5
"""Texts that show one difference."""
RANDOM_TEXTS = 60
"""Texts generated at random from one expression."""
MAX_STEPS = 50_000
"""Parts of an expression that all its texts together may take."""
STEPS_SHARE = 8
"""Divisor of the remaining steps: after so many, a text repeats nothing needlessly."""
MAX_REPETITIONS = 64
"""Repetitions of an expression without a maximum."""
READABLE = (0x20, 0x7E)


def distinguishing_texts(patterns: Iterable[str], lengths: Iterable[int]) -> Iterator[str]:
    """Yield texts that match some patterns.

    First come texts that match only one of two patterns, or none, then matches of each, then texts of given lengths.
    """
    with suppress(UnsupportedPattern):
        for one, other in permutations(("", *patterns), 2):
            yield from _shortest_few([one], other)
            yield from _shortest_few([one, other])
    for pattern in patterns:
        yield from _list_samples(pattern)
    with suppress(UnsupportedPattern):
        for pattern, length in product(patterns, lengths):
            yield from _shortest_few([pattern], None, length)


def _shortest_few(matching: Sequence[str], excluding: str | None = None, length: int | None = None) -> Iterator[str]:
    """Yield a few of the shortest texts, or of those of a length.

    They match all of some patterns and do not match *excluding*. Raises UnsupportedPattern.
    """
    found, failure = _find_shortest(tuple(matching), excluding, length)
    yield from found
    if failure:
        raise failure


@lru_cache(maxsize=1024)
def _find_shortest(
    matching: tuple[str, ...], excluding: str | None, length: int | None
) -> tuple[list[str], UnsupportedPattern | None]:
    """Return those texts, and what ended the search early; patterns recur in many schemas."""
    found: list[str] = []
    try:
        found.extend(islice(shortest_matches(matching, excluding, length or 0, length), MAX_TEXTS))
    except UnsupportedPattern as error:
        return found, error.with_traceback(None)
    return found, None


@lru_cache(maxsize=256)
def _list_samples(pattern: str) -> tuple[str, ...]:
    """Return the likely matches of a pattern, which recurs in many schemas."""
    return tuple(sample_matches(pattern))


def sample_matches(pattern: str) -> Iterator[str]:
    """Yield texts that are likely to match, always the same ones.

    Yields none for an unsupported pattern, and fewer where repetitions inside each other make them long.
    """
    try:
        expression = parse(pattern)
    except UnsupportedPattern:
        return
    random = Random(pattern)  # noqa: S311 - not used for security
    remaining = MAX_STEPS
    for chooser, length in ((None, 0.0), (None, 1.0), *((random, random.random()) for _ in range(RANDOM_TEXTS))):
        sample = _Sample(chooser, length, remaining // STEPS_SHARE, remaining)
        if not sample.write(expression):
            return
        remaining -= sample.steps
        text = "".join(sample.characters)
        yield text
        yield ("" if pattern.startswith("^") else "x") + text + ("" if pattern.endswith("$") else "x")


@dataclass(slots=True)
class _Sample:
    """A matching text that is being written.

    Anchors are assumed to hold, and give an empty text.
    """

    random: Random | None
    """Chooses characters and alternatives; without it, the first one is used."""
    length: float
    """The length of the text, from 0 (shortest) to 1 (longest)."""
    enough: int
    """Steps after which nothing is repeated more often than it must be."""
    most: int
    """Steps after which the text is given up."""
    steps: int = 0
    characters: list[str] = field(default_factory=list)

    def write(self, part: Expression) -> bool:
        """Write a text of an expression. Return False where it takes too many steps."""
        self.steps += 1
        if self.steps > self.most:
            return False
        match part:
            case CharacterSet(ranges):
                self._write_character(ranges)
                return True
            case Concatenation(parts):
                return all(map(self.write, parts))
            case Alternation(parts):
                return self.write(self.random.choice(parts) if self.random else parts[0])
            case Repetition(inner, minimum, maximum):
                end = minimum + MAX_REPETITIONS if maximum is None else maximum
                count = round(minimum + (end - minimum) * self.length)
                needed = (at for at in range(count) if at < minimum or self.steps < self.enough)
                return all(self.write(inner) for _ in needed)

    def _write_character(self, ranges: Ranges) -> None:
        """Write a character of a set, a readable one if there is one."""
        if ranges and ranges[0][0] not in {START, END}:
            readable = [(max(low, READABLE[0]), min(high, READABLE[1])) for low, high in ranges]
            choices = [each for each in readable if each[0] <= each[1]] or ranges
            low, high = self.random.choice(choices) if self.random else choices[0]
            self.characters.append(chr(self.random.randint(low, high) if self.random else low))
