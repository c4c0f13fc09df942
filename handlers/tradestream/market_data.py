"""The tools of market-data-mcp: candles, prices and volatility, read from InfluxDB."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from generated.tradestream.errors import InsufficientData, NoData, StaleData, SymbolNotFound
from generated.tradestream.market_data.models import (
    GetCandlesRequest,
    GetCurrentPriceRequest,
    GetCurrentPriceResult,
    GetVolatilityRequest,
    GetVolatilityResult,
)
from generated.tradestream.market_data.server import MarketDataCall
from handlers.candles.store import Bar, CandleStore
from handlers.tradestream.volatility import ATR_BARS, average_true_range, deviation_of_returns, high_low_range
from toolaccord import Page, Row

COLUMNS = ("timestamp", *Bar._fields[1:])
"""The contract's names of the values of a bar."""
VOLATILITY_BARS = 100
LEAST_BARS = ATR_BARS + 1
"""A true range needs the previous close."""


async def get_candles(request: GetCandlesRequest, call: MarketDataCall) -> Page[Row]:
    """Return the newest closed candles after the offset, oldest first; rows, for their number."""
    symbol, timeframe = request.symbol, request.timeframe
    page = await CandleStore(call.influxdb).latest(symbol, timeframe, call.now, request.limit, request.offset)
    if page.total == 0:
        raise NoData(f"There are no candles of {symbol}.", symbol=symbol, timeframe=timeframe)
    return Page([dict(zip(COLUMNS, bar, strict=True)) for bar in page.items], page.total)


async def get_current_price(request: GetCurrentPriceRequest, call: MarketDataCall) -> GetCurrentPriceResult:
    """Return the newest price of a symbol, unless it is stale, and its changes."""
    symbol, stored = request.symbol, CandleStore(call.influxdb)
    quote = await stored.newest(symbol, call.now)
    if quote is None:
        raise SymbolNotFound(f"There is no price of {symbol}.", symbol=symbol)
    age, max_age_s = call.now - quote.time, call.settings.price_max_age_s
    if age > timedelta(seconds=max_age_s):
        raise StaleData(
            f"The newest price of {symbol} is older than {max_age_s} s.",
            symbol=symbol,
            timestamp=quote.time.isoformat(timespec="seconds").replace("+00:00", "Z"),
            age_s=age.total_seconds(),
            max_age_s=max_age_s,
        )
    day = await stored.day_before(symbol, quote)
    return GetCurrentPriceResult(
        price=quote.price,
        change_1h=_change(day.price_1h_ago, quote.price),
        change_24h=_change(day.price_24h_ago, quote.price),
        volume_24h=day.volume,
        timestamp=quote.time,
    )


async def get_volatility(request: GetVolatilityRequest, call: MarketDataCall) -> GetVolatilityResult:
    """Return the volatility of the last hundred closed bars of a symbol."""
    symbol, timeframe = request.symbol, request.timeframe
    bars = (await CandleStore(call.influxdb).latest(symbol, timeframe, call.now, VOLATILITY_BARS)).items
    if len(bars) < LEAST_BARS:
        raise InsufficientData(
            f"{symbol} has {len(bars)} bars of {timeframe}, and {LEAST_BARS} are needed.",
            symbol=symbol,
            available=len(bars),
        )
    return GetVolatilityResult(
        volatility=deviation_of_returns(bars),
        atr=average_true_range(bars),
        high_low_range=high_low_range(bars),
    )


async def complete_detect_patterns_symbol(call: MarketDataCall) -> Mapping[str, Sequence[str]]:
    """List the trading pairs that have candles."""
    return {symbol: () for symbol in await CandleStore(call.influxdb).symbols(call.now) if "/" in symbol}


def _change(before: float | None, price: float) -> float | None:
    """Return the change of a price as a fraction; None without a previous price."""
    return price / before - 1 if before else None
