"""Generate texts that match regular expressions, of short and long lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, permutations, product
from random import Random

from codegen.schema_sets.regex_automata import shortest_matches
from codegen.schema_sets.regex_parser import (
    END,
    START,
    Alternation,
    CharacterSet,
    Concatenation,
    Expression,
    Repetition,
    UnsupportedPattern,
    parse,
)

MAX_TEXTS = 5
"""Texts that show one difference."""
RANDOM_TEXTS = 60
"""Texts generated at random from one expression."""
MAX_REPETITIONS = 64
"""Repetitions of an expression without a maximum."""
READABLE = (0x20, 0x7E)


def distinguishing_texts(patterns: Iterable[str], lengths: Iterable[int]) -> Iterator[str]:
    """Yield texts that match some patterns.

    First come texts that match only one of two patterns, then matches of each, then texts of given lengths.
    """
    for one, other in permutations(patterns, 2):
        yield from _shortest_few([one], other)
        yield from _shortest_few([one, other])
    for pattern in patterns:
        yield from sample_matches(pattern)
    for pattern, length in product(patterns, lengths):
        yield from _shortest_few([pattern], None, length)


def _shortest_few(matching: Sequence[str], excluding: str | None = None, length: int | None = None) -> Iterator[str]:
    """Yield a few of the shortest texts, or of those of a length.

    They match all of some patterns and do not match *excluding*.
    """
    with suppress(UnsupportedPattern):
        yield from islice(shortest_matches(matching, excluding, length or 0, length), MAX_TEXTS)


def sample_matches(pattern: str) -> Iterator[str]:
    """Yield texts that are likely to match, always the same ones.

    Yields none for an unsupported pattern.
    """
    try:
        expression = parse(pattern)
    except UnsupportedPattern:
        return
    random = Random(pattern)  # noqa: S311 - not used for security
    for chooser, length in ((None, 0.0), (None, 1.0), *((random, random.random()) for _ in range(RANDOM_TEXTS))):
        text = "".join(_generate(expression, chooser, length))
        yield text
        yield ("" if pattern.startswith("^") else "x") + text + ("" if pattern.endswith("$") else "x")


def _generate(part: Expression, random: Random | None, length: float) -> Iterator[str]:
    """Yield the characters of a matching text.

    Anchors are assumed to hold, and give an empty text. *random* chooses characters and alternatives; without it, the first one is used. *length* is that of the text, from
    0 (shortest) to 1 (longest).
    """
    match part:
        case CharacterSet(ranges):
            if ranges and ranges[0][0] not in {START, END}:
                readable = [(max(low, READABLE[0]), min(high, READABLE[1])) for low, high in ranges]
                choices = [each for each in readable if each[0] <= each[1]] or ranges
                low, high = random.choice(choices) if random else choices[0]
                yield chr(random.randint(low, high) if random else low)
        case Concatenation(parts):
            for each in parts:
                yield from _generate(each, random, length)
        case Alternation(parts):
            yield from _generate(random.choice(parts) if random else parts[0], random, length)
        case Repetition(inner, minimum, maximum):
            end = minimum + MAX_REPETITIONS if maximum is None else maximum
            for _ in range(round(minimum + (end - minimum) * length)):
                yield from _generate(inner, random, length)
