"""Types of an agent's call record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from toolaccord.client.declarations import RemoteTool
from toolaccord.json_values import JsonObject

Output = TypeVar("Output", bound=BaseModel)
Arguments: TypeAlias = Mapping[str, Collection[Any]]
"""Values that arguments of tools may have, by their names."""
NO_BOUNDS: Final[Arguments] = MappingProxyType({})


class MissingData(Protocol):
    """The data without which a request is answered."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the missing data, each once, in the order in which they were added."""

    @property
    def confidence_penalty(self) -> float:
        """Sum of the labels' penalties, from 0 to 1."""

    def add(self, tool: RemoteTool[Any, Any], /) -> None:
        """Add the label of *tool*, whose result could not be had.

        Raises LookupError for a tool without `if_missing`.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelToolCall:
    """A call of a tool by a model, with its result."""

    tool: str
    """Name of the tool."""
    arguments: JsonObject
    """Its arguments, as the model wrote them."""
    result: JsonObject
    """Its result, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Generic[Output]):
    """Answer of a model."""

    output: Output
    """The answer, valid."""
    calls: tuple[ModelToolCall, ...] = ()
    """The calls of tools behind it that succeeded."""


class LanguageModel(Protocol):
    """The language model of an agent."""

    async def write(
        self, task: str, data: JsonObject, output: type[Output], /, *, only: Arguments = NO_BOUNDS
    ) -> Written[Output]:
        """Return the model's answer to *task* about *data*, validated as *output*.

        The model also has the agent's instructions, and may call the tools that the agent uses. *only* names arguments
        of tools with the values that they may have, such as the request's symbol. Raises ModelError if
        there is no valid answer in the time of the request's calls, so that a handler answers without it.
        """
