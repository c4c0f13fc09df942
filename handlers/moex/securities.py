"""Securities of the exchange today: what ISS says of one or of a whole board, its price, and its change since the previous day."""

from dataclasses import dataclass

from generated.moex.errors import NoData
from handlers.moex.exchange import ask, name_checked, unknown
from handlers.moex.tables import Number, Row, number, rows, text
from toolpact.sources.http import Http

SECURITIES = ("SECID", "BOARDID", "PREVPRICE", "DECIMALS")
MARKETDATA = (
    *("SECID", "LAST", "CHANGE", "LASTTOPREVPRICE"),
    *("OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY_RUR", "SYSTIME"),
)
LAST, PREVIOUS = "LAST", "PREVPRICE"
"""The columns of the last trade today and of the last price before today.

MARKETPRICE is a price of the previous day and LCURRENTPRICE is no trade: neither says anything of today.
"""


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
    """The column of the exchange that holds it: LAST or PREVIOUS."""
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
    """Return the price of a quotation; None where the exchange has none.

    Without a trade today it is the previous price, and the change is 0. Raises IssBadResponse.
    """
    previous = number(row, PREVIOUS)
    if (last := number(row, LAST)) is not None:
        return Price(field=LAST, last=last, change=_change(row, last, previous))
    return Price(field=PREVIOUS, last=previous, change=Change(absolute=0, pct=0)) if previous else None


def _change(row: Row, last: Number, previous: Number | None) -> Change | None:
    """Return the change of the last trade: the exchange's own, else computed from the *previous* price."""
    change, change_pct = number(row, "CHANGE"), number(row, "LASTTOPREVPRICE")
    if change is not None and change_pct is not None:
        return Change(absolute=change, pct=change_pct)
    if not previous:
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
