"""Compare expressions that repeat sets of characters by the numbers of their characters.

`(a{100}){100}` and `a{10000}` are both one run of 10,000 characters, for which an automaton has as many states.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from toolaccord_codegen.schema_sets.regex_parser import (
    CharacterSet,
    Concatenation,
    Expression,
    Ranges,
    Repetition,
    UnsupportedPattern,
    parse,
    union,
)

Interval: TypeAlias = tuple[int, int | None]
"""A least and a largest number; None for no largest."""
Lengths: TypeAlias = tuple[Interval, ...]
"""Intervals in ascending order, with a gap between any two."""
Run: TypeAlias = tuple[Ranges, Lengths]
"""A set of characters, and how many follow one another."""
MOST_INTERVALS = 1000
"""Intervals of one run; an expression with more is not read."""


@lru_cache(maxsize=1024)
def find_runs(pattern: str) -> tuple[Run, ...] | None:
    """Return a pattern as runs; None if it is no sequence of them."""
    try:
        return _read(parse(pattern))
    except UnsupportedPattern:
        return None


def includes_runs(outer: str, inner: str) -> bool:
    """Return True if each run of a pattern includes that of another one at its place."""
    wide, narrow = find_runs(outer), find_runs(inner)
    if wide is None or narrow is None or len(wide) != len(narrow):
        return False
    return all(map(_includes, wide, narrow))


def count_characters(pattern: str) -> int:
    """Return the largest number that bounds a run of a pattern; 0 where it is not read."""
    return max(
        (number or 0 for _, lengths in find_runs(pattern) or () for pair in lengths for number in pair), default=0
    )


def _includes(outer: Run, inner: Run) -> bool:
    """Return True if a run includes another one."""
    is_wide = union(outer[0], inner[0]) == union(outer[0])
    return is_wide and all(any(_is_within(each, whole) for whole in outer[1]) for each in inner[1])


def _is_within(part: Interval, whole: Interval) -> bool:
    """Return True if an interval lies within another one."""
    is_below = whole[1] is None or (part[1] is not None and part[1] <= whole[1])
    return part[0] >= whole[0] and is_below


def _read(expression: Expression) -> tuple[Run, ...] | None:
    """Return the runs of an expression; None if it has other parts."""
    match expression:
        case CharacterSet(ranges):
            return ((ranges, ((1, 1),)),)
        case Concatenation(parts):
            return _join(map(_read, parts))
        case Repetition(part, minimum, maximum):
            runs = _read(part)
            if runs is None or len(runs) > 1:
                return None
            lengths = _repeat(runs[0][1], minimum, maximum) if runs else ()
            return ((runs[0][0], lengths),) if runs and lengths else None
        case _:
            return None


def _join(sequences: Iterable[tuple[Run, ...] | None]) -> tuple[Run, ...] | None:
    """Return sequences of runs one after another; runs of one set of characters become one."""
    found: list[Run] = []
    for runs in sequences:
        if runs is None:
            return None
        for ranges, own in runs:
            lengths = own
            if found and found[-1][0] == ranges:
                lengths = _merge((low + other, _add(high, end)) for low, high in found.pop()[1] for other, end in own)
            if not lengths:
                return None
            found.append((ranges, lengths))
    return tuple(found)


def _repeat(lengths: Lengths, minimum: int, maximum: int | None) -> Lengths:
    """Return the lengths of a run that is repeated; none where they have too many intervals."""
    if len(lengths) > 1:
        return lengths if minimum == maximum == 1 else ()
    ((low, high),) = lengths
    if 0 in {high, maximum}:
        return ((0, 0),)
    last = maximum
    if maximum is None or high is None:  # from some count on, the intervals of two counts touch
        gap = 0 if high is None else high - low
        if high is not None and not gap and low > 1:
            return ()
        last = max(minimum, 1, -(-(low - 1) // gap) if gap else 1)
        last = last if maximum is None else min(last, maximum)
    if last is None or last - minimum > MOST_INTERVALS:
        return ()
    found = [
        (low * count, None if high is None and count else (high or 0) * count) for count in range(minimum, last + 1)
    ]
    if maximum is None or (high is None and maximum):
        found[-1] = (found[-1][0], None)
    return _merge(found)


def _merge(intervals: Iterable[Interval]) -> Lengths:
    """Return intervals in order, with those that touch made one; none where they are too many."""
    found: list[Interval] = []
    for low, high in sorted(intervals, key=lambda each: each[0]):
        last = found[-1] if found else None
        if last and (last[1] is None or low <= last[1] + 1):
            found[-1] = last[0], None if None in {last[1], high} else max(last[1] or 0, high or 0)
        else:
            found.append((low, high))
        if len(found) > MOST_INTERVALS:
            return ()
    return tuple(found)


def _add(one: int | None, other: int | None) -> int | None:
    """Return the sum of two largest numbers."""
    return None if one is None or other is None else one + other
