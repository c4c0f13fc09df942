"""Arguments of backtest.submit."""

from typing import Any

STRATEGY: dict[str, Any] = {"name": "t", "sma_short": 1, "sma_long": 2, "sl": 0.5, "tp": 1, "volume": 0.01}
"""The required members of a strategy."""
CANDLES: list[dict[str, Any]] = [{"t": 60 * number, "o": 1, "h": 2, "l": 0.5, "c": 1.5} for number in range(1, 3)]
"""Two candles."""
FILTER: dict[str, Any] = {
    "filter_enabled": True,
    "filter_tf": "h1",
    "filter_period": 20,
    "filter_logic": "PRICE_ABOVE_SMA",
}
"""The members of an enabled filter."""


def make_result(request_id: str, **figures: float) -> bytes:
    """Return the message of a result."""
    members = {"strategy_name": '"n"', "request_id": f'"{request_id}"', "sharpe": 0.85, **figures}
    pairs = " ".join(f"({name} . {value})" for name, value in members.items())
    return f'((type . "BACKTEST_RESULT") (result . ({pairs})))'.encode()
