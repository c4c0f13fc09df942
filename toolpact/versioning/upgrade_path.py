"""Passages: the way from an older version of a tool to its newest and back, over every version between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolpact.declarations.tool import AnyTool, OlderVersion
from toolpact.json_values import JsonObject
from toolpact.schema.validator import Contract
from toolpact.versioning.step_mapping import Mapping, inverted


class Passage:
    """The way of one older version: arguments go up it, results and the names of places come down."""

    def __init__(self, versions: Sequence[OlderVersion]) -> None:
        """Take the versions from the newest older one down to the one whose way it is."""
        self.version = versions[-1]
        """The version whose way it is."""
        self._hops = [_Hop(version) for version in reversed(versions)]

    @cached_property
    def parameters(self) -> Contract:
        """What arguments of this version must be."""
        return self._hops[0].parameters

    @cached_property
    def returns(self) -> Contract:
        """What results of this version must be."""
        return Contract(self.version.returns)

    @cached_property
    def requests_ask(self) -> bool:
        """Whether a lookup has to be asked on a request's way up."""
        return any(hop.requests.asks for hop in self._hops)

    @cached_property
    def results_ask(self) -> bool:
        """Whether a lookup has to be asked on a result's way down."""
        return any(hop.results.asks for hop in self._hops)

    def upgraded(self, arguments: JsonObject) -> JsonObject:
        """Return valid *arguments* of this version as the newest has them. For a passage whose requests ask nothing.

        What is left out is what the version that speaks says it is: defaults are filled in before every hop.
        """
        for hop in self._hops:
            arguments = hop.requests.carried(hop.parameters.normalised(arguments))
        return arguments

    async def upgraded_with(self, arguments: JsonObject, call: Any) -> JsonObject:
        """Return the same for any passage; *call* is the record lookups are given. Raises what a lookup raises."""
        for hop in self._hops:
            arguments = await hop.requests.looked_up(hop.parameters.normalised(arguments), call)
        return arguments

    def downgraded(self, result: JsonObject) -> JsonObject:
        """Return a *result* of the newest version as this one has it. For a passage whose results ask nothing."""
        for hop in reversed(self._hops):
            result = hop.results.carried(result)
        return result

    async def downgraded_with(self, result: JsonObject, call: Any) -> JsonObject:
        """Return the same for any passage; *call* is the record lookups are given. Raises what a lookup raises."""
        for hop in reversed(self._hops):
            result = await hop.results.looked_up(result, call)
        return result

    def newer_pointer(self, pointer: str) -> str | None:
        """Return what the newest version calls a place in this version's arguments; None where it has no such place."""
        place: str | None = pointer
        for hop in self._hops:
            place = None if place is None else hop.requests.place(place)
        return place

    def older_pointer(self, pointer: str) -> str | None:
        """Return what this version calls a place in the newest version's arguments; None where it has no such place."""
        place: str | None = pointer
        for hop in reversed(self._hops):
            place = None if place is None else hop.names.place(place)
        return place


def passages(tool: AnyTool) -> Iterator[Passage]:
    """Yield the passage of each older version of *tool*, the newest first."""
    for index in range(len(tool.versions)):
        yield Passage(tool.versions[: index + 1])


@dataclass(frozen=True)
class _Hop:
    """From a version to the next newer one; every part is made when first needed."""

    version: OlderVersion

    @cached_property
    def parameters(self) -> Contract:
        return Contract(self.version.parameters)

    @cached_property
    def requests(self) -> Mapping:
        return Mapping(self.version.parameter_steps)

    @cached_property
    def names(self) -> Mapping:
        """The way of the names of places in arguments, which is down."""
        return Mapping(inverted(self.version.parameter_steps))

    @cached_property
    def results(self) -> Mapping:
        """The way of results, which is down."""
        return Mapping(inverted(self.version.result_steps))
