"""Quotations of securities, their prices, and the changes since the previous day."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from generated.moex.errors import IssBadResponse, NoData
from handlers.moex.exchange import check_names, fetch_blocks, unknown_security
from handlers.moex.moscow import read_day
from handlers.moex.tables import Number, Row, read_amount, read_number, read_rows, read_text
from toolaccord.json_values import JsonObject
from toolaccord.sources.http import Http

ShareClass: TypeAlias = Literal["ordinary", "preferred", "other"]

SECURITIES = ("SECID", "BOARDID", "PREVPRICE", "PREVDATE", "CURRENCYID", "DECIMALS")
MARKETDATA = (
    *("SECID", "LAST", "CHANGE", "LASTTOPREVPRICE"),
    *("OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY_RUR", "SYSTIME"),
)
NAMES = ("SECID", "SHORTNAME", "SECNAME", "LATNAME")
SHARE_CLASSES: Mapping[str, ShareClass] = {"1": "ordinary", "2": "preferred"}
"""Values of SECTYPE; all others are neither."""
MAX_DECIMALS = 12
ROUBLE, EXCHANGES_ROUBLE = "RUB", "SUR"
"""The rouble in ISO 4217, and in the codes of the exchange, which has no other of its own."""
LAST, PREVIOUS = "LAST", "PREVPRICE"
"""The columns of the last trade today and of the last price before today.

MARKETPRICE is a price of the previous day, and LCURRENTPRICE is not a trade.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of a price since the previous trading day."""

    absolute: Number
    """In the currency of the security."""
    pct: Number
    """In percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A security of a board."""

    ticker: str
    share_class: ShareClass
    names: list[str]
    """In Russian and English, as the exchange writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A price in the currency of the security."""

    field: str
    """The column of the exchange that holds it: LAST or PREVIOUS."""
    last: Number
    change: Change | None
    """None where there is no previous price to compare it with."""


async def fetch_quotation(iss: Http, ticker: str, board: str) -> Row:
    """Return the columns SECURITIES and MARKETDATA of *ticker* on *board*.

    While requests wait for a slot, they come from the whole board, whose table serves all who wait for it. Only a
    request of its own shows that a security does not exist.

    Raises InvalidTicker, NoData, IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    check_names(ticker, board)
    row = (await fetch_quotations(iss, board)).get(ticker) if iss.is_queueing else None
    if row is None:
        found = await _fetch_rows(iss, f"engines/stock/markets/shares/boards/{board}/securities/{ticker}.json")
        if not found:
            raise unknown_security(ticker, board)
        row = found[0]
    if "SYSTIME" not in row:
        raise NoData(f"The exchange has no market data of {ticker} on {board}.", ticker=ticker)
    return row


async def fetch_quotations(iss: Http, board: str) -> dict[str, Row]:
    """Return the quotations of all securities of *board*, by ticker.

    Raises the errors of `fetch_quotation`.
    """
    found = await _fetch_rows(iss, f"engines/stock/markets/shares/boards/{board}/securities.json")
    return {read_text(row, "SECID"): row for row in found}


async def fetch_names(iss: Http, board: str) -> dict[str, list[str]]:
    """Return the tickers of *board*, each with the names of its security in Russian and English.

    Raises the errors of `fetch_listings`.
    """
    return {each.ticker: each.names for each in await fetch_listings(iss, board)}


async def fetch_listings(iss: Http, board: str) -> list[Listing]:
    """Return the securities of *board*, none for an unknown one.

    Raises IssTimeout, IssBadResponse, RateLimited, and HttpUnavailable.
    """
    path = f"engines/stock/markets/shares/boards/{board}/securities.json"
    columns = (*NAMES, "SECTYPE")
    rows = read_rows(await fetch_blocks(iss, path, {"securities": columns}), "securities", columns)
    return [
        Listing(
            ticker=read_text(row, "SECID"),
            share_class=SHARE_CLASSES.get(str(row["SECTYPE"]), "other"),
            names=[name for each in NAMES[1:] if isinstance(name := row[each], str)],
        )
        for row in rows
    ]


def read_price(row: Row) -> Price | None:
    """Return the price of a quotation; None where the exchange has none.

    Without a trade today it is the previous price, and the change is 0. Raises IssBadResponse.
    """
    previous = read_amount(row, PREVIOUS)
    if (last := read_amount(row, LAST)) is not None:
        return Price(field=LAST, last=last, change=_read_change(row, last, previous))
    return Price(field=PREVIOUS, last=previous, change=Change(absolute=0, pct=0)) if previous else None


def read_basis(row: Row, price: Price) -> JsonObject:
    """Return the prices, currencies and the day on which a quotation and its *price* stand.

    Members that the exchange does not know are None. Raises IssBadResponse.
    """
    currency = None if row.get("CURRENCYID") is None else read_text(row, "CURRENCYID")
    has_day = row.get(PREVIOUS) and row.get("PREVDATE") is not None
    return {
        "price_field": price.field,
        "price_currency": ROUBLE if currency == EXCHANGES_ROUBLE else currency,
        "value_currency": ROUBLE,
        "change_field": PREVIOUS if price.change else "NONE",
        "previous_price_date": read_day(row, "PREVDATE") if has_day else None,
    }


def _read_change(row: Row, last: Number, previous: Number | None) -> Change | None:
    """Return the change of the last trade.

    It is the exchange's own; without one it is computed from the *previous* price.
    """
    change, change_pct = read_number(row, "CHANGE"), read_number(row, "LASTTOPREVPRICE")
    if change is not None and change_pct is not None:
        return Change(absolute=change, pct=change_pct)
    if not previous:
        return None
    decimals = read_number(row, "DECIMALS")
    digits = 2 if decimals is None else int(decimals)
    if not 0 <= digits <= MAX_DECIMALS:
        raise IssBadResponse("The exchange's column DECIMALS holds an impossible number of digits.")
    exact = last - previous
    return Change(absolute=round(exact, digits), pct=round(exact / previous * 100, 2))


async def _fetch_rows(iss: Http, path: str) -> list[Row]:
    """Return the securities at *path*, each with its market data where there are any."""
    document = await fetch_blocks(iss, path, {"securities": SECURITIES, "marketdata": MARKETDATA})
    market = {read_text(row, "SECID"): row for row in read_rows(document, "marketdata", ("SECID", "SYSTIME"))}
    securities = read_rows(document, "securities", ("SECID", "BOARDID"))
    return [market.get(read_text(row, "SECID"), {}) | row for row in securities]
