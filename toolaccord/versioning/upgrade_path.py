"""Upgrade paths: translation between an older version of a tool and its newest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from toolaccord.declarations.operation import AnyOperation, OlderVersion
from toolaccord.json_values import JsonObject
from toolaccord.schema.validator import SchemaValidator
from toolaccord.semantics.version_steps import ABSENT, StepMapping, invert

Lookup: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""Returns the value of the other version, given a value and the call record."""


class UpgradePath:
    """The path between an older version and the newest, through every version between.

    Arguments go up, results come down, and pointers are translated in both directions.
    """

    def __init__(self, versions: Sequence[OlderVersion]) -> None:
        """Take the older versions from the newest of them down to the path's own."""
        self.version = versions[-1]
        """The version at the lower end."""
        self._hops = [_Hop(version) for version in reversed(versions)]

    @cached_property
    def parameters(self) -> SchemaValidator:
        """Validator of the arguments of this version."""
        return self._hops[0].parameters

    @cached_property
    def returns(self) -> SchemaValidator:
        """Validator of the results of this version."""
        return SchemaValidator(self.version.returns)

    async def upgrade(self, arguments: JsonObject, record: Any) -> JsonObject:
        """Return valid *arguments* of this version in the newest; lookups take the call *record*.

        Before every hop, absent arguments get the defaults of the version they are in. Raises what a lookup raises.
        """
        for hop in self._hops:
            arguments = await _convert(hop.arguments_up, hop.parameters.normalise(arguments), record)
        return arguments

    async def downgrade(self, result: JsonObject, record: Any) -> JsonObject:
        """Return a *result* of the newest version in this one; lookups take the call *record*.

        Raises what a lookup raises.
        """
        for hop in reversed(self._hops):
            result = await _convert(hop.results_down, result, record)
        return result

    def newer_pointer(self, pointer: str) -> str | None:
        """Return a *pointer* into this version's arguments in the newest.

        None if it has no such place.
        """
        mapped: str | None = pointer
        for hop in self._hops:
            mapped = None if mapped is None else hop.arguments_up.map_pointer(mapped)
        return mapped

    def older_pointer(self, pointer: str) -> str | None:
        """Return a *pointer* into the newest version's arguments in this one.

        None if it has no such place.
        """
        mapped: str | None = pointer
        for hop in reversed(self._hops):
            mapped = None if mapped is None else hop.arguments_down.map_pointer(mapped)
        return mapped


def upgrade_paths(tool: AnyOperation) -> Iterator[UpgradePath]:
    """Yield the path of each older version of *tool*, the newest first."""
    for index in range(len(tool.versions)):
        yield UpgradePath(tool.versions[: index + 1])


@dataclass(frozen=True)
class _Hop:
    """The hop from a version to the next newer one; each part is compiled on first use."""

    version: OlderVersion

    @cached_property
    def parameters(self) -> SchemaValidator:
        return SchemaValidator(self.version.parameters)

    @cached_property
    def arguments_up(self) -> StepMapping:
        return StepMapping(self.version.parameter_steps)

    @cached_property
    def arguments_down(self) -> StepMapping:
        """The mapping of pointers alone; arguments never go down."""
        return StepMapping(invert(self.version.parameter_steps))

    @cached_property
    def results_down(self) -> StepMapping:
        return StepMapping(invert(self.version.result_steps))


async def _convert(mapping: StepMapping, value: JsonObject, record: Any) -> JsonObject:
    """Return *value* in the other version, without changing *value*.

    Raises what a lookup raises.
    """
    rest, extracted = mapping.extract(value)
    for step in mapping.insertions:
        if step.lookup:
            found = extracted[step.source]
            extracted[step.source] = await _look_up_nested(found, step.array_depth, step.lookup, record)
    converted: JsonObject = mapping.insert(rest, extracted)
    return converted


async def _look_up_nested(found: Any, array_depth: int, lookup: Lookup, record: Any) -> Any:
    """Return *found* with each value inside *array_depth* nested lists looked up in turn."""
    if found is ABSENT:
        return found
    if array_depth:
        return [await _look_up_nested(item, array_depth - 1, lookup, record) for item in found]
    return await lookup(found, record)
