"""Handlers of a second measured toolaccord server, which make a Pydantic record of each row."""

from benchmarks.servers.rows import every_candle, every_strategy, page
from measured.bench.market.models import Candle, CandlesRequest, Strategy, TopStrategiesRequest
from measured.bench.market.server import MarketCall
from toolaccord import Page


async def top_strategies(request: TopStrategiesRequest, _call: MarketCall) -> Page[Strategy]:
    """Return the best strategies of a symbol."""
    return Page(
        [Strategy(**row) for row in page(every_strategy(), request.limit, request.offset)], len(every_strategy())
    )


async def candles(request: CandlesRequest, _call: MarketCall) -> Page[Candle]:
    """Return the candles of a symbol."""
    return Page([Candle(**row) for row in page(every_candle(), request.limit, request.offset)], len(every_candle()))
