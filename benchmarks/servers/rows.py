"""The rows of all measured servers, as a database driver returns them, made at first use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

Row = dict[str, Any]

_FIRST = datetime(2025, 9, 1, tzinfo=UTC)
_NAMES = ("MACD_CROSSOVER", "RSI_EMA_CROSSOVER", "VWAP_MEAN_REVERSION", "BOLLINGER_SQUEEZE", "ADX_STOCHASTIC")


@cache
def every_strategy() -> tuple[Row, ...]:
    """Return the strategies, best score first."""
    return tuple(
        {
            "strategy_id": UUID(int=0x0B9E21A47D0C4F9E9A525D0A4F6F1C00 + number),
            "name": name,
            "symbol": "ETH/USD",
            "score": round(1.84 - number / 7, 4),
            "parameters": (
                {"name": "shortEmaPeriod", "value": 12 + number},
                {"name": "longEmaPeriod", "value": 26 + number},
            ),
            "updated_at": _FIRST,
        }
        for number, name in enumerate(_NAMES)
    )


@cache
def every_candle() -> tuple[Row, ...]:
    """Return the candles, oldest first."""
    return tuple(
        {
            "timestamp": _FIRST + timedelta(hours=number),
            "open": 3104.25 + number / 8,
            "high": 3121.75 + number / 8,
            "low": 3098.5 + number / 8,
            "close": 3117.875 + number / 8,
            "volume": 38412.625 + number,
        }
        for number in range(10_000)
    )


def page(rows: tuple[Row, ...], limit: int, offset: int) -> tuple[Row, ...]:
    """Return the rows of a page."""
    return rows[offset : offset + limit]


def pagination(rows: tuple[Row, ...], limit: int, offset: int) -> Row:
    """Return the position of a page in the whole list."""
    return {"offset": offset, "limit": limit, "total": len(rows), "has_more": offset + limit < len(rows)}
