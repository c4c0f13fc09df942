"""Application of version steps: translates values and pointers between two versions.

Steps are declared from the older version to the newer. All of them read the original value: first every source is
taken out, the deepest first; then every target is put in, the shallowest first. So two members can swap places, and an
object can move while one of its members moves elsewhere. Every other member is carried over as it is, unless a step
has its place as target: there, the other version has a different member.
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
"""The tokens of a JSON pointer; `*` stands for any item of an array."""


def invert(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps from the newer version to the older.

    Lookups stay as they are: each has one direction.
    """
    return tuple(_inverse(step) for step in steps)


def _inverse(step: Step) -> Step:
    if isinstance(step, Move):
        return Move(step.target, step.source, tuple((newer, older) for older, newer in step.values), step.lookup)
    return Drop(step.pointer, step.value) if isinstance(step, Add) else Add(step.pointer, step.default)


class StepMapping:
    """Compiled steps from one version to the next."""

    def __init__(self, steps: Iterable[Step]) -> None:
        operations = [_compile(step) for step in steps]
        self._extractions = sorted((each for each in operations if each.source), key=lambda each: -len(each.source))
        self._insertions = sorted((each for each in operations if each.target), key=lambda each: len(each.target))

    async def apply(self, value: JsonObject, record: Any) -> JsonObject:
        """Return *value* in the other version, without changing *value*.

        Lookups take the call *record*.

        Raises what a lookup raises.
        """
        rest, extracted = self._extract_sources(value)
        for operation in self._insertions:
            found = extracted.get(operation, ABSENT)
            if operation.lookup:
                found = await _look_up_nested(found, operation.array_depth, operation.lookup, record)
            rest = operation.insert(rest, _map_nested(found, operation.array_depth, operation.translate))
        return cast("JsonObject", rest)

    def map_pointer(self, pointer: str) -> str | None:
        """Return *pointer* in the other version.

        None if a step drops its place or another member takes it.
        """
        path = tokens(pointer)
        operation = next((each for each in self._extractions if _matches(path, each.source)), _CARRY_OVER)
        if operation.source and not operation.target:
            return None
        target = (*_target_of(operation, path), *path[len(operation.source) :])
        deeper = (each.target for each in self._insertions if len(each.target) > len(operation.target))
        return None if any(_matches(target, pattern) for pattern in deeper) else violations.json_pointer(target)

    def _extract_sources(self, value: JsonObject) -> tuple[Any, dict[_Operation, Any]]:
        """Return *value* without the sources of the steps, and the value that each step found."""
        rest: Any = value
        extracted: dict[_Operation, Any] = {}
        for operation in self._extractions:
            rest, extracted[operation] = _extract(rest, operation.source)
        return rest, extracted


# --- compiled steps ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Operation:
    """A compiled step: takes a value from its source and puts it at its target."""

    source: Tokens = ()
    """Place to take from; empty for a step that takes nothing."""
    target: Tokens = ()
    """Place to put at; empty for a step that puts nothing."""
    values: tuple[tuple[str, str], ...] = ()
    lookup: Lookup | None = None
    constant: Any = ABSENT

    @property
    def array_depth(self) -> int:
        """Number of arrays around the source."""
        return self.source.count("*")

    def translate(self, found: Any) -> Any:
        """Return the value of the other version for a value that was found."""
        return next((newer for older, newer in self.values if older == found), found)

    def insert(self, value: Any, found: Any) -> Any:
        """Return *value* with *found*, or the step's constant, at the target."""
        return (
            _insert(value, self.target, found) if self.source else _insert_constant(value, self.target, self.constant)
        )


_CARRY_OVER = _Operation()


def _compile(step: Step) -> _Operation:
    if isinstance(step, Move):
        return _Operation(tokens(step.source), tokens(step.target), step.values, step.lookup)
    if isinstance(step, Add):
        return _Operation(target=tokens(step.pointer), constant=step.value)
    return _Operation(source=tokens(step.pointer))


def _matches(path: Tokens, pattern: Tokens) -> bool:
    """Return whether *path* is at or below a place of *pattern*."""
    return len(path) >= len(pattern) and all(
        step.isdecimal() if name == "*" else step == name for step, name in zip(path, pattern, strict=False)
    )


def _target_of(operation: _Operation, path: Tokens) -> Tokens:
    """Return the target of *operation*, with the array indices that *path* has in its source."""
    indices = (step for step, name in zip(path, operation.source, strict=False) if name == "*")
    return tuple(next(indices) if name == "*" else name for name in operation.target)


# --- values --------------------------------------------------------------------------------------------------------


def _extract(value: Any, path: Tokens) -> tuple[Any, Any]:
    """Return *value* without the value at *path*, and that value: ABSENT if there is none.

    For each array on the path, the second value is a list with one element an item.
    """
    name, inner = path[0], path[1:]
    if name == "*":
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
    if name == "*":
        return [_insert(item, inner, each) for item, each in zip(value, found, strict=True)]
    parent = value if isinstance(value, dict) else {}
    return {**parent, name: _insert(parent.get(name, {}), inner, found)}


def _insert_constant(value: Any, path: Tokens, constant: Any) -> Any:
    """Return *value* with *constant* at *path*, wherever the parent object exists."""
    if constant is ABSENT:
        return _extract(value, path)[0]
    name, inner = path[0], path[1:]
    if name == "*":
        return [_insert_constant(item, inner, constant) for item in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or (inner and name not in value):
        return value
    return {**value, name: _insert_constant(value[name], inner, constant) if inner else deepcopy(constant)}


def _map_nested(found: Any, array_depth: int, translate: Callable[[Any], Any]) -> Any:
    """Return *found* with *translate* applied to each value inside *array_depth* nested lists."""
    if found is ABSENT:
        return found
    return [_map_nested(item, array_depth - 1, translate) for item in found] if array_depth else translate(found)


async def _look_up_nested(found: Any, array_depth: int, lookup: Lookup, record: Any) -> Any:
    """Return *found* with each value inside *array_depth* nested lists looked up in turn."""
    if found is ABSENT:
        return found
    if array_depth:
        return [await _look_up_nested(item, array_depth - 1, lookup, record) for item in found]
    return await lookup(found, record)
