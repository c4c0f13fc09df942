"""Sentences of texts: their subjects, their clauses, and the words around a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.agents.claims.facts import Kind, Topic
from handlers.agents.claims.numbers import Number
from handlers.agents.claims.vocabulary import NEGATION, Direction, find_direction, find_topics

_END = re.compile(r"[.!?…]+(?=\s+[^a-zа-я\s]|\s*$)|\n+")
CLAUSE_END = re.compile(
    r"[,;:()—–]|\s-\s|(?<!\w)(?:and|but|while|whereas|with|although|though|и|а|но|при|хотя|тогда как|в то время как)(?!\w)"
)


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """The name of a subject in a text."""

    start: int
    end: int
    subject: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Meaning of the words around a number."""

    topics: frozenset[Topic]
    direction: Direction | None
    is_negated: bool
    is_own: bool
    """False if the words are those of the number before."""

    @property
    def is_empty(self) -> bool:
        """True if the words name neither a topic nor a direction."""
        return not self.topics and self.direction is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence; places are those of the whole text."""

    start: int
    end: int
    prose: str
    """The whole text in lower case; "#" hides numbers, and "_" dates and names."""
    mentions: tuple[Mention, ...]
    numbers: tuple[Number, ...]

    def before(self, number: Number) -> str:
        """Return the words between the number before and *number*."""
        ends = [each.end for each in self.numbers if each.end <= number.start]
        return self.prose[max(ends, default=self.start) : number.start]

    def after(self, number: Number) -> str:
        """Return the words of the clause behind *number*, up to the next one.

        "4 of 5" counts as one number.
        """
        following = [each for each in self.numbers if each.start >= number.end]
        rest = self.prose[number.end : following[0].start if following else self.end]
        if following and rest.strip() in ("of", "of the", "of the top", "из"):
            return self.after(following[0])
        return CLAUSE_END.split(rest, maxsplit=1)[0]

    def clauses(self) -> list[tuple[int, int]]:
        """Return start and end of each clause."""
        borders = [
            self.start,
            *(each.start() for each in CLAUSE_END.finditer(self.prose, self.start, self.end)),
            self.end,
        ]
        return list(pairwise(borders))


def split_sentences(cased: str, prose: str, mentions: Iterable[Mention], numbers: Iterable[Number]) -> list[Sentence]:
    """Return the sentences of the text *cased*; *prose* is that of a `Sentence`."""
    masked = "".join(each if mask not in "#_" else mask for each, mask in zip(cased, prose, strict=True))
    borders = [0, *(match.end() for match in _END.finditer(masked)), len(prose)]
    mentions, numbers = sorted(mentions), sorted(numbers, key=lambda each: each.start)
    return [
        Sentence(
            start=start,
            end=end,
            prose=prose,
            mentions=tuple(each for each in mentions if start <= each.start < end),
            numbers=tuple(each for each in numbers if start <= each.start < end),
        )
        for start, end in pairwise(borders)
        if start < end
    ]


def read_scopes(sentence: Sentence) -> list[tuple[Number, Scope]]:
    """Return each number of *sentence* with the meaning of the words around it.

    Words before it in its own clause count, then those before, then those behind it, then those of the number before.
    """
    scopes: list[tuple[Number, Scope]] = []
    for number in sentence.numbers:
        candidates = (*reversed(CLAUSE_END.split(sentence.before(number))), sentence.after(number))
        scope = next((each for each in map(_read, candidates) if not each.is_empty), None)
        if scope is None and scopes:
            last = scopes[-1][1]
            scope = Scope(topics=last.topics, direction=last.direction, is_negated=last.is_negated, is_own=False)
        scopes.append((number, _with_direction_behind(scope or _read(""), sentence.after(number))))
    return scopes


def _read(prose: str) -> Scope:
    return Scope(
        topics=find_topics(prose),
        direction=find_direction(prose),
        is_negated=NEGATION.search(prose) is not None,
        is_own=True,
    )


def _with_direction_behind(scope: Scope, after: str) -> Scope:
    """Return *scope* with a direction behind the number, as in "0.8 % lower", if it has none."""
    direction = scope.direction or find_direction(" ".join(after.split()[:2]))
    return Scope(topics=scope.topics, direction=direction, is_negated=scope.is_negated, is_own=scope.is_own)


def find_subject(
    sentence: Sentence, place: int, kinds: Sequence[Kind], earlier: Sequence[Mention], end: int
) -> str | None:
    """Return the subject of the words at *place*.

    It is the nearest one before, else the first one up to *end*, else the last of *earlier* sentences.
    """
    mentions = [each for each in sentence.mentions if each.kind in kinds]
    before = [each for each in mentions if each.start < place]
    behind = [each for each in mentions if place <= each.start < end]
    known = [each for each in earlier if each.kind in kinds]
    return before[-1].subject if before else behind[0].subject if behind else known[-1].subject if known else None
