"""The errors a handler or a source may raise, and what each means to the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ToolError(Exception):
    """An error that a contract declares; the generated classes of a system derive from it.

    *message* is a sentence for the caller; *details* are values for a machine. Both are sent.
    """

    code: ClassVar[str]
    http: ClassVar[int]

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class SourceError(Exception):
    """A source did not answer. The text is for the log alone and never reaches the caller."""


class UnknownTool(LookupError):
    """A call named a tool that the server does not have."""
