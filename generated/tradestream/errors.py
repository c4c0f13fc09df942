"""Errors of the system tradestream, one class for each code.

Generated from contracts/tradestream/backtest.json, tradestream/decisions.json, tradestream/market_data.json,
tradestream/portfolio.json, tradestream/strategy.json, tradestream/strategy_db.json; do not edit. Regenerate
with `nox -s generate`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolaccord import ToolError


class AccountNotFound(ToolError):
    """Trading account not found."""

    code: ClassVar[str] = "ACCOUNT_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, account_id: str) -> None:
        super().__init__(message, {"account_id": account_id})


class BacktestTimeout(ToolError):
    """Backtest execution exceeded time limit."""

    code: ClassVar[str] = "BACKTEST_TIMEOUT"
    http: ClassVar[int] = 504
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class BacktesterUnavailable(ToolError):
    """Backtester service connection failed."""

    code: ClassVar[str] = "GRPC_ERROR"
    http: ClassVar[int] = 502
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class DatabaseError(ToolError):
    """Database connection or query failed. InfluxDB connection or query failed."""

    code: ClassVar[str] = "DATABASE_ERROR"
    http: ClassVar[int] = 500
    retryable: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)


class DuplicateName(ToolError):
    """A spec with this name already exists."""

    code: ClassVar[str] = "DUPLICATE_NAME"
    http: ClassVar[int] = 409
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, violations: list[dict[str, Any]]) -> None:
        super().__init__(message, {"violations": violations})


class InsufficientBalance(ToolError):
    """Account balance insufficient for trade."""

    code: ClassVar[str] = "INSUFFICIENT_BALANCE"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, notional: float, available_balance: float, max_size: float) -> None:
        super().__init__(message, {"notional": notional, "available_balance": available_balance, "max_size": max_size})


class InsufficientData(ToolError):
    """Not enough historical data for the specified range.

    Not enough data points to calculate volatility.
    """

    code: ClassVar[str] = "INSUFFICIENT_DATA"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, symbol: str, available: int) -> None:
        super().__init__(message, {"symbol": symbol, "available": available})


class InvalidAction(ToolError):
    """Action filter must be BUY, SELL, or HOLD. Action must be BUY, SELL, or HOLD."""

    code: ClassVar[str] = "INVALID_ACTION"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidConditions(ToolError):
    """Entry or exit conditions are malformed."""

    code: ClassVar[str] = "INVALID_CONDITIONS"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, violations: list[dict[str, Any]]) -> None:
        super().__init__(message, {"violations": violations})


class InvalidConfidence(ToolError):
    """Confidence must be between 0 and 1."""

    code: ClassVar[str] = "INVALID_CONFIDENCE"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidDateRange(ToolError):
    """Start date must be before end date."""

    code: ClassVar[str] = "INVALID_DATE_RANGE"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidIndicators(ToolError):
    """One or more indicators are not recognized."""

    code: ClassVar[str] = "INVALID_INDICATORS"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, violations: list[dict[str, Any]]) -> None:
        super().__init__(message, {"violations": violations})


class InvalidMetric(ToolError):
    """Specified metric is not supported."""

    code: ClassVar[str] = "INVALID_METRIC"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidName(ToolError):
    """Spec name is missing or invalid."""

    code: ClassVar[str] = "INVALID_NAME"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidPeriod(ToolError):
    """Specified period is not supported."""

    code: ClassVar[str] = "INVALID_PERIOD"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidSide(ToolError):
    """Trade side must be BUY or SELL."""

    code: ClassVar[str] = "INVALID_SIDE"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidSize(ToolError):
    """Trade size must be positive."""

    code: ClassVar[str] = "INVALID_SIZE"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidSource(ToolError):
    """Source filter must be CANONICAL, LLM_GENERATED, or ALL."""

    code: ClassVar[str] = "INVALID_SOURCE"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidStatus(ToolError):
    """Status filter is not valid."""

    code: ClassVar[str] = "INVALID_STATUS"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidSymbol(ToolError):
    """Symbol format is invalid or not supported."""

    code: ClassVar[str] = "INVALID_SYMBOL"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InvalidTimeframe(ToolError):
    """Specified timeframe is not supported."""

    code: ClassVar[str] = "INVALID_TIMEFRAME"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class NoActiveStrategies(ToolError):
    """No active strategies found for this symbol."""

    code: ClassVar[str] = "NO_ACTIVE_STRATEGIES"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, symbol: str) -> None:
        super().__init__(message, {"symbol": symbol})


class NoData(ToolError):
    """No candle data available."""

    code: ClassVar[str] = "NO_DATA"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, symbol: str, timeframe: str) -> None:
        super().__init__(message, {"symbol": symbol, "timeframe": timeframe})


class NoPerformanceData(ToolError):
    """No performance data available for this strategy."""

    code: ClassVar[str] = "NO_PERFORMANCE_DATA"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, strategy_id: str) -> None:
        super().__init__(message, {"strategy_id": strategy_id})


class NoSignal(ToolError):
    """Strategy has no current signal for this symbol."""

    code: ClassVar[str] = "NO_SIGNAL"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, strategy_id: str, symbol: str) -> None:
        super().__init__(message, {"strategy_id": strategy_id, "symbol": symbol})


class ReasoningTooLong(ToolError):
    """Reasoning exceeds maximum length."""

    code: ClassVar[str] = "REASONING_TOO_LONG"
    http: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)


class SchemaValidationError(ToolError):
    """Spec does not conform to required schema."""

    code: ClassVar[str] = "SCHEMA_VALIDATION_ERROR"
    http: ClassVar[int] = 422
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, violations: list[dict[str, Any]]) -> None:
        super().__init__(message, {"violations": violations})


class SpecNotFound(ToolError):
    """Strategy spec with specified ID does not exist."""

    code: ClassVar[str] = "SPEC_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, spec_id: str) -> None:
        super().__init__(message, {"spec_id": spec_id})


class StaleData(ToolError):
    """Price data is older than acceptable threshold."""

    code: ClassVar[str] = "STALE_DATA"
    http: ClassVar[int] = 503
    retryable: ClassVar[bool] = True

    def __init__(self, message: str, *, symbol: str, timestamp: str, age_s: float, max_age_s: int) -> None:
        super().__init__(message, {"symbol": symbol, "timestamp": timestamp, "age_s": age_s, "max_age_s": max_age_s})


class StrategyNotFound(ToolError):
    """Strategy with specified ID does not exist."""

    code: ClassVar[str] = "STRATEGY_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, strategy_id: str) -> None:
        super().__init__(message, {"strategy_id": strategy_id})


class SymbolNotFound(ToolError):
    """No price data available for the symbol. No strategies found for the given symbol."""

    code: ClassVar[str] = "SYMBOL_NOT_FOUND"
    http: ClassVar[int] = 404
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, symbol: str) -> None:
        super().__init__(message, {"symbol": symbol})


class Unauthorized(ToolError):
    """Not authorized to access portfolio data. Not authorized to access balance data."""

    code: ClassVar[str] = "UNAUTHORIZED"
    http: ClassVar[int] = 401
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
