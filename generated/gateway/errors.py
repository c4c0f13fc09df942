"""Errors of the system gateway, one class for each code.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolaccord import ToolError


class InconsistentParams(ToolError):
    """Arguments do not fit each other, or the Guardian would misread one; nothing was sent."""

    code: ClassVar[str] = "INCONSISTENT_PARAMS"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False
    jsonrpc: ClassVar[int | None] = -32602

    def __init__(self, message: str, *, violations: list[dict[str, Any]]) -> None:
        super().__init__(message, {"violations": violations})


class TradeDisabled(ToolError):
    """Orders cannot be sent through this gateway."""

    code: ClassVar[str] = "TRADE_DISABLED"
    http: ClassVar[int] = 403
    retryable: ClassVar[bool] = False
    jsonrpc: ClassVar[int | None] = -32003

    def __init__(self, message: str) -> None:
        super().__init__(message)


class Unavailable(ToolError):
    """No Guardian took the request in time.

    It was not sent, unless the connection broke meanwhile.
    """

    code: ClassVar[str] = "UNAVAILABLE"
    http: ClassVar[int] = 502
    retryable: ClassVar[bool] = True
    jsonrpc: ClassVar[int | None] = -32603

    def __init__(self, message: str) -> None:
        super().__init__(message)
