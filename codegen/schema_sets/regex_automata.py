"""Compare regular expressions by nondeterministic finite automata.

The comparison holds for all texts, not only for samples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from codegen.schema_sets.regex_parser import (
    ANY,
    END,
    START,
    Alternation,
    CharacterSet,
    Concatenation,
    Expression,
    Repetition,
    UnsupportedPattern,
    character_sets,
    parse,
    union,
)

MAX_STATES = 4000
"""States of one automaton. A bounded repetition has a state for each repetition."""
MAX_SEARCH_STATES = 20000
"""Combined states that one search visits."""
PREFERRED = [*map(ord, "aAx0XzZ19-_./: ")]
"""Readable characters, used where several characters would do."""

State: TypeAlias = tuple[Expression, ...]
"""The expressions that are still to be read; empty after a match."""
States: TypeAlias = frozenset[int]
"""Numbers of states."""


class Automaton:
    """A nondeterministic finite automaton that finds a pattern, as validators do.

    The pattern may stand anywhere in a text. The automaton reads code points and anchors, and finds its states on the way.
    """

    def __init__(self, pattern: str) -> None:
        """Build the automaton of a pattern. Raises UnsupportedPattern."""
        before, after = (Repetition(CharacterSet(union(ANY, ((mark, mark),))), 0, None) for mark in (START, END))
        self._start: State = (before, parse(pattern), after)
        self._numbers: dict[State, int] = {(): 0}
        self._states: list[State] = [()]
        self._successors: dict[int, States] = {}
        self.character_sets = frozenset(character_sets(Concatenation(self._start)))
        """Every character set of the expression."""

    def initial_states(self) -> States:
        """Return the states before the first character of a text."""
        return self._after_anchor(self._readable(self._start), START)

    def step(self, states: States, character: int) -> States:
        """Return the states after a character, given as a code point. Raises UnsupportedPattern."""
        found: set[int] = set()
        for number in states:
            head, *rest = self._states[number] or (None,)
            if isinstance(head, CharacterSet) and any(low <= character <= high for low, high in head.ranges):
                if number not in self._successors:
                    self._successors[number] = self._readable(tuple(rest))
                found |= self._successors[number]
        return frozenset(found)

    def accepts(self, states: States) -> bool:
        """Return True if a text that ends in these states matches."""
        return 0 in self._after_anchor(states, END)

    def _readable(self, state: State) -> States:
        """Return the states that a state leads to without a character.

        Each of them reads a character next, or is the match.
        """
        found, seen, todo = set(), {state}, [state]
        while todo:
            following: list[State] = []
            match todo.pop():
                case (Concatenation(parts), *rest):
                    following = [(*parts, *rest)]
                case (Alternation(parts), *rest):
                    following = [(part, *rest) for part in parts]
                case (Repetition(part, minimum, maximum), *rest):
                    following = [] if minimum else [tuple(rest)]
                    if minimum or maximum != 0:
                        again = Repetition(part, max(minimum - 1, 0), maximum - 1 if maximum else maximum)
                        following.append((part, again, *rest))
                case readable:
                    found.add(self._number(readable))
            todo += [each for each in following if each not in seen]
            seen.update(following)
        return frozenset(found)

    def _number(self, state: State) -> int:
        """Return the number of a state. Raises UnsupportedPattern where there are too many."""
        if state not in self._numbers:
            if len(self._states) > MAX_STATES:
                raise UnsupportedPattern("the expression has too many states")
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def _after_anchor(self, states: States, anchor: int) -> States:
        """Return the states after an anchor. It has no width, so it may be read any number of times."""
        after = states | self.step(states, anchor)
        return after if after == states else self._after_anchor(after, anchor)


build_automaton = lru_cache(maxsize=256)(Automaton)


def includes(outer: str, inner: str) -> bool:
    """Return True if every text that matches *inner* provably matches *outer*.

    An empty pattern matches every text.
    """
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
    positive = [build_automaton(pattern) for pattern in matching]
    negative = [build_automaton(excluding)] if excluding is not None else []
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
        if len(seen) > MAX_SEARCH_STATES:
            raise UnsupportedPattern("the expressions have too many states together")


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
