"""Errors that a tool declares, with their causes; servers and clients have them in common."""

from __future__ import annotations

from dataclasses import dataclass

from toolaccord.contract.policies import Occasion, When
from toolaccord.errors import ToolError


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """An error that a tool may answer with."""

    error: type[ToolError]
    """Its class, which has code and HTTP status."""
    when: When | None = None
    """Its cause; None if the handler raises it."""

    @property
    def occasion(self) -> Occasion | None:
        """Occasion outside the handler on which it is the answer; None for another cause."""
        return self.when.occasion if self.when else None
