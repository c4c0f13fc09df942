"""A call as it came in, and the tool it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from toolpact.declarations.tool import Tool
from toolpact.handler import Progress
from toolpact.json_values import JsonObject
from toolpact.schema.validator import Contract
from toolpact.telemetry.call_status import CallStatus
from toolpact.versioning.lifecycle import Deprecation
from toolpact.versioning.upgrade_path import Passage, passages


class Span(Protocol):
    """What is told of a call by whoever follows it from afar."""

    def ended(self, status: CallStatus, code: str | None, older: str | None = None) -> None:
        """Say how the call ended; *code* is that of an error, *older* the version it was in, where that is not the newest."""


class BoundTool:
    """A tool with its schemas compiled, each when first needed."""

    def __init__(self, tool: Tool[Any, Any, Any]) -> None:
        self.tool = tool

    @cached_property
    def parameters(self) -> Contract:
        """What arguments must be."""
        return Contract(self.tool.parameters)

    @cached_property
    def returns(self) -> Contract:
        """What results must be."""
        return Contract(self.tool.returns)

    def prepare(self) -> None:
        """Compile what the tool's first call would wait for."""
        self.tool.request.model_rebuild()
        _ = self.parameters, self.returns

    @cached_property
    def passages(self) -> Mapping[Any, Passage]:
        """The way to its newest version from each older one."""
        return {passage.version.version: passage for passage in passages(self.tool)}


class Asked(NamedTuple):
    """A call as it came in."""

    bound: BoundTool
    """The tool that is called."""
    arguments: Any
    """The arguments, whatever they are."""
    meta: Mapping[str, Any] | None
    """What the caller says about the call."""
    caller: str
    """Who calls; empty when nobody knows."""
    corr_id: str
    """By what the call is known in logs and answers."""
    at: float
    """When it came, on the clock's monotonic time."""
    version: Any = None
    """The version that the caller asks for, whatever it is; None for the newest."""
    progress: Progress | None = None
    """Hears how far the call is, where its caller wants to know."""
    span: Span | None = None
    """Its span, where somebody takes spans."""
    passage: Passage | None = None
    """The way from that version to the newest; None where it is the newest."""
    deprecation: Deprecation | None = None
    """What the caller is told about that version; None where there is nothing to tell."""

    @property
    def tool(self) -> Tool[Any, Any, Any]:
        """The tool's declaration."""
        return self.bound.tool

    @property
    def place(self) -> Callable[[str], str | None]:
        """What says how the caller's version calls a place in the newest version's arguments; None where it has no such place."""
        return str if self.passage is None else self.passage.older_pointer

    @property
    def parameters(self) -> Contract:
        """What the arguments must be, in the version that the caller speaks."""
        return self.bound.parameters if self.passage is None else self.passage.parameters

    @property
    def returns(self) -> JsonObject:
        """The schema of the result, in the version that the caller speaks."""
        return self.bound.tool.returns if self.passage is None else self.passage.version.returns
