"""The sample data of risk-mcp: instruments, their prices, and two portfolios with limits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from sandbox.market import PAIRS, Market, random_walk

Row: TypeAlias = tuple[Any, ...]
"""The values of a row, in the order of its columns."""

DAYS = 90
"""Days of prices."""
HOUR = timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

COLUMNS: Mapping[str, Sequence[str]] = {
    "instruments": ("symbol", "correlation_group", "quantity_step"),
    "instrument_prices": ("symbol", "day", "price"),
    "portfolio_positions": ("portfolio_id", "symbol", "quantity"),
    "portfolio_limits": ("portfolio_id", "rule_name", "limit_type", "symbol", "threshold"),
}
"""The columns of each table; a table follows those that its foreign keys refer to."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """An instrument beside the pairs of the sandbox's market."""

    price: float
    """The price it moves around, in dollars."""
    volatility: float
    """The standard deviation of a day's logarithmic return."""
    group: str


QUOTED: Mapping[str, Quoted] = {
    "EURUSD": Quoted(1.0945, 0.005, "dollar"),
    "GBPUSD": Quoted(1.2634, 0.006, "dollar"),
    "SPY": Quoted(485.5, 0.010, "shares"),
    "QQQ": Quoted(389.25, 0.013, "shares"),
}
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
            *((symbol, quoted.group, Decimal(1)) for symbol, quoted in QUOTED.items()),
        ],
        "instrument_prices": [
            (symbol, day, price(market, symbol, hour)) for symbol in (*PAIRS, *QUOTED) for day, hour in _days(now)
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


def price(market: Market, symbol: str, hour: float) -> Decimal:
    """Return the price of *symbol* in dollars, *hour* hours after 1970 in UTC."""
    if symbol in PAIRS:
        return Decimal(repr(market.price(symbol, hour)))
    quoted = QUOTED[symbol]
    moved = math.exp(quoted.volatility * random_walk(market.seed, symbol, hour))
    return Decimal(f"{quoted.price * moved:.6g}")


def _days(now: datetime) -> Iterator[tuple[date, float]]:
    """Yield the last days with the hour of their last price; that of today is *now*."""
    for age in range(DAYS):
        day = now.date() - timedelta(days=age)
        end = datetime.combine(day, time(), UTC) + 24 * HOUR
        yield day, (min(end, now) - EPOCH) / HOUR
