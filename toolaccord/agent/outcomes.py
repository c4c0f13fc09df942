"""Outcomes of requests to an agent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

from toolaccord.handler import Publication
from toolaccord.json_values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A request with a result."""

    result: JsonObject
    """The result, as the contract's `output` has it."""
    missing: tuple[str, ...] = ()
    """Labels of the data without which it was made; none if the data is complete."""
    confidence_penalty: float = 0.0
    """Confidence that the result lost for them, from 0 to 1."""
    publication: Publication | None = None
    """Outcome of its events; None if it published none."""
    delivery: asyncio.Task[bool] | None = None
    """Delivery of its deferred events, which returns False if one was too old; None without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A request without a result."""

    error: str
    """A sentence for the caller, without secrets."""
    error_type: str
    """Code of a declared error, INVALID_PARAMETERS, TIMEOUT, or the class of another."""
    retries: int = 0
    """Number of calls of tools that were repeated for it."""
    retryable: bool = False
    """True if the same request may succeed later."""


Outcome: TypeAlias = Answered | Failed
