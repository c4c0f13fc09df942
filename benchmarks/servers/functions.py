"""The measured tools as typed functions, for MCPServer and FastMCP.

They are coroutines, since both run plain functions in threads, and return plain rows, which costs them least.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, cast
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from benchmarks.servers.rows import every_candle, every_strategy, page, pagination

Symbol = Annotated[str, Field(pattern="^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$", description="Trading pair e.g. ETH/USD")]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="Items to skip")]
Price = Annotated[float, Field(ge=0)]


class Parameter(TypedDict):
    """A parameter of a strategy."""

    name: str
    value: float


class Strategy(TypedDict):
    """A strategy and its score."""

    strategy_id: UUID
    name: str
    symbol: str
    score: float
    parameters: list[Parameter]
    updated_at: datetime


class Candle(TypedDict):
    """An hour of trades."""

    timestamp: datetime
    open: Price
    high: Price
    low: Price
    close: Price
    volume: Price


class Pagination(TypedDict):
    """The position of a page in the whole list."""

    offset: int
    limit: int
    total: int
    has_more: bool


class StrategiesPage(TypedDict):
    """A page of strategies, best score first."""

    items: list[Strategy]
    pagination: Pagination


class CandlesPage(TypedDict):
    """A page of candles, oldest first."""

    items: list[Candle]
    pagination: Pagination


async def top_strategies(
    symbol: Symbol,
    limit: Annotated[int, Field(ge=1, le=100, description="Strategies a page")] = 5,
    offset: Offset = 0,
    metric: Annotated[
        Literal["sharpe", "accuracy", "return"], Field(description="What ranks the strategies")
    ] = "sharpe",
) -> StrategiesPage:
    """Fetch top N strategies for a symbol ranked by performance score."""
    return cast(
        "StrategiesPage",
        {"items": page(every_strategy(), limit, offset), "pagination": pagination(every_strategy(), limit, offset)},
    )


async def candles(
    symbol: Symbol,
    limit: Annotated[int, Field(ge=1, le=10_000, description="Candles a page")] = 100,
    offset: Offset = 0,
) -> CandlesPage:
    """Fetch OHLCV candle data for a symbol."""
    return cast(
        "CandlesPage",
        {"items": page(every_candle(), limit, offset), "pagination": pagination(every_candle(), limit, offset)},
    )
