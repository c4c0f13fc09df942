"""The sample data of risk-mcp: instruments, their prices, and two portfolios with limits."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from sandbox.market import INSTRUMENTS, PAIRS, WEEKDAY_INSTRUMENTS, Market

Row: TypeAlias = tuple[Any, ...]
"""The values of a row, in the order of its columns."""

DAYS = 120
"""Days of prices, of which five sevenths have one of an instrument that rests at weekends."""
HOUR = timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

COLUMNS: Mapping[str, Sequence[str]] = {
    "instruments": ("symbol", "correlation_group", "quantity_step"),
    "instrument_prices": ("symbol", "day", "price"),
    "portfolio_positions": ("portfolio_id", "symbol", "quantity"),
    "portfolio_limits": ("portfolio_id", "rule_name", "limit_type", "symbol", "threshold"),
}
"""The columns of each table; a table follows those that its foreign keys refer to."""


GROUPS: Mapping[str, str] = {"EURUSD": "dollar", "GBPUSD": "dollar", "AAPL": "shares", "SPY": "shares", "QQQ": "shares"}
"""The correlation group of each instrument that rests at weekends."""
PORTFOLIOS = ("momentum_v2", "port_123")
"""The strategy and the portfolio of the platform's documentation; both hold the same."""
HELD: Mapping[str, str] = {
    "EURUSD": "15000",
    "GBPUSD": "-10000",
    "BTC/USD": "0.35",
    "ETH/USD": "6",
    "SOL/USD": "60",
    "SPY": "40",
    "QQQ": "30",
}
"""Units of each instrument in each portfolio."""
LIMITS: Sequence[tuple[str, str, str | None, str]] = (
    ("position_limit_per_symbol", "position_limit_per_symbol", None, "1000"),
    ("position_limit_eurusd", "position_limit_per_symbol", "EURUSD", "40000"),
    ("position_limit_gbpusd", "position_limit_per_symbol", "GBPUSD", "40000"),
    ("max_position_value", "max_position_value", None, "50000"),
    ("max_total_exposure", "max_total_exposure", None, "200000"),
    ("max_concentration", "max_concentration", None, "0.3"),
    ("max_correlated_exposure", "max_correlated_exposure", None, "100000"),
    ("max_value_at_risk", "max_value_at_risk", None, "5000"),
)
"""Name, type, symbol and threshold of each limit, in dollars where it is an amount."""


def build_sample(seed: int, now: datetime) -> Mapping[str, Sequence[Row]]:
    """Return the rows of each table at *now*, in the order of COLUMNS; a pure function of both."""
    market = Market(seed)
    return {
        "instruments": [
            *((symbol, "crypto", Decimal("0.0001")) for symbol in PAIRS),
            *((symbol, GROUPS[symbol], Decimal(1)) for symbol in WEEKDAY_INSTRUMENTS),
        ],
        "instrument_prices": [
            (symbol, day, Decimal(repr(market.price(symbol, hour))))
            for symbol, instrument in INSTRUMENTS.items()
            for day, hour in _days(now)
            if instrument.is_traded_on((day - EPOCH.date()).days)
        ],
        "portfolio_positions": [
            (portfolio, symbol, Decimal(units)) for portfolio in PORTFOLIOS for symbol, units in HELD.items()
        ],
        "portfolio_limits": [
            (portfolio, name, kind, symbol, Decimal(threshold))
            for portfolio in PORTFOLIOS
            for name, kind, symbol, threshold in LIMITS
        ],
    }


def _days(now: datetime) -> Iterator[tuple[date, float]]:
    """Yield the last days with the hour of their last price; that of today is *now*."""
    for age in range(DAYS):
        day = now.date() - timedelta(days=age)
        end = datetime.combine(day, time(), UTC) + 24 * HOUR
        yield day, (min(end, now) - EPOCH) / HOUR
