"""Steps between two versions of a tool, which translate values and paths.

Steps are declared from the older version to the newer. All of them read the original value: first every source is
taken out, the deepest first; then every target is put in, the shallowest first. So two members can swap places, and an
object can move while one of its members moves elsewhere. Every other member is carried over as it is, unless a step
has its place as target: there, the other version has a different member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from toolaccord.semantics.json_pointers import join_pointer, split_pointer

Tokens: TypeAlias = tuple[str, ...]
"""The tokens of a JSON pointer; EACH stands for any item of an array."""
EACH = "*"


class Absence(Enum):
    """The absence of a value; null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absence.ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One difference between two versions: a member moves, is added or is dropped."""

    source: Tokens = ()
    """The member's path in the version to convert from; empty for an added member."""
    target: Tokens = ()
    """The member's path in the version to convert to; empty for a dropped member."""
    values: tuple[tuple[str, str], ...] = ()
    """Pairs of an old and a new value; every other value stays as it is."""
    lookup: Any = None
    """The function that translates the value where pairs cannot; in the compiler its name."""
    constant: Any = ABSENT
    """The value of an added member, or of a dropped one on the way back; ABSENT for none."""

    @property
    def array_depth(self) -> int:
        """Number of arrays around the source."""
        return self.source.count(EACH)

    def translate(self, found: Any) -> Any:
        """Return the value of the other version for a value that was found."""
        return next((newer for older, newer in self.values if older == found), found)


def move(source: str, target: str, values: tuple[tuple[str, str], ...] = (), lookup: Any = None) -> Step:
    """Return the step for a member with another pointer, or other values, in the newer version.

    Absent objects around the target are created. *values* are pairs of an older and a newer value. A lookup runs from
    older to newer in arguments, and from newer to older in results.
    """
    return Step(source=split_pointer(source), target=split_pointer(target), values=values, lookup=lookup)


def add(pointer: str, value: Any) -> Step:
    """Return the step for a member that only the newer version has.

    It is added, with *value*, wherever its parent object exists.
    """
    return Step(target=split_pointer(pointer), constant=value)


def drop(pointer: str, default: Any = ABSENT) -> Step:
    """Return the step for a member that only the older version has.

    Its callers get *default*.
    """
    return Step(source=split_pointer(pointer), constant=default)


def invert(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps from the newer version to the older.

    Lookups stay as they are: each has one direction.
    """
    return tuple(
        Step(
            source=step.target,
            target=step.source,
            values=tuple((newer, older) for older, newer in step.values),
            lookup=step.lookup,
            constant=step.constant,
        )
        for step in steps
    )


class StepMapping:
    """The steps from one version to the next, in the order in which they apply."""

    def __init__(self, steps: Iterable[Step]) -> None:
        steps = tuple(steps)
        self.extractions = sorted((step for step in steps if step.source), key=lambda step: -len(step.source))
        """The steps that take a member out, the deepest first."""
        self.insertions = sorted((step for step in steps if step.target), key=lambda step: len(step.target))
        """The steps that put a member in, the shallowest first."""

    def extract(self, value: Any) -> tuple[Any, dict[Tokens, Any]]:
        """Return *value* without the sources of the steps, and what was there by source.

        That is ABSENT where nothing was. Each array on the way to a source makes it a list with one element an item.
        """
        extracted: dict[Tokens, Any] = {}
        for step in self.extractions:
            value, extracted[step.source] = _extract(value, step.source)
        return value, extracted

    def insert(self, rest: Any, extracted: Mapping[Tokens, Any]) -> Any:
        """Return a value in the other version from what `extract` returned.

        Lookups are already answered.
        """
        for step in self.insertions:
            if step.source:
                found = map_nested(extracted[step.source], step.array_depth, step.translate)
                rest = _insert(rest, step.target, found)
            else:
                rest = _insert_constant(rest, step.target, step.constant)
        return rest

    def map_path(self, path: Tokens) -> Tokens | None:
        """Return a path in the other version.

        None if a step drops its place or another member takes it.
        """
        step = next((each for each in self.extractions if matches(path, each.source)), Step())
        if step.source and not step.target:
            return None
        indices = (token for token, name in zip(path, step.source, strict=False) if name == EACH)
        moved = (next(indices) if name == EACH else name for name in step.target)
        target = (*moved, *path[len(step.source) :])
        deeper = (each.target for each in self.insertions if len(each.target) > len(step.target))
        return None if any(matches(target, pattern) for pattern in deeper) else target

    def map_pointer(self, pointer: str) -> str | None:
        """Return a pointer in the other version; None as for `map_path`."""
        path = self.map_path(split_pointer(pointer))
        return None if path is None else join_pointer("", *path)


def matches(path: Tokens, pattern: Tokens) -> bool:
    """Return whether *path* is at or below a place of *pattern*."""
    return len(path) >= len(pattern) and all(
        token == name or (name == EACH and token.isdecimal()) for token, name in zip(path, pattern, strict=False)
    )


def map_nested(found: Any, array_depth: int, translate: Callable[[Any], Any]) -> Any:
    """Return an extracted value with *translate* applied inside *array_depth* nested lists."""
    if found is ABSENT:
        return found
    return [map_nested(item, array_depth - 1, translate) for item in found] if array_depth else translate(found)


def _extract(value: Any, path: Tokens) -> tuple[Any, Any]:
    """Return *value* without the value at *path*, and that value: ABSENT if there is none.

    For each array on the path, the second value is a list with one element an item.
    """
    name, inner = path[0], path[1:]
    if name == EACH:
        if not isinstance(value, list):
            return value, ABSENT
        pairs = [_extract(item, inner) if inner else (ABSENT, item) for item in value]
        return [rest for rest, _ in pairs], [found for _, found in pairs]
    if not isinstance(value, dict) or name not in value:
        return value, ABSENT
    if not inner:
        return {each: member for each, member in value.items() if each != name}, value[name]
    rest, found = _extract(value[name], inner)
    return {**value, name: rest}, found


def _insert(value: Any, path: Tokens, found: Any) -> Any:
    """Return *value* with *found* at *path*.

    Objects on the path are created, arrays are those of the source.
    """
    if not path:
        return found
    if found is ABSENT:
        return _extract(value, path)[0]  # the member there belongs to the other version
    name, inner = path[0], path[1:]
    if name == EACH:
        return [_insert(item, inner, each) for item, each in zip(value, found, strict=True)]
    parent = value if isinstance(value, dict) else {}
    return {**parent, name: _insert(parent.get(name, {}), inner, found)}


def _insert_constant(value: Any, path: Tokens, constant: Any) -> Any:
    """Return *value* with *constant* at *path*, wherever the parent object exists."""
    if constant is ABSENT:
        return _extract(value, path)[0]
    name, inner = path[0], path[1:]
    if name == EACH:
        return [_insert_constant(item, inner, constant) for item in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or (inner and name not in value):
        return value
    return {**value, name: _insert_constant(value[name], inner, constant) if inner else deepcopy(constant)}
