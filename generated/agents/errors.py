"""Errors of the system agents, one class for each code.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from toolaccord import ToolError


class DatabaseError(ToolError):
    """Redis is unreachable, or did not answer in time."""

    code: ClassVar[str] = "DATABASE_ERROR"
    http: ClassVar[int] = 500
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class EvidenceMismatch(ToolError):
    """The signal differs from its evidence."""

    code: ClassVar[str] = "EVIDENCE_MISMATCH"
    http: ClassVar[int] = 409
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, members: str) -> None:
        super().__init__(message, {"members": members})


class EvidenceNotFound(ToolError):
    """No evidence has this id and symbol: it expired, was published, or never was."""

    code: ClassVar[str] = "EVIDENCE_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, evidence_id: str) -> None:
        super().__init__(message, {"evidence_id": evidence_id})


class InvalidSymbol(ToolError):
    """Symbol format is invalid or not supported."""

    code: ClassVar[str] = "INVALID_SYMBOL"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class RateLimited(ToolError):
    """Too much evidence was collected in the last minute."""

    code: ClassVar[str] = "RATE_LIMITED"
    http: ClassVar[int] = 429
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class SymbolNotFound(ToolError):
    """No strategies found for the given symbol."""

    code: ClassVar[str] = "SYMBOL_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, symbol: str) -> None:
        super().__init__(message, {"symbol": symbol})


class UnsupportedWords(ToolError):
    """The evidence does not support a part of the reasoning."""

    code: ClassVar[str] = "UNSUPPORTED_WORDS"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, parts: str) -> None:
        super().__init__(message, {"parts": parts})
