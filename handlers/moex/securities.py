"""Securities of the exchange: asking ISS for one, its price, and its change since the previous trading day."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from generated.moex.errors import InvalidTicker, IssBadResponse, IssTimeout, NoData
from handlers.moex.tables import Row, first_row, number, text
from runtime.sources.http import Http, HttpBadResponse, HttpTimeout

MOSCOW = timezone(timedelta(hours=3), "MSK")
"""The exchange's clock; no daylight saving since 2014."""
SECURITIES = ("SECID", "BOARDID", "PREVPRICE", "DECIMALS")
MARKETDATA = (
    *("LAST", "LCURRENTPRICE", "MARKETPRICE", "CHANGE", "LASTTOPREVPRICE"),
    *("OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY", "SYSTIME"),
)
PRICES = ("LAST", "LCURRENTPRICE", "MARKETPRICE", "PREVPRICE")
"""Where a price is looked for, the best first: last trade, current price, market price, previous trading day."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A price in the currency of the security, and its change since the previous trading day."""

    field: str
    """The column of the exchange that served, one of PRICES."""
    last: float
    change: float
    change_pct: float
    """In percent."""


async def quotation(iss: Http, ticker: str, board: str) -> Row:
    """Return what the exchange says of *ticker* on *board*: the columns SECURITIES and MARKETDATA.

    Raises InvalidTicker, NoData, IssTimeout, IssBadResponse, and HttpUnavailable.
    """
    unknown = InvalidTicker(f"The exchange knows no {ticker} on the board {board}.", ticker=ticker, board=board)
    if not NAME.fullmatch(ticker) or not NAME.fullmatch(board):
        raise unknown
    document = await _ask(iss, f"engines/stock/markets/shares/boards/{board}/securities/{ticker}.json")
    security = first_row(document, "securities", SECURITIES)
    market = first_row(document, "marketdata", MARKETDATA)
    if security is None:
        raise unknown
    if market is None:
        raise NoData(f"The exchange has no market data of {ticker} on {board}.", ticker=ticker, board=board)
    return market | security


def price(row: Row) -> Price | None:
    """Return the price of a quotation; None where the exchange has no price, or none of the previous day to compare it with."""
    for field in PRICES:
        if (last := number(row, field)) is not None:
            change = _change(row, field, last)
            return None if change is None else Price(field=field, last=last, change=change[0], change_pct=change[1])
    return None


def moscow_time(row: Row) -> datetime:
    """Return the exchange's time of a quotation, aware."""
    try:
        return datetime.strptime(text(row, "SYSTIME"), "%Y-%m-%d %H:%M:%S").replace(tzinfo=MOSCOW)
    except ValueError as exc:
        raise IssBadResponse("The exchange's column SYSTIME holds something that is no time.") from exc


def volatility_pct(row: Row) -> float | None:
    """Return the range of the day in percent of its opening price; None where an operand is missing or the opening price is 0."""
    opened, high, low = number(row, "OPEN"), number(row, "HIGH"), number(row, "LOW")
    if high is None or low is None or not opened:
        return None
    return (high - low) / opened * 100


def _change(row: Row, field: str, last: float) -> tuple[float, float] | None:
    """Return the change of *last*, absolute and in percent: the exchange's own for the last trade, else from PREVPRICE."""
    change, change_pct = number(row, "CHANGE"), number(row, "LASTTOPREVPRICE")
    if field == "LAST" and change is not None and change_pct is not None:
        return change, change_pct
    if not (previous := number(row, "PREVPRICE")):
        return None
    decimals = number(row, "DECIMALS")
    exact = last - previous
    return round(exact, 2 if decimals is None else int(decimals)), round(exact / previous * 100, 2)


async def _ask(iss: Http, path: str) -> object:
    """Return the JSON at *path*: the two blocks, the columns that are read, no metadata."""
    query = {
        "iss.meta": "off",
        "iss.only": "securities,marketdata",
        "securities.columns": ",".join(SECURITIES),
        "marketdata.columns": ",".join(MARKETDATA),
    }
    try:
        return await iss.get_json(path, query)
    except HttpTimeout as exc:
        raise IssTimeout("The exchange did not answer in time.") from exc
    except HttpBadResponse as exc:
        raise IssBadResponse("The exchange answered with something that is not JSON.") from exc
