"""Handlers of the measured toolpact server: each call answers with rows as they are, like the tools of the others."""

from benchmarks.served.rows import CANDLES, STRATEGIES, page
from measured.bench.market.models import CandlesRequest, TopStrategiesRequest
from measured.bench.market.server import MarketCall
from runtime.pagination import Page, Row


async def top_strategies(request: TopStrategiesRequest, _call: MarketCall) -> Page[Row]:
    """The best strategies of a symbol."""
    return Page(page(STRATEGIES, request.limit, request.offset), len(STRATEGIES))


async def candles(request: CandlesRequest, _call: MarketCall) -> Page[Row]:
    """The candles of a symbol."""
    return Page(page(CANDLES, request.limit, request.offset), len(CANDLES))
