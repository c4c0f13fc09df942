"""Errors that a tool declares, with their causes; servers and clients have them in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolaccord.errors import ToolError

Occasion: TypeAlias = Literal["source", "deadline", "conflict", "rate_limit", "overload"]


@dataclass(frozen=True, slots=True)
class At:
    """An error for arguments that break the contract at one of these places."""

    pointers: tuple[str, ...]
    """JSON pointers into the arguments; each includes everything below it."""
    keyword: str | None = None
    """The only schema keyword that counts; None for all."""


@dataclass(frozen=True, slots=True)
class On:
    """An error on an occasion outside the handler."""

    occasion: Occasion
    """The occasion."""


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """An error that a tool may answer with."""

    error: type[ToolError]
    """Its class, which has code and HTTP status."""
    when: At | On | None = None
    """Its cause; None if the handler raises it."""
