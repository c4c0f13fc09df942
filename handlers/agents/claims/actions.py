"""Actions in the words about a signal, compared with its own and its strategies'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handlers.agents.claims.facts import VOTES, Action, Facts, Topic
from handlers.agents.claims.sentences import CLAUSE_END, Mention, Sentence
from handlers.agents.claims.vocabulary import ACTIONS, NEGATION

_NOBODY = re.compile(r"(?<!\w)(?:no|none|zero|ни одн\w+)(?: \w+){0,4} $")
_EVERYBODY = re.compile(r"(?<!\w)(?:all|every\w*|each|unanim\w+|both|все|всех|кажд\w+|единоглас\w+)(?!\w)")
_SIGNALS = re.compile(r"(?<!\w)(?:signals?|says?|votes?|is|are)(?: for| a)? $")


def find_contradictions(sentence: Sentence, facts: Facts) -> Iterator[str]:
    """Yield the actions in *sentence* that the signal contradicts.

    An action belongs to the strategies that are named before it or behind it in its clause, to the strategies that a
    number counts, to all or to none of them, or else to the signal. None is checked without a signal's action.
    """
    if facts.action is None:
        return
    prose = sentence.prose
    found = sorted(
        (match.start(), match.end(), action)
        for action, pattern in ACTIONS.items()
        for match in pattern.finditer(prose, sentence.start, sentence.end)
    )
    previous = sentence.start
    for start, end, action in found:
        if not _is_true(sentence, facts, action, (previous, start, end)):
            yield prose[start:end]
        previous = end


def _is_true(sentence: Sentence, facts: Facts, action: Action, place: tuple[int, int, int]) -> bool:
    """Return True if the *action* at *place*, behind the action before it, agrees with *facts*."""
    previous, start, _end = place
    before = sentence.prose[previous:start]
    clause = CLAUSE_END.split(before)[-1]
    if named := _name_strategies(sentence, place):
        return all(facts.signals.get(each.subject) == action for each in named) and not NEGATION.search(clause)
    votes = {fact.topic: int(fact.value) for fact in facts.numbers if fact.topic in (*VOTES.values(), Topic.STRATEGIES)}
    if _NOBODY.search(before):
        return not votes[VOTES[action]]
    if _EVERYBODY.search(clause):
        return votes[VOTES[action]] == votes[Topic.STRATEGIES]
    if "#" in clause and not NEGATION.search(clause):
        return True  # the number is checked
    return action == facts.action and not NEGATION.search(clause)


def _name_strategies(sentence: Sentence, place: tuple[int, int, int]) -> list[Mention]:
    """Return the strategies that the action at *place* belongs to."""
    previous, start, end = place
    strategies = [each for each in sentence.mentions if each.kind == "strategy"]
    before = [each for each in strategies if previous <= each.start < start]
    between = sentence.prose[before[-1].end : start] if before else ""
    if before and (_SIGNALS.search(between) or not CLAUSE_END.search(between)):
        return before
    clause_end = CLAUSE_END.search(sentence.prose, end, sentence.end)
    behind = [each for each in strategies if end <= each.start < (clause_end.start() if clause_end else sentence.end)]
    return (
        behind
        if re.search(r"^\s(?:signal\w* )?(?:of|from|by|comes? from) ", sentence.prose[end : sentence.end])
        else []
    )
