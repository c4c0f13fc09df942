"""Errors of the system agents, one class for each code.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from toolpact import ToolError


class DatabaseError(ToolError):
    """Redis is unreachable, or did not answer in time."""

    code: ClassVar[str] = "DATABASE_ERROR"
    http: ClassVar[int] = 500
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)
