"""Check of a text's claims: each number and each direction needs a fact that says the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from handlers.agents.claims.actions import find_contradictions
from handlers.agents.claims.facts import CHANGES, LEVELS, Fact, Facts, Kind, Topic, select
from handlers.agents.claims.moments import Moments, find_moments
from handlers.agents.claims.numbers import Number, find_numbers, find_vague
from handlers.agents.claims.sentences import (
    Mention,
    Scope,
    Sentence,
    find_subject,
    read_scopes,
    split_sentences,
)
from handlers.agents.claims.topics import find_number_topics
from handlers.agents.claims.vocabulary import DIRECTIONS, FITTING, NEGATION, find_span, find_topics
from handlers.agents.numerals import Language

FindMentions = Callable[[str], Iterable[Mention]]
"""Finds the subjects in a text, also those without facts."""
_NO_WORDS = re.compile(
    r"://|[\w.]@\w|(?<!\w)[a-z0-9-]{2,}\.(?:[a-z]{2,}|рф)(?!\w)|(?:\d+\.){3}\d|\]\(|<[a-z/!]|`|\*\*|__|^#+ |&#?\w+;",
    re.IGNORECASE | re.MULTILINE,
)
"""Addresses, and markup of HTML and Markdown."""
_MIXED = re.compile(r"[A-Za-z][А-Яа-яЁё]|[А-Яа-яЁё][A-Za-z]")
_KINDS: dict[Topic, tuple[Kind, ...]] = {
    Topic.WEIGHT: ("security",),
    Topic.TOP: ("index",),
    Topic.TOP_WEIGHT: ("index",),
    Topic.MEMBERS: ("index",),
    Topic.SCORE: ("strategy",),
    Topic.PARAMETER: ("strategy",),
}
"""Kinds of subjects whose names count; those of securities and indices by default."""


def normalise(text: str) -> str:
    """Return *text* with simple spaces and digits, in the composed form of Unicode."""
    return re.sub(r"[^\S\n]", " ", unicodedata.normalize("NFKC", text)).replace("ё", "е").replace("Ё", "Е")


def find_false_claims(text: str, facts: Facts, language: Language, find_mentions: FindMentions) -> tuple[str, ...]:
    """Return the parts of *text* that no fact supports; none if the text may be used.

    A number needs a fact about the subject that its sentence names, of a topic whose words stand beside it, in the same
    unit, with the same sign, rounded as it is written. A direction such as "rose" needs a change with that sign. A
    date or a time stands in a result. Addresses, markup, Roman numerals and vague amounts are false claims; opinions
    are none.
    """
    cased = normalise(text)
    if odd := _NO_WORDS.search(cased) or _MIXED.search(cased):
        return (odd.group(),)
    if len(cased.lower()) != len(cased):
        return (cased,)  # letters whose lower case is longer have no place here
    return tuple(_Check(cased, facts, language, sorted(find_mentions(cased))).find())


class _Check:
    """The check of one text."""

    def __init__(self, cased: str, facts: Facts, language: Language, mentions: Sequence[Mention]) -> None:
        self._facts = facts
        masked = _mask_names(cased.lower(), mentions, facts.names)
        self._moments: Moments = find_moments(masked, facts)
        numbers = tuple(find_numbers(self._moments.masked, language))
        prose = self._moments.masked
        for each in numbers:  # the point of an abbreviated unit may end the sentence
            length = len(each.text.rstrip("."))
            prose = f"{prose[: each.start]}{'#' * length}{prose[each.start + length :]}"
        known = [each for each in mentions if each.subject in facts.kinds]
        self._vague = tuple(find_vague(prose, _mask_names(cased, known, facts.names)))
        self._sentences = split_sentences(cased, prose, mentions, numbers)

    def find(self) -> Iterator[str]:
        """Yield the false claims."""
        yield from self._moments.unknown
        yield from self._vague
        earlier: list[Mention] = []
        for sentence in self._sentences:
            for number, scope in read_scopes(sentence):
                if not self._is_supported(sentence, number, scope, earlier):
                    yield number.text
            yield from self._find_false_directions(sentence, earlier)
            yield from find_contradictions(sentence, self._facts)
            earlier.extend(sentence.mentions)

    def _is_supported(self, sentence: Sentence, number: Number, scope: Scope, earlier: Sequence[Mention]) -> bool:
        """Return True if a fact says what the text says with *number*."""
        if scope.is_negated:
            return False
        span = find_span(sentence.before(number) + sentence.after(number))
        days = {day for _place, day in self._days_of(sentence)}
        for topic in find_number_topics(sentence, number, scope):
            if topic in CHANGES and topic not in span:
                continue
            subject = self._subject_of(sentence, number.start, topic, earlier, _end_of(sentence, number))
            for fact in select(self._facts.numbers, (topic,), subject or ""):
                if _is_equal(fact, number, scope) and _fits_days(fact, days):
                    return True
        return False

    def _days_of(self, sentence: Sentence) -> list[tuple[int, date]]:
        return [each for each in self._moments.days if sentence.start <= each[0] < sentence.end]

    def _subject_of(
        self, sentence: Sentence, place: int, topic: Topic, earlier: Sequence[Mention], end: int
    ) -> str | None:
        """Return the subject of a claim about *topic*; if the text names none, the only one."""
        kinds = _KINDS.get(topic, ("security", "index"))
        named = find_subject(sentence, place, kinds, earlier, end)
        known = [subject for subject, kind in self._facts.kinds.items() if kind in kinds]
        return named or (known[0] if len(known) == 1 else None)

    def _find_false_directions(self, sentence: Sentence, earlier: Sequence[Mention]) -> Iterator[str]:
        """Yield directions of prices that contradict every known change of their subject."""
        for start, end in sentence.clauses():
            prose = sentence.prose[start:end]
            if NEGATION.search(prose) or find_topics(prose) - {*CHANGES, *LEVELS, Topic.OPEN}:
                continue
            for direction, pattern in DIRECTIONS.items():
                for match in pattern.finditer(prose):
                    subject = self._subject_of(sentence, start + match.start(), Topic.PRICE, earlier, end)
                    changes = select(self._facts.numbers, find_span(prose), subject or "")
                    if changes and not any(_has_direction(fact, direction) for fact in changes):
                        yield match.group()


def _mask_names(text: str, mentions: Iterable[Mention], names: Iterable[str]) -> str:
    """Return *text* with "_" in the place of subjects, and of words whose digits are no numbers."""
    for mention in mentions:
        text = f"{text[: mention.start]}{'_' * (mention.end - mention.start)}{text[mention.end :]}"
    for name in sorted(names, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        text = re.sub(pattern, lambda match: "_" * len(match.group()), text, flags=re.IGNORECASE)
    return text


def _end_of(sentence: Sentence, number: Number) -> int:
    """Return the end of the words behind *number* that belong to it."""
    return number.end + len(sentence.after(number))


def _is_equal(fact: Fact, number: Number, scope: Scope) -> bool:
    """Return True if the text writes the value of *fact*, in its unit and with its sign."""
    units = FITTING.get(number.unit, frozenset({number.unit}))
    if fact.unit not in units and (number.unit or fact.unit == "percent"):
        return False
    if fact.topic not in CHANGES:
        return abs(fact.value - (number.sign or 1) * number.value) <= number.tolerance
    if abs(abs(fact.value) - number.value) > number.tolerance:
        return False
    claimed = {each for each in (number.sign, {"up": 1, "down": -1, None: 0}[scope.direction]) if each} or {1}
    return not (fact.value and number.value) or claimed == {1 if fact.value > 0 else -1}


def _fits_days(fact: Fact, days: set[date]) -> bool:
    return bool(fact.days & days) if fact.needs_day else not fact.days or not days or bool(fact.days & days)


def _has_direction(fact: Fact, direction: str) -> bool:
    return fact.value > 0 if direction == "up" else fact.value < 0
