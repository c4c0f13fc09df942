"""Daily and hourly candles of a security."""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from generated.moex.errors import IssBadResponse, NoData
from generated.moex.iss.models import GetOhlcvTimeseriesResultDataItem as Candle
from handlers.moex.exchange import Pages, Query, check_names, fetch_blocks, fetch_pages, unknown_security
from handlers.moex.moscow import read_moscow_time
from handlers.moex.tables import Row, read_amount, read_rows, read_text
from toolaccord import Progress
from toolaccord.sources.http import Http

PRICES = ("open", "high", "low", "close")
COLUMNS = (*PRICES, "volume", "value", "begin")
INTERVALS = {"1d": 24, "1h": 60}
"""The exchange's number of each interval."""
PAGES = Pages(block="candles", columns=COLUMNS, needed=(*PRICES, "begin"), length=500)


async def fetch_candles(
    iss: Http, ticker: str, board: str, interval: str, days: tuple[date, date], *, progress: Progress
) -> list[Candle]:
    """Return the candles of *ticker* on *board* in the *days*, first and last included.

    There is at least one. Reports the number of rows read to *progress*; ISS does not give their total.

    Raises InvalidTicker, NoData, IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    check_names(ticker, board)
    first, last = (day.isoformat() for day in days)
    path = f"engines/stock/markets/shares/boards/{board}/securities/{ticker}/candles.json"
    query: Query = {"from": first, "till": last, "interval": INTERVALS[interval]}
    found = await fetch_pages(iss, path, PAGES, query, progress)
    traded = [candle for row in found if (candle := _candle(row)) is not None]
    if not traded:
        raise await _no_candles_error(iss, ticker, board, f"from {first} to {last}")
    return _check_times(traded, days)


def _candle(row: Row) -> Candle | None:
    """Return a row as a candle; None where nothing was traded."""
    opened, high, low, close = (read_amount(row, column) for column in PRICES)
    if opened is None or high is None or low is None or close is None:
        return None
    return Candle(
        ts=read_moscow_time(row, "begin"),
        open=opened,
        high=high,
        low=low,
        close=close,
        volume=read_amount(row, "volume"),
        value=read_amount(row, "value"),
    )


def _check_times(found: list[Candle], days: tuple[date, date]) -> list[Candle]:
    """Return *found*, which must be in order and of the *days*. Raises IssBadResponse."""
    if any(earlier.ts >= later.ts for earlier, later in pairwise(found)):
        raise IssBadResponse("The exchange's candles are not in order.")
    first, last = days
    if found[0].ts.date() < first or last < found[-1].ts.date():
        raise IssBadResponse("The exchange's candles are not all of the requested days.")
    return found


async def _no_candles_error(iss: Http, ticker: str, board: str, when: str) -> Exception:
    """Return the error for no candles: the security is unknown on this board, or was not traded."""
    document = await fetch_blocks(iss, f"securities/{ticker}.json", {"boards": ("secid", "boardid")})
    if board not in _boards(read_rows(document, "boards", ("boardid",))):
        return unknown_security(ticker, board)
    return NoData(f"{ticker} was not traded on {board} {when}.", ticker=ticker)


def _boards(found: Sequence[Row]) -> set[str]:
    return {read_text(row, "boardid") for row in found}
