"""Mappings: how a value of one version of a contract becomes a value of the next, by declared steps.

Steps are written from the older version to the newer, and all of them act on the value as it came: what they name is
taken out first, the innermost first, and then put in its new place, the outermost first. So two members can change
places, and an object can move while one of its members goes elsewhere. What no step names is carried as it is, but
for what stands where a step would put something: the other version means something else by that place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from toolpact.declarations.version_steps import ABSENT, Add, Drop, Lookup, Move, Step
from toolpact.json_values import JsonObject, tokens
from toolpact.schema import violations

Tokens: TypeAlias = tuple[str, ...]
"""The steps of a pointer; `*` is any item of an array."""


def inverted(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps from the newer version to the older. A lookup stays what it is: it belongs to one direction."""
    return tuple(_inverse(step) for step in steps)


def _inverse(step: Step) -> Step:
    if isinstance(step, Move):
        return Move(step.target, step.source, tuple((newer, older) for older, newer in step.values), step.lookup)
    return Drop(step.pointer, step.value) if isinstance(step, Add) else Add(step.pointer, step.default)


class Mapping:
    """Steps that were read once: what they make of a value, and where a place of it goes."""

    def __init__(self, steps: Iterable[Step]) -> None:
        parts = [_read(step) for step in steps]
        self._takes = sorted((part for part in parts if part.source), key=lambda part: -len(part.source))
        self._puts = sorted((part for part in parts if part.target), key=lambda part: len(part.target))
        self.asks = any(part.lookup for part in parts)
        """Whether a lookup has to be asked; else `carried` says everything without waiting."""

    def carried(self, value: JsonObject) -> JsonObject:
        """Return what *value* is in the other version; *value* is left as it is. For a mapping that asks no lookup."""
        rest, found = self._taken(value)
        for part in self._puts:
            rest = part.put(rest, _each(found.get(part, ABSENT), part.arrays, part.said))
        return cast("JsonObject", rest)

    async def looked_up(self, value: JsonObject, call: Any) -> JsonObject:
        """Return what *value* is in the other version, lookups asked with *call*. Raises what a lookup raises."""
        rest, found = self._taken(value)
        for part in self._puts:
            told = found.get(part, ABSENT)
            asked = await _each_asked(told, part.arrays, part.lookup, call) if part.lookup else told
            rest = part.put(rest, _each(asked, part.arrays, part.said))
        return cast("JsonObject", rest)

    def place(self, pointer: str) -> str | None:
        """Return where what is at *pointer* goes; None where it is dropped, or the place is one of the other version."""
        path = tokens(pointer)
        part = next((part for part in self._takes if _begins(path, part.source)), _CARRIED)
        if part.source and not part.target:
            return None
        goal = (*_filled(part, path), *path[len(part.source) :])
        deeper = (put.target for put in self._puts if len(put.target) > len(part.target))
        return None if any(_begins(goal, target) for target in deeper) else violations.pointer(goal)

    def _taken(self, value: JsonObject) -> tuple[Any, dict[_Part, Any]]:
        """Return *value* without what the steps name, and what each of them found."""
        rest: Any = value
        found: dict[_Part, Any] = {}
        for part in self._takes:
            rest, found[part] = _take(rest, part.source)
        return rest, found


# --- steps, read ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One step, read: what it takes and what it puts."""

    source: Tokens = ()
    """Where it takes; nowhere where empty."""
    target: Tokens = ()
    """Where it puts; nowhere where empty."""
    values: tuple[tuple[str, str], ...] = ()
    lookup: Lookup | None = None
    constant: Any = ABSENT

    @property
    def arrays(self) -> int:
        """How many arrays lie around what it takes."""
        return self.source.count("*")

    def said(self, found: Any) -> Any:
        """Return what is put for a value that was found."""
        return next((newer for older, newer in self.values if older == found), found)

    def put(self, value: Any, said: Any) -> Any:
        """Return *value* with what the step puts."""
        return _put(value, self.target, said) if self.source else _added(value, self.target, self.constant)


_CARRIED = _Part()


def _read(step: Step) -> _Part:
    if isinstance(step, Move):
        return _Part(tokens(step.source), tokens(step.target), step.values, step.lookup)
    if isinstance(step, Add):
        return _Part(target=tokens(step.pointer), constant=step.value)
    return _Part(source=tokens(step.pointer))


def _begins(path: Tokens, pattern: Tokens) -> bool:
    """Return whether *path* is at or below a place of *pattern*."""
    return len(path) >= len(pattern) and all(
        step.isdecimal() if name == "*" else step == name for step, name in zip(path, pattern, strict=False)
    )


def _filled(part: _Part, path: Tokens) -> Tokens:
    """Return the place where a step puts what it takes at the beginning of *path*."""
    indices = (step for step, name in zip(path, part.source, strict=False) if name == "*")
    return tuple(next(indices) if name == "*" else name for name in part.target)


# --- values, taken apart and put together --------------------------------------------------------------------------


def _take(value: Any, path: Tokens) -> tuple[Any, Any]:
    """Return *value* without what is at *path*, and what was there: ABSENT, or for each array on the way a list of such."""
    name, inner = path[0], path[1:]
    if name == "*":
        if not isinstance(value, list):
            return value, ABSENT
        pairs = [_take(item, inner) if inner else (ABSENT, item) for item in value]
        return [rest for rest, _ in pairs], [found for _, found in pairs]
    if not isinstance(value, dict) or name not in value:
        return value, ABSENT
    if not inner:
        return {each: member for each, member in value.items() if each != name}, value[name]
    rest, found = _take(value[name], inner)
    return {**value, name: rest}, found


def _put(value: Any, path: Tokens, found: Any) -> Any:
    """Return *value* with what was found at *path*; objects on the way are made, arrays are the ones it was found in."""
    if not path:
        return found
    if found is ABSENT:
        return _take(value, path)[0]  # nothing may be taken for what it is not
    name, inner = path[0], path[1:]
    if name == "*":
        return [_put(item, inner, each) for item, each in zip(value, found, strict=True)]
    around = value if isinstance(value, dict) else {}
    return {**around, name: _put(around.get(name, {}), inner, found)}


def _added(value: Any, path: Tokens, constant: Any) -> Any:
    """Return *value* with *constant* at *path*, wherever the object around it is there."""
    if constant is ABSENT:
        return _take(value, path)[0]
    name, inner = path[0], path[1:]
    if name == "*":
        return [_added(item, inner, constant) for item in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or (inner and name not in value):
        return value
    return {**value, name: _added(value[name], inner, constant) if inner else deepcopy(constant)}


def _each(found: Any, arrays: int, said: Callable[[Any], Any]) -> Any:
    """Return what is said for each value found within *arrays* arrays."""
    if found is ABSENT:
        return found
    return [_each(item, arrays - 1, said) for item in found] if arrays else said(found)


async def _each_asked(found: Any, arrays: int, lookup: Lookup, call: Any) -> Any:
    """Return what *lookup* says for each value found within *arrays* arrays, one after the other."""
    if found is ABSENT:
        return found
    if arrays:
        return [await _each_asked(item, arrays - 1, lookup, call) for item in found]
    return await lookup(found, call)
