"""A call as it came in, and the tool it is for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from runtime.progress import Progress
from runtime.tool import Tool
from runtime.validation import Contract

Status: TypeAlias = Literal["success", "error", "cancelled"]
"""How a call ended; cancelled is one that its caller gave up."""


class Span(Protocol):
    """What is told of a call by whoever follows it from afar."""

    def ended(self, status: Status, code: str | None) -> None:
        """Say how the call ended; *code* is that of an error."""


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
    span: Span | None = None
    """Its span, where somebody takes spans."""
    progress: Progress | None = None
    """Hears how far the call is, where its caller wants to know."""

    @property
    def tool(self) -> Tool[Any, Any, Any]:
        """The tool's declaration."""
        return self.bound.tool
