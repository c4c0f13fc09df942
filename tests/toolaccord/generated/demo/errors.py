"""Errors of the system demo, one class for each code.

Generated from tests/toolaccord/contracts/demo/alarm.json, demo/counter.json, demo/desk.json,
demo/everything.json, demo/forecast.json, demo/gallery.json, demo/gate.json, demo/ledger.json,
demo/library.json, demo/mail.json, demo/museum.json, demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar

from toolaccord import ToolError


class BookNotFound(ToolError):
    """There is no such book."""

    code: ClassVar[str] = "BOOK_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, book: int) -> None:
        super().__init__(message, {"book": book})


class Bounced(ToolError):
    """The letter came back."""

    code: ClassVar[str] = "BOUNCED"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidPeriod(ToolError):
    """The period ends before it begins."""

    code: ClassVar[str] = "INVALID_PERIOD"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidReason(ToolError):
    """The reason is malformed."""

    code: ClassVar[str] = "INVALID_REASON"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidShelf(ToolError):
    """The name of the shelf is malformed."""

    code: ClassVar[str] = "INVALID_SHELF"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class LineBroken(ToolError):
    """The line is broken."""

    code: ClassVar[str] = "LINE_BROKEN"
    http: ClassVar[int] = 409
    retryable: ClassVar[bool] = False
    jsonrpc: ClassVar[int | None] = -32050

    def __init__(self, message: str, *, text: str) -> None:
        super().__init__(message, {"text": text})


class NoPaper(ToolError):
    """The paper has run out."""

    code: ClassVar[str] = "NO_PAPER"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class OnPurpose(ToolError):
    """The tool fails whenever it is called."""

    code: ClassVar[str] = "ON_PURPOSE"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class Overdrawn(ToolError):
    """The amount is too large."""

    code: ClassVar[str] = "OVERDRAWN"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class PeriodTooLong(ToolError):
    """The period is too long."""

    code: ClassVar[str] = "PERIOD_TOO_LONG"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class PieceOnLoan(ToolError):
    """The piece is in another museum."""

    code: ClassVar[str] = "PIECE_ON_LOAN"
    http: ClassVar[int] = 409
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, lent_to: str) -> None:
        super().__init__(message, {"lent_to": lent_to})


class ReasonTooLong(ToolError):
    """The reason is too long."""

    code: ClassVar[str] = "REASON_TOO_LONG"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class ShelfGone(ToolError):
    """The shelf did not answer this tool."""

    code: ClassVar[str] = "SHELF_GONE"
    http: ClassVar[int] = 503
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class TradeDisabled(ToolError):
    """The relay does not trade."""

    code: ClassVar[str] = "TRADE_DISABLED"
    http: ClassVar[int] = 403
    retryable: ClassVar[bool] = False
    jsonrpc: ClassVar[int | None] = -32003

    def __init__(self, message: str) -> None:
        super().__init__(message)
