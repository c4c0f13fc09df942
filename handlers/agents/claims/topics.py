"""Topics of which a number in a text can be a number."""

from __future__ import annotations

import re

from handlers.agents.claims.facts import CHANGES, LEVELS, VOTES, Topic
from handlers.agents.claims.numbers import Number
from handlers.agents.claims.sentences import CLAUSE_END, Scope, Sentence
from handlers.agents.claims.vocabulary import ACTIONS, find_topics

_TO = re.compile(r"(?:^|\s)(?:to|at|до|на уровне|по|near|around|about|около)\s*\(?$")
_UNTIL = re.compile(r"^\s*(?:to|до)\s*$")
_FROM = re.compile(r"(?:^|\s)(?:from|с|со|от)\s*$")
_IS = re.compile(r"^\s*(?:[:—–(-]|is at|is|at|по)?\s*\(?$")
_SPARE = CHANGES | LEVELS | {Topic.OPEN, Topic.HIGH, Topic.LOW}
"""Topics of which a direction is one of the price."""
_OF_UNIT = {
    "hours": frozenset({Topic.DURATION}),
    "days": frozenset({Topic.DURATION}),
    "members": frozenset({Topic.MEMBERS, Topic.TOP}),
    "papers": frozenset({Topic.MEMBERS, Topic.VOLUME}),
    "shares": frozenset({Topic.VOLUME}),
}
"""Topics of a number by its unit, if no words say more."""


def find_number_topics(sentence: Sentence, number: Number, scope: Scope) -> frozenset[Topic]:
    """Return the topics of which *number* can be a number."""
    before, after = sentence.before(number), sentence.after(number)
    if number.unit in ("hours", "days", "members") or (number.unit == "papers" and Topic.VOLUME not in scope.topics):
        return _OF_UNIT[number.unit]
    if number.unit in ("strategies", "") and (votes := _votes_of(number, CLAUSE_END.split(before)[-1], after)):
        return votes
    if number.unit == "percent" and not scope.is_own and (beside := _topics_beside_name(sentence, number)):
        return beside
    if scope.is_empty:
        return _OF_UNIT.get(number.unit) or _topics_beside_name(sentence, number)
    if scope.direction is None or scope.topics - _SPARE:
        return _adapt(scope.topics, before, CLAUSE_END.split(sentence.prose[sentence.start : number.start])[-1])
    return _topics_of_move(number, scope, before)


def _adapt(topics: frozenset[Topic], before: str, clause: str) -> frozenset[Topic]:
    """Return *topics* with the ends of a range, or with the weight of the largest members."""
    if Topic.WEIGHT in topics and Topic.TOP in find_topics(clause) | find_topics(clause.partition("#")[0]):
        return frozenset({Topic.TOP_WEIGHT})
    if Topic.PRICE in topics and _FROM.search(before):
        return topics | {Topic.LOW}
    return topics | {Topic.HIGH} if Topic.PRICE in topics and _UNTIL.search(before) else topics


def _topics_of_move(number: Number, scope: Scope, before: str) -> frozenset[Topic]:
    """Return the topics of a number beside a direction: the change, or a price around it."""
    if number.unit == "percent":
        return scope.topics & CHANGES or CHANGES
    if _FROM.search(before):
        return scope.topics - CHANGES | LEVELS | {Topic.OPEN}
    if _TO.search(before):
        return scope.topics - CHANGES | LEVELS
    return CHANGES if scope.is_own else CHANGES | LEVELS


def _votes_of(number: Number, before: str, after: str) -> frozenset[Topic]:
    """Return the topics of a number of strategies; none if it is no such number."""
    following = after.rpartition("#")[2]
    named = {VOTES[action] for action, pattern in ACTIONS.items() if pattern.search(following)}
    if before.strip() in ("of", "of the", "of the top", "из"):
        return frozenset({Topic.STRATEGIES})
    if named:
        return frozenset(named) if len(named) == 1 else frozenset({Topic.UNKNOWN})
    topics = find_topics(after)
    if number.unit == "strategies" or Topic.STRATEGIES in topics:
        return frozenset({Topic.AGREEMENT if Topic.AGREEMENT in topics else Topic.STRATEGIES})
    return frozenset()


def _topics_beside_name(sentence: Sentence, number: Number) -> frozenset[Topic]:
    """Return the topics of a number right behind a name, as in "SBER: 301.5"."""
    names = [each for each in sentence.mentions if each.end <= number.start]
    if not names or not _IS.search(sentence.prose[names[-1].end : number.start].replace("#", "")):
        return frozenset()
    if names[-1].kind == "strategy":
        return frozenset({Topic.SCORE})
    return (CHANGES if number.sign else frozenset()) if number.unit == "percent" else frozenset({Topic.PRICE})
