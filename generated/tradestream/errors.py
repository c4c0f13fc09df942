"""The errors that the servers of tradestream answer with, a class each.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar

from runtime.errors import ToolError


class DatabaseError(ToolError):
    """Database connection or query failed."""

    code: ClassVar[str] = "DATABASE_ERROR"
    http: ClassVar[int] = 500


class InvalidMetric(ToolError):
    """Specified metric is not supported."""

    code: ClassVar[str] = "INVALID_METRIC"
    http: ClassVar[int] = 400


class InvalidSymbol(ToolError):
    """Symbol format is invalid or not supported."""

    code: ClassVar[str] = "INVALID_SYMBOL"
    http: ClassVar[int] = 400


class NoActiveStrategies(ToolError):
    """No active strategies found for this symbol."""

    code: ClassVar[str] = "NO_ACTIVE_STRATEGIES"
    http: ClassVar[int] = 404

    def __init__(self, message: str, *, symbol: str) -> None:
        super().__init__(message, {"symbol": symbol})


class NoSignal(ToolError):
    """Strategy has no current signal for this symbol."""

    code: ClassVar[str] = "NO_SIGNAL"
    http: ClassVar[int] = 404

    def __init__(self, message: str, *, strategy_id: str, symbol: str) -> None:
        super().__init__(message, {"strategy_id": strategy_id, "symbol": symbol})


class StrategyNotFound(ToolError):
    """Strategy with specified ID does not exist."""

    code: ClassVar[str] = "STRATEGY_NOT_FOUND"
    http: ClassVar[int] = 404

    def __init__(self, message: str, *, strategy_id: str) -> None:
        super().__init__(message, {"strategy_id": strategy_id})


class SymbolNotFound(ToolError):
    """No strategies found for the given symbol."""

    code: ClassVar[str] = "SYMBOL_NOT_FOUND"
    http: ClassVar[int] = 404

    def __init__(self, message: str, *, symbol: str) -> None:
        super().__init__(message, {"symbol": symbol})
