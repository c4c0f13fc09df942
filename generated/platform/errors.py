"""Errors of the system platform, one class for each code.

Generated from contracts/platform/execution.json, platform/features.json, platform/risk.json,
platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from toolaccord import ToolError


class BackendUnavailable(ToolError):
    """NATS did not acknowledge the alert; it may be published.

    Redis is unreachable, or did not answer in time. Redis is unreachable, or did not answer in time; the value
    may be stored.
    """

    code: ClassVar[str] = "MCP-003"
    http: ClassVar[int] = 503
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InsufficientData(ToolError):
    """Too few candles exist before the time to estimate the market.

    The window holds no closed bar, or a feature needs more bars than exist. No tick of the symbol arrived in
    these minutes.
    """

    code: ClassVar[str] = "MCP-010"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, available: int, required: int) -> None:
        super().__init__(message, {"available": available, "required": required})


class InsufficientLiquidity(ToolError):
    """The market does not take the quantity within an hour."""

    code: ClassVar[str] = "MCP-012"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, max_qty: float) -> None:
        super().__init__(message, {"max_qty": max_qty})


class InvalidArguments(ToolError):
    """An argument is invalid, does not belong to the type of order, or lies in the future.

    An argument is invalid, or the window holds no whole bar or more than 1440. An argument is invalid, a position
    has no symbol as its name, or there are more than 500 of them.
    """

    code: ClassVar[str] = "MCP-001"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message, {"field": field})


class MissingConfiguration(ToolError):
    """The portfolio has no limits, or an instrument has no prices."""

    code: ClassVar[str] = "MCP-011"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, missing: str, name: str) -> None:
        super().__init__(message, {"missing": missing, "name": name})


class StorageQuotaExceeded(ToolError):
    """The value is larger than 1 MiB, or the memory of Redis is full; nothing was stored."""

    code: ClassVar[str] = "MCP-014"
    http: ClassVar[int] = 507
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, size_bytes: int) -> None:
        super().__init__(message, {"size_bytes": size_bytes})


class UnreadableState(ToolError):
    """Another program stored under the key what is no JSON of at most 1 MiB; set the key again."""

    code: ClassVar[str] = "MCP-016"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(message, {"key": key})
