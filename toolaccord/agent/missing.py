"""Data without which a request is answered."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from toolaccord.agent.declarations import Use
from toolaccord.client.declarations import RemoteTool
from toolaccord.contract.agents import IfMissing


class MissingLabels:
    """The missing data of one request; each label counts once."""

    def __init__(self, uses: Iterable[Use]) -> None:
        self._effects = {each.tool: each.if_missing for use in uses for each in use.tools if each.if_missing}
        self._missing: dict[str, IfMissing] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the missing data, each once, in the order in which they were added."""
        return tuple(self._missing)

    @property
    def confidence_penalty(self) -> float:
        """Sum of the labels' penalties, from 0 to 1."""
        penalties = (Decimal(str(effect.confidence_penalty)) for effect in self._missing.values())
        return min(1.0, float(sum(penalties)))  # 0.2 + 0.1 is 0.3, as the contract writes them

    def add(self, tool: RemoteTool[Any, Any], /) -> None:
        """Add the label of *tool*, whose result could not be had.

        Raises LookupError for a tool without `if_missing`.
        """
        effect = self._effects[tool]
        self._missing.setdefault(effect.label, effect)
