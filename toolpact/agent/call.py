"""Types of an agent's call record."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from toolpact.client.declarations import RemoteTool
from toolpact.json_values import JsonObject

Output = TypeVar("Output", bound=BaseModel)


class MissingData(Protocol):
    """The data without which a request is answered."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the missing data, each once, in the order in which they were added."""

    @property
    def confidence_penalty(self) -> float:
        """Sum of the labels' penalties, from 0."""

    def add(self, tool: RemoteTool[Any, Any], /) -> None:
        """Add the label of *tool*, whose result could not be had.

        Raises LookupError for a tool without `if_missing`.
        """


class LanguageModel(Protocol):
    """The language model of an agent, for one request or many."""

    async def write(self, task: str, data: JsonObject, output: type[Output], /) -> Output:
        """Return the model's answer to *task* about *data*, validated as *output*.

        The model also has the agent's instructions, and may call the tools that the agent uses. Raises ModelError if there
        is no valid answer in time, so that a handler answers without it.
        """
