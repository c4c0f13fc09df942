"""Compare regular expressions by nondeterministic finite automata.

The comparison holds for all texts, not only for samples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from codegen.schema_sets.regex_parser import (
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
    parse,
    union,
)

MAX_STATES = 4000
"""States of one automaton. A bounded repetition has a state for each repetition."""
MAX_SEARCH_STATES = 20000
"""Combined states that one search visits."""
PREFERRED = [*map(ord, "aAx0XzZ19-_./: ")]
"""Readable characters, used where several characters would do."""

States = frozenset[int]


@dataclass(slots=True)
class Automaton:
    """A nondeterministic finite automaton over code points and anchors. It starts in state 0."""

    transitions: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    """By state: the characters that are read and the next state."""
    empty_transitions: list[list[int]] = field(default_factory=list)
    """By state: the next states that need no character."""
    character_sets: set[Ranges] = field(default_factory=set)
    """Every character set of the expression."""
    final: int = 0
    """The state in which a text has matched."""

    def new_state(self) -> int:
        """Add a state. Raises UnsupportedPattern where there are too many."""
        if len(self.transitions) > MAX_STATES:
            raise UnsupportedPattern("the expression has too many states")
        self.transitions.append([])
        self.empty_transitions.append([])
        return len(self.transitions) - 1

    def add(self, part: Expression, start: int) -> int:
        """Add the states that read an expression from a state on, and return the state after it."""
        match part:
            case CharacterSet(ranges):
                return self._add_character(start, ranges)
            case Concatenation(parts):
                for each in parts:
                    start = self.add(each, start)
                return start
            case Alternation(parts):
                ends = [self.add(each, start) for each in parts]
                end = self.new_state()
                for each_end in ends:
                    self.empty_transitions[each_end].append(end)
                return end
            case Repetition(inner, minimum, maximum):
                return self._add_repetition(inner, minimum, maximum, start)

    def _add_character(self, start: int, ranges: Ranges) -> int:
        """Add a state that one character of a set leads to."""
        end = self.new_state()
        self.transitions[start].append((ranges, end))
        self.character_sets.add(ranges)
        return end

    def _add_repetition(self, part: Expression, minimum: int, maximum: int | None, start: int) -> int:
        """Add an expression several times. A maximum of None is unbounded."""
        for _ in range(minimum):
            start = self.add(part, start)
        end = self.new_state()
        self.empty_transitions[start].append(end)
        if maximum is None:
            again = self.new_state()
            self.empty_transitions[start].append(again)
            self.empty_transitions[self.add(part, again)] += [again, end]
            return end
        for _ in range(maximum - minimum):
            start = self.add(part, start)
            self.empty_transitions[start].append(end)
        return end

    def initial_states(self) -> States:
        """Return the states before the first character of a text."""
        return self._after_anchor(self._closure([0]), START)

    def step(self, states: States, character: int) -> States:
        """Return the states after a character, given as a code point."""
        after = [
            end
            for state in states
            for ranges, end in self.transitions[state]
            if any(low <= character <= high for low, high in ranges)
        ]
        return self._closure(after)

    def accepts(self, states: States) -> bool:
        """Return True if a text that ends in these states matches."""
        return self.final in self._after_anchor(states, END)

    def _closure(self, states: Sequence[int] | States) -> States:
        """Return states together with all that they lead to without a character."""
        found, todo = set(states), list(states)
        while todo:
            for state in self.empty_transitions[todo.pop()]:
                if state not in found:
                    found.add(state)
                    todo.append(state)
        return frozenset(found)

    def _after_anchor(self, states: States, anchor: int) -> States:
        """Return the states after an anchor. It has no width, so it may be read any number of times."""
        after = states | self.step(states, anchor)
        return after if after == states else self._after_anchor(after, anchor)


@lru_cache(maxsize=256)
def build_automaton(pattern: str) -> Automaton:
    """Build the automaton that finds a pattern anywhere in a text, as validators do.

    Raises UnsupportedPattern.
    """
    found = Automaton()
    start = found.new_state()
    found.transitions[start].append((union(ANY, ((START, START),)), start))
    found.final = found.add(parse(pattern), start)
    found.transitions[found.final].append((union(ANY, ((END, END),)), found.final))
    return found


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
    alphabet = _representatives(automata)
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


def _representatives(automata: Sequence[Automaton]) -> list[int]:
    """Return one character of each set that no automaton distinguishes.

    Readable characters come first.
    """
    sets = {ranges for each in automata for ranges in each.character_sets} | {ANY}
    edges = sorted({edge for ranges in sets for low, high in ranges for edge in (low, high + 1)})
    found = []
    for low, high in pairwise(edges):
        if any(first <= low <= last for first, last in ANY):
            found.append(next((character for character in PREFERRED if low <= character < high), low))
    return sorted(found, key=lambda code: (PREFERRED.index(code) if code in PREFERRED else len(PREFERRED), code))
