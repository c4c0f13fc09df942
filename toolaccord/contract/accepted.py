"""Accepted findings about a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from toolaccord.contract.constraints import Constraint
from toolaccord.contract.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFile:
    """Accepted findings about a contract: <server>.accepted.json beside <server>.json."""

    keywords: ClassVar[Mapping[str, Any]] = {
        "title": "toolaccord accepted findings",
        "properties": {"$schema": {"type": "string", "description": "Path of this schema."}},
    }

    accepted: tuple[AcceptedFinding, ...]
    """One entry for each finding. An entry that matches no finding is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFinding:
    """An accepted finding with its reason."""

    rule: str
    """Id of the finding's rule."""
    fingerprint: Annotated[str, Constraint(pattern=r"^[0-9a-f]{12}$")]
    """Fingerprint of the finding."""
    reason: Text
    """Reason for accepting it, for later readers."""
    date: Annotated[str, Constraint(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """Date of acceptance."""
