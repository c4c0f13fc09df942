"""Handlers of the measured toolaccord server, which return plain rows."""

from benchmarks.servers.rows import every_candle, every_strategy, page
from measured.bench.market.models import CandlesRequest, TopStrategiesRequest
from measured.bench.market.server import MarketCall
from toolaccord import Page, Row


async def top_strategies(request: TopStrategiesRequest, _call: MarketCall) -> Page[Row]:
    """Return the best strategies of a symbol."""
    return Page(page(every_strategy(), request.limit, request.offset), len(every_strategy()))


async def candles(request: CandlesRequest, _call: MarketCall) -> Page[Row]:
    """Return the candles of a symbol."""
    return Page(page(every_candle(), request.limit, request.offset), len(every_candle()))
