"""Errors of the system moex, one class for each code.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from toolaccord import ToolError


class DateRangeTooLarge(ToolError):
    """The dates are more than 730 days apart."""

    code: ClassVar[str] = "DATE_RANGE_TOO_LARGE"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidDateRange(ToolError):
    """The last date is before the first."""

    code: ClassVar[str] = "INVALID_DATE_RANGE"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidTicker(ToolError):
    """The exchange knows no such security on this board, or the ticker is malformed."""

    code: ClassVar[str] = "INVALID_TICKER"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, ticker: str, board: str) -> None:
        super().__init__(message, {"ticker": ticker, "board": board})


class IssBadResponse(ToolError):
    """The exchange's information server answered with something that is not market data."""

    code: ClassVar[str] = "ISS_BAD_RESPONSE"
    http: ClassVar[int] = 502
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class IssTimeout(ToolError):
    """The exchange's information server did not answer in time."""

    code: ClassVar[str] = "ISS_TIMEOUT"
    http: ClassVar[int] = 504
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class IssUnavailable(ToolError):
    """The exchange's information server is unreachable or failed."""

    code: ClassVar[str] = "ISS_UNAVAILABLE"
    http: ClassVar[int] = 502
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class NoData(ToolError):
    """The security has neither a trade today nor a previous price.

    The security has no bars in this range. The exchange has no composition of the index for this date.
    """

    code: ClassVar[str] = "NO_DATA"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, ticker: str) -> None:
        super().__init__(message, {"ticker": ticker})


class RateLimited(ToolError):
    """The rate limit of the exchange, or of this server, allows no request before the deadline."""

    code: ClassVar[str] = "RATE_LIMITED"
    http: ClassVar[int] = 429
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class UnknownIndex(ToolError):
    """The index is not supported."""

    code: ClassVar[str] = "UNKNOWN_INDEX"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
