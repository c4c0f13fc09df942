"""Types of an agent's call record."""

from __future__ import annotations

from typing import Any, Protocol

from toolpact.client.declarations import RemoteTool


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
