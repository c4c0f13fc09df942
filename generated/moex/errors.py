"""The errors that the servers of moex answer with, a class each.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from runtime.errors import ToolError


class InvalidTicker(ToolError):
    """The exchange knows no such security on this board, or the ticker is malformed."""

    code: ClassVar[str] = "INVALID_TICKER"
    http: ClassVar[int] = 400

    def __init__(self, message: str, *, ticker: str, board: str) -> None:
        super().__init__(message, {"ticker": ticker, "board": board})


class IssBadResponse(ToolError):
    """The exchange's information server answered with something that is not market data."""

    code: ClassVar[str] = "ISS_BAD_RESPONSE"
    http: ClassVar[int] = 502

    def __init__(self, message: str) -> None:
        super().__init__(message)


class IssTimeout(ToolError):
    """The exchange's information server did not answer in time."""

    code: ClassVar[str] = "ISS_TIMEOUT"
    http: ClassVar[int] = 504

    def __init__(self, message: str) -> None:
        super().__init__(message)


class IssUnavailable(ToolError):
    """The exchange's information server could not be reached or failed."""

    code: ClassVar[str] = "ISS_UNAVAILABLE"
    http: ClassVar[int] = 502

    def __init__(self, message: str) -> None:
        super().__init__(message)


class NoData(ToolError):
    """The security has neither a trade today nor a previous price."""

    code: ClassVar[str] = "NO_DATA"
    http: ClassVar[int] = 404

    def __init__(self, message: str, *, ticker: str, board: str) -> None:
        super().__init__(message, {"ticker": ticker, "board": board})
