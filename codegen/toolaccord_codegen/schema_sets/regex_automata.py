"""Compare regular expressions by nondeterministic finite automata.

The comparison holds for all texts, not only for samples.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from toolaccord_codegen.schema_sets.regex_parser import (
    ANY,
    END,
    START,
    Alternation,
    CharacterSet,
    Concatenation,
    Expression,
    Ranges,
    Repetition,
    UnsupportedPattern,
    character_sets,
    parse,
    union,
)
from toolaccord_codegen.schema_sets.regex_runs import includes_runs

MAX_STEPS = 250_000
"""Steps of one automaton, about a tenth of a second.

A step reads a character in one state.
"""
PASS_STEPS = 5
"""Steps for which passing one part of an expression counts, as it takes five times as long."""
PREFERRED = [*map(ord, "aAx0XzZ19-_./: ")]
"""Readable characters, used where several characters would do."""

State: TypeAlias = tuple[Expression, int]
"""The expression that is read next, and the number of the state after it."""
MATCH = 0
"""The number of the state in which nothing is left to be read."""
States: TypeAlias = frozenset[int]
"""Numbers of states."""


class Automaton:
    """A nondeterministic finite automaton that finds a pattern, as validators do.

    The pattern may stand anywhere in a text. The automaton reads code points and anchors, and finds its states on the
    way.
    """

    def __init__(self, pattern: str) -> None:
        """Build the automaton of a pattern. Raises UnsupportedPattern."""
        before, after = (Repetition(CharacterSet(union(ANY, ((mark, mark),))), 0, None) for mark in (START, END))
        parts = before, parse(pattern), after
        self._states: list[State] = [(Concatenation(()), MATCH)]
        self._numbers: dict[State, int] = {}
        self._repetitions: dict[tuple[Expression, int, int | None], Repetition] = {}
        self._readable: dict[int, States] = {}
        self._start = self._number(parts, MATCH)
        self.character_sets = frozenset(character_sets(Concatenation(parts)))
        """Every character set of the expression."""
        self.steps = 0
        """The steps so far."""

    def initial_states(self) -> States:
        """Return the states before the first character of a text. Raises UnsupportedPattern."""
        return self._after_anchor(self._reach(self._start), START)

    def step(self, states: States, character: int) -> States:
        """Return the states after a character, given as a code point.

        Raises UnsupportedPattern where the automaton has done too many steps, as every method does.
        """
        found: set[int] = set()
        self._count(len(states))
        for number in states:
            head, rest = self._states[number]
            if isinstance(head, CharacterSet) and _contains(head.ranges, character):
                found |= self._reach(rest)
        return frozenset(found)

    def accepts(self, states: States) -> bool:
        """Return True if a text that ends in these states matches."""
        return MATCH in self._after_anchor(states, END)

    def _reach(self, number: int) -> States:
        """Return the states that a state leads to without a character.

        Each of them reads a character next, or is the match. Raises UnsupportedPattern.
        """
        if number not in self._readable:
            self._readable[number] = self._find_readable(number)
        self._count(len(self._readable[number]))
        return self._readable[number]

    def _find_readable(self, number: int) -> States:
        """Find the states that `_reach` returns. Raises UnsupportedPattern."""
        found, seen, todo = set(), {number}, [number]
        while todo:
            self._count(PASS_STEPS)
            at = todo.pop()
            head, rest = self._states[at]
            if at == MATCH or isinstance(head, CharacterSet):
                found.add(at)
            following = self._following(head, rest) if at != MATCH else []
            todo += [each for each in following if each not in seen]
            seen.update(following)
        return frozenset(found)

    def _count(self, steps: int) -> None:
        """Count steps. Raises UnsupportedPattern where there are too many."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise UnsupportedPattern("the expression has too many states")

    def _following(self, head: Expression, rest: int) -> list[int]:
        """Return the states that begin an expression before another state.

        There are none for a character.
        """
        match head:
            case Concatenation(parts):
                return [self._number(parts, rest)]
            case Alternation(parts):
                return [self._number((part,), rest) for part in parts]
            case Repetition(part, minimum, maximum):
                skipped = [] if minimum else [rest]
                if not minimum and maximum == 0:
                    return skipped
                fewer = part, max(minimum - 1, 0), maximum - 1 if maximum else maximum
                again = self._repetitions.setdefault(fewer, Repetition(*fewer))
                return [*skipped, self._number((part, again), rest)]
            case _:
                return []

    def _number(self, parts: Sequence[Expression], rest: int) -> int:
        """Return the number of the state that reads some expressions before another state."""
        for part in reversed(parts):
            state = part, rest
            if state not in self._numbers:
                self._numbers[state] = len(self._states)
                self._states.append(state)
            rest = self._numbers[state]
        return rest

    def _after_anchor(self, states: States, anchor: int) -> States:
        """Return the states after an anchor. It has no width, so it may be read any number of times."""
        found = fresh = states
        while fresh:
            fresh = self.step(fresh, anchor) - found
            found |= fresh
        return found


def _contains(ranges: Ranges, character: int) -> bool:
    """Return True if a set has a character."""
    at = bisect_right(ranges, (character, END))
    return at > 0 and character <= ranges[at - 1][1]


@lru_cache(maxsize=1024)
def includes(outer: str, inner: str) -> bool:
    """Return True if every text that matches *inner* provably matches *outer*.

    An empty pattern matches every text.
    """
    if includes_runs(outer, inner):
        return True
    try:
        return next(shortest_matches([inner], outer), None) is None
    except UnsupportedPattern:
        return False


def shortest_matches(
    matching: Sequence[str], excluding: str | None = None, minimum: int = 0, maximum: int | None = None
) -> Iterator[str]:
    """Yield texts that match all of some patterns and not another one, the shortest first.

    Yields one text for each combination of states in which the automata can end. Yields none only where there are none.
    *minimum* and *maximum* bound the length in characters.
    Raises UnsupportedPattern, also where the search would take too long.
    """
    positive = [Automaton(pattern) for pattern in matching]
    negative = [Automaton(excluding)] if excluding is not None else []
    automata = [*positive, *negative]
    alphabet = representatives(automata)
    initial = tuple(each.initial_states() for each in automata)
    todo = deque([("", initial)])
    seen = {(initial, 0)}
    while todo:
        text, states = todo.popleft()
        accepted = all(each.accepts(own) for each, own in zip(positive, states, strict=False))
        if len(text) >= minimum and accepted and not (negative and negative[0].accepts(states[-1])):
            yield text
        for character in alphabet if maximum is None or len(text) < maximum else ():
            after = tuple(each.step(own, character) for each, own in zip(automata, states, strict=True))
            key = (after, min(len(text) + 1, minimum))
            if key not in seen and all(after[: len(positive)]):
                seen.add(key)
                todo.append((text + chr(character), after))


def representatives(automata: Sequence[Automaton], characters: str = "") -> list[int]:
    """Return some characters, and one of each set that no automaton distinguishes.

    Readable characters come first.
    """
    sets = {ranges for each in automata for ranges in each.character_sets} | {ANY}
    sets |= {((ord(character), ord(character)),) for character in characters}
    edges = sorted({edge for ranges in sets for low, high in ranges for edge in (low, high + 1)})
    found = []
    for low, high in pairwise(edges):
        if any(first <= low <= last for first, last in ANY):
            found.append(next((character for character in PREFERRED if low <= character < high), low))
    return sorted(found, key=lambda code: (PREFERRED.index(code) if code in PREFERRED else len(PREFERRED), code))
