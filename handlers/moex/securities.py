"""Securities of the exchange today: what ISS says of one or of a whole board, its price, and its change since the previous day."""

from dataclasses import dataclass

from generated.moex.errors import NoData
from handlers.moex.exchange import ask, name_checked, unknown
from handlers.moex.tables import Number, Row, number, rows, text
from toolpact.sources.http import Http

SECURITIES = ("SECID", "BOARDID", "PREVPRICE", "DECIMALS")
MARKETDATA = (
    *("SECID", "LAST", "LCURRENTPRICE", "MARKETPRICE", "CHANGE", "LASTTOPREVPRICE"),
    *("OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY", "SYSTIME"),
)
PRICES = ("LAST", "LCURRENTPRICE", "MARKETPRICE", "PREVPRICE")
"""Where a price is looked for, the best first: last trade, current price, market price, previous trading day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of a price since the previous trading day."""

    absolute: Number
    """In the currency of the security."""
    pct: Number
    """In percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A price in the currency of the security."""

    field: str
    """The column of the exchange that served, one of PRICES."""
    last: Number
    change: Change | None
    """None where there is no previous price to compare it with."""


async def quotation(iss: Http, ticker: str, board: str) -> Row:
    """Return what the exchange says of *ticker* on *board*: the columns SECURITIES and MARKETDATA.

    Raises InvalidTicker, NoData, IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    name_checked(ticker, board)
    found = await _quotations(iss, f"engines/stock/markets/shares/boards/{board}/securities/{ticker}.json")
    if not found:
        raise unknown(ticker, board)
    if "SYSTIME" not in found[0]:
        raise NoData(f"The exchange has no market data of {ticker} on {board}.", ticker=ticker)
    return found[0]


async def quotations(iss: Http, board: str) -> dict[str, Row]:
    """Return what the exchange says of every security of *board*, by ticker; raises as `quotation` does."""
    found = await _quotations(iss, f"engines/stock/markets/shares/boards/{board}/securities.json")
    return {text(row, "SECID"): row for row in found}


def price(row: Row) -> Price | None:
    """Return the price of a quotation; None where the exchange has none."""
    for field in PRICES:
        if (last := number(row, field)) is not None:
            return Price(field=field, last=last, change=_change(row, field, last))
    return None


def _change(row: Row, field: str, last: Number) -> Change | None:
    """Return the change of *last*: the exchange's own for the last trade, else from PREVPRICE."""
    change, change_pct = number(row, "CHANGE"), number(row, "LASTTOPREVPRICE")
    if field == "LAST" and change is not None and change_pct is not None:
        return Change(absolute=change, pct=change_pct)
    if not (previous := number(row, "PREVPRICE")):
        return None
    decimals = number(row, "DECIMALS")
    exact = last - previous
    return Change(absolute=round(exact, 2 if decimals is None else int(decimals)), pct=round(exact / previous * 100, 2))


async def _quotations(iss: Http, path: str) -> list[Row]:
    """Return the securities at *path*, each with its market data where there are any."""
    document = await ask(iss, path, {"securities": SECURITIES, "marketdata": MARKETDATA})
    market = {text(row, "SECID"): row for row in rows(document, "marketdata", ("SECID", "SYSTIME"))}
    securities = rows(document, "securities", ("SECID", "BOARDID"))
    return [market.get(text(row, "SECID"), {}) | row for row in securities]
