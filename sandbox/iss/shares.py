"""The shares of the stand-in: fifteen of the board TQBR, with one trading day that never changes."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

DELAY = timedelta(minutes=15)
"""How old the last trade is for a caller who has not signed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share and its trading day; prices in roubles, None where the exchange has no value."""

    ticker: str
    short_name: str
    name: str
    latin_name: str
    isin: str
    lot: int
    decimals: int
    prev: float | None = None
    """The last price of the previous trading day."""
    open: float | None = None
    low: float | None = None
    high: float | None = None
    last: float | None = None
    current: float | None = None
    """The current price by the exchange's own formula, LCURRENTPRICE."""
    market: float | None = None
    """The market price of the previous trading day, MARKETPRICE."""
    volume: int = 0
    """Shares traded today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A trading board and its shares."""

    name: str
    title: str
    shares: Mapping[str, Share]
    """By ticker. KROT has no trade today, TATNP only a market price, NSVZ neither a trade nor a previous price."""


@functools.cache
def board() -> Board:
    """The one board there is, read from shares.json."""
    found = json.loads(files("sandbox.iss").joinpath("shares.json").read_text(encoding="utf-8"))
    shares = {share["ticker"]: Share(**share) for share in found["shares"]}
    return Board(name=found["board"], title=found["board_name"], shares=shares)


def securities_row(share: Share, moscow: datetime) -> dict[str, Any]:
    """The row of *share* in the block `securities`, by column."""
    day_before = (moscow - timedelta(days=1)).date().isoformat()
    return {
        "SECID": share.ticker,
        "BOARDID": board().name,
        "SHORTNAME": share.short_name,
        "PREVPRICE": share.prev,
        "LOTSIZE": share.lot,
        "STATUS": "A",
        "BOARDNAME": board().title,
        "DECIMALS": share.decimals,
        "SECNAME": share.name,
        "REMARKS": None,
        "MARKETCODE": "FNDT",
        "INSTRID": "EQIN",
        "SECTORID": None,
        "MINSTEP": 10**-share.decimals,
        "FACEUNIT": "SUR",
        "PREVDATE": day_before,
        "ISIN": share.isin,
        "LATNAME": share.latin_name,
        "CURRENCYID": "SUR",
        "SECTYPE": "1",
        "LISTLEVEL": 1,
    }


def marketdata_row(share: Share, moscow: datetime) -> dict[str, Any]:
    """The row of *share* in the block `marketdata`, by column; LASTCHANGE is against the previous trade, CHANGE against the day."""
    traded_at = f"{moscow - DELAY:%H:%M:%S}"
    average = _average(share)
    change = None if share.last is None or share.prev is None else share.last - share.prev
    return {
        "SECID": share.ticker,
        "BOARDID": board().name,
        "OPEN": share.open,
        "LOW": share.low,
        "HIGH": share.high,
        "LAST": share.last,
        "LASTCHANGE": None if change is None else -(10**-share.decimals),
        "LASTCHANGEPRCNT": None if change is None else 0,
        "WAPRICE": average,
        "MARKETPRICE": share.market,
        "LCURRENTPRICE": share.current,
        "CHANGE": None if change is None else round(change, share.decimals),
        "LASTTOPREVPRICE": None if change is None or not share.prev else round(change / share.prev * 100, 2),
        "NUMTRADES": share.volume // 400,
        "VOLTODAY": share.volume,
        "VALTODAY": round(share.volume * (average or 0)),
        "TRADINGSTATUS": "T",
        "TRADINGSESSION": "1",
        "TIME": traded_at,
        "UPDATETIME": traded_at,
        "SEQNUM": int(f"{moscow:%Y%m%d%H%M%S}"),
        "SYSTIME": f"{moscow:%Y-%m-%d %H:%M:%S}",
    }


def _average(share: Share) -> float | None:
    """A plausible weighted average price of the day."""
    day = [price for price in (share.open, share.low, share.high, share.last) if price is not None]
    return round(sum(day) / len(day), share.decimals) if day else None
