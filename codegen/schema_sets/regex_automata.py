"""Regular expressions as machines that read texts, so that two can be compared: for all texts, not for some."""

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
    Choice,
    Letter,
    NotUnderstood,
    Ranges,
    Repeat,
    Tree,
    tree,
    union,
)
from codegen.schema_sets.regex_parser import Sequence as Parts

MOST_STATES = 4000
"""Of one machine; a bounded repetition has a state for each time."""
MOST_STEPS = 20000
"""Of a search."""
HANDY = [*map(ord, "aAx0XzZ19-_./: ")]
"""Characters that people like to read, where there is a choice."""

States = frozenset[int]


@dataclass(slots=True)
class Machine:
    """States, and the letters that lead from one to another."""

    moves: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    free: list[list[int]] = field(default_factory=list)
    """Where each state leads without a letter."""
    letters: set[Ranges] = field(default_factory=set)
    last: int = 0
    """The state in which a text has been found to match."""

    def state(self) -> int:
        """A new state.

        Raises NotUnderstood where there are too many.
        """
        if len(self.moves) > MOST_STATES:
            raise NotUnderstood("the expression has too many states")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def add(self, part: Tree, start: int) -> int:
        """Add what reads a part from a state on; return the state after it."""
        match part:
            case Letter(ranges):
                return self.step(start, ranges)
            case Parts(parts):
                for each in parts:
                    start = self.add(each, start)
                return start
            case Choice(parts):
                ends = [self.add(each, start) for each in parts]
                end = self.state()
                for each_end in ends:
                    self.free[each_end].append(end)
                return end
            case Repeat(inner, least, most):
                return self.repeat(inner, least, most, start)

    def step(self, start: int, ranges: Ranges) -> int:
        """Add a letter."""
        end = self.state()
        self.moves[start].append((ranges, end))
        self.letters.add(ranges)
        return end

    def repeat(self, part: Tree, least: int, most: int | None, start: int) -> int:
        """Add a part several times."""
        for _ in range(least):
            start = self.add(part, start)
        end = self.state()
        self.free[start].append(end)
        if most is None:
            again = self.state()
            self.free[start].append(again)
            self.free[self.add(part, again)] += [again, end]
            return end
        for _ in range(most - least):
            start = self.add(part, start)
            self.free[start].append(end)
        return end

    def closed(self, states: Sequence[int] | States) -> States:
        """States, and all to which they lead without a letter."""
        found, todo = set(states), list(states)
        while todo:
            for state in self.free[todo.pop()]:
                if state not in found:
                    found.add(state)
                    todo.append(state)
        return frozenset(found)

    def read(self, states: States, letter: int) -> States:
        """The states after a letter."""
        after = [
            end
            for state in states
            for ranges, end in self.moves[state]
            if any(low <= letter <= high for low, high in ranges)
        ]
        return self.closed(after)

    def begun(self) -> States:
        """The states before the first letter of a text."""
        return self.marked(self.closed([0]), START)

    def accepts(self, states: States) -> bool:
        """Whether a text that ends in these states matches."""
        return self.last in self.marked(states, END)

    def marked(self, states: States, mark: int) -> States:
        """The states after a mark, which may be read any number of times: anchors take no room."""
        after = states | self.read(states, mark)
        return after if after == states else self.marked(after, mark)


@lru_cache(maxsize=256)
def machine(pattern: str) -> Machine:
    """What finds an expression anywhere in a text, as validators do.

    Raises NotUnderstood.
    """
    found = Machine()
    start = found.state()
    found.moves[start].append((union(ANY, ((START, START),)), start))
    found.last = found.add(tree(pattern), start)
    found.moves[found.last].append((union(ANY, ((END, END),)), found.last))
    return found


def includes(outer: str, inner: str) -> bool:
    """Whether it is proved that every text that matches one expression matches another; empty ones match every text."""
    try:
        return next(shortest([inner], outer), None) is None
    except NotUnderstood:
        return False


def shortest(
    taken: Sequence[str], refused: str | None = None, least: int = 0, most: int | None = None
) -> Iterator[str]:
    """Texts that match all of some expressions and do not match another one, the shortest first; none only where there are none.

    Not all that there are: one for each way in which the machines can end. Raises NotUnderstood, also where it takes too long.
    """
    takes, refuses = [machine(pattern) for pattern in taken], machine(refused) if refused is not None else None
    machines = [*takes, *([refuses] if refuses else [])]
    letters = alphabet(machines)
    begun = tuple(each.begun() for each in machines)
    todo = deque([("", begun)])
    seen = {(begun, 0)}
    while todo:
        text, states = todo.popleft()
        accepted = all(each.accepts(own) for each, own in zip(takes, states, strict=False))
        if len(text) >= least and accepted and not (refuses and refuses.accepts(states[-1])):
            yield text
        for letter in letters if most is None or len(text) < most else ():
            after = tuple(each.read(own, letter) for each, own in zip(machines, states, strict=True))
            key = (after, min(len(text) + 1, least))
            if key not in seen and all(after[: len(takes)]):
                seen.add(key)
                todo.append((text + chr(letter), after))
        if len(seen) > MOST_STEPS:
            raise NotUnderstood("the expressions have too many states together")


def alphabet(machines: Sequence[Machine]) -> list[int]:
    """A letter for each set of characters that no machine tells apart."""
    sets = {ranges for each in machines for ranges in each.letters} | {ANY}
    edges = sorted({edge for ranges in sets for low, high in ranges for edge in (low, high + 1)})
    found = []
    for low, high in pairwise(edges):
        if any(first <= low <= last for first, last in ANY):
            found.append(next((letter for letter in HANDY if low <= letter < high), low))
    return sorted(found, key=lambda letter: (HANDY.index(letter) if letter in HANDY else len(HANDY), letter))
