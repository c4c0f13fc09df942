"""Divide texts into classes that a schema cannot distinguish further.

Two texts are in one class if both satisfy the same patterns, formats and lengths, except that each text of an
enumeration is a class of its own. A containment of schemas can then be proved with enumerations in place of patterns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, TypeAlias

from toolaccord_codegen.schema_sets.regex_automata import Automaton, States, representatives
from toolaccord_codegen.schema_sets.regex_parser import UnsupportedPattern
from toolaccord_codegen.schema_sets.regex_runs import count_characters, includes_runs

TEXT_KEYWORDS = ("pattern", "format", "minLength", "maxLength")
"""Keywords that restrict texts and nothing else."""
MAX_OPAQUE = 4
"""Patterns and formats without an automaton at one place. Each one doubles the classes."""
LONGEST_RUN = 500
"""Characters of a run beyond which a pattern has no automaton, which has as many states."""
MAX_SEARCH_STATES = 10_000
"""Combined states that one search visits."""
TIME_OF_DAY = r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)"
DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
SHAPES = {
    "date": f"^{DATE}$",
    "date-time": rf"^{DATE}[Tt]{TIME_OF_DAY}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}
"""Patterns that every text of a format matches (RFC 3339, RFC 9562).

Other texts may match, too: 2026-02-30.
"""

Feature: TypeAlias = tuple[str, Any]
"""A keyword for texts and its value."""
TextClass: TypeAlias = frozenset[Feature]
"""The features that all texts of a class have."""


def text_classes(features: Collection[Feature], literals: Collection[str]) -> set[TextClass]:
    """Return the classes of all texts except some literals.

    A class may be listed without a text in it, never the reverse. Raises UnsupportedPattern where a search for them
    would take too long.
    """
    automata: dict[Feature, Automaton] = {}
    opaque = []
    for key, value in features:
        if key == "pattern" and count_characters(value) > LONGEST_RUN:
            automata[key, value] = Automaton("")
            opaque.append((key, value))
        elif key in {"pattern", "format"}:
            try:
                automata[key, value] = Automaton(value if key == "pattern" else SHAPES.get(value, ""))
            except UnsupportedPattern:
                automata[key, value] = Automaton("")
                opaque.append((key, value))
            if key == "format":
                opaque.append((key, value))
    if len(opaque) > MAX_OPAQUE:
        raise UnsupportedPattern("too many patterns and formats cannot be compared")
    implied = [
        (one, other)
        for one in opaque
        for other in opaque
        if one != other and one[0] == other[0] == "pattern" and includes_runs(other[1], one[1])
    ]
    lengths = [(key, value) for key, value in features if key in {"minLength", "maxLength"}]
    return {
        known - {*hidden}
        for known in _search(automata, lengths, frozenset(literals))
        for hidden in _subsets([feature for feature in opaque if feature in known])
        if not any(one not in hidden and other in hidden for one, other in implied)
    }


def _subsets(features: Sequence[Feature]) -> Iterator[tuple[Feature, ...]]:
    """Yield every selection of some features."""
    return chain.from_iterable(combinations(features, count) for count in range(len(features) + 1))


def _search(
    automata: dict[Feature, Automaton], lengths: Sequence[Feature], literals: frozenset[str]
) -> Iterator[TextClass]:
    """Yield the features of all texts except literals, some of them repeatedly."""
    longest = max((int(value) for _, value in lengths), default=-1) + 1
    prefixes = _list_prefixes(literals)
    alphabet = representatives([*automata.values()], "".join(literals))
    initial: tuple[States, ...] = tuple(each.initial_states() for each in automata.values())
    start = (initial, 0, "" if prefixes else None)
    todo, seen = deque([start]), {start}
    while todo:
        states, length, prefix = todo.popleft()
        if prefix is None or prefix not in literals:
            found = {key for (key, each), own in zip(automata.items(), states, strict=True) if each.accepts(own)}
            yield frozenset(found | {each for each in lengths if _has_length(each, length)})
        for character in alphabet:
            after = tuple(each.step(own, character) for each, own in zip(automata.values(), states, strict=True))
            text = None if prefix is None else prefix + chr(character)
            state = (after, min(length + 1, longest), text if text in prefixes else None)
            if state not in seen:
                seen.add(state)
                todo.append(state)
        if len(seen) > MAX_SEARCH_STATES:
            raise UnsupportedPattern("the expressions have too many states together")


def _list_prefixes(texts: Collection[str]) -> set[str]:
    """Return the beginnings of texts.

    Raises UnsupportedPattern where a search could not visit all of them.
    """
    found: set[str] = set()
    for prefix in (text[:end] for text in texts for end in range(len(text) + 1)):
        found.add(prefix)
        if len(found) > MAX_SEARCH_STATES:
            raise UnsupportedPattern("the enumerated texts are too long together")
    return found


def _has_length(limit: Feature, length: int) -> bool:
    """Return True if a number of characters satisfies `minLength` or `maxLength`."""
    key, value = limit
    return bool(length >= value if key == "minLength" else length <= value)
