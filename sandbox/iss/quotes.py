"""Quotations of shares: the blocks `securities` and `marketdata`."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sandbox.iss.bars import Bar
from sandbox.iss.moment import Moment
from sandbox.iss.shares import BOARDS, Share
from sandbox.iss.tables import Block, Blocks, parse_columns

SECURITIES = parse_columns("""
    SECID BOARDID SHORTNAME PREVPRICE:double LOTSIZE:int32 FACEVALUE:double STATUS BOARDNAME DECIMALS:int32 SECNAME REMARKS
    MARKETCODE INSTRID SECTORID MINSTEP:double PREVWAPRICE:double FACEUNIT PREVDATE:date ISSUESIZE:int64 ISIN LATNAME
    REGNUMBER PREVLEGALCLOSEPRICE:double CURRENCYID SECTYPE LISTLEVEL:int32 SETTLEDATE:date
""")
MARKETDATA = parse_columns("""
    SECID BOARDID BID:double BIDDEPTH:int64 OFFER:double OFFERDEPTH:int64 SPREAD:double BIDDEPTHT:int64 OFFERDEPTHT:int64
    OPEN:double LOW:double HIGH:double LAST:double LASTCHANGE:double LASTCHANGEPRCNT:double QTY:int64 VALUE:double
    VALUE_USD:double WAPRICE:double LASTCNGTOLASTWAPRICE:double WAPTOPREVWAPRICEPRCNT:double WAPTOPREVWAPRICE:double
    CLOSEPRICE:double MARKETPRICETODAY:double MARKETPRICE:double LASTTOPREVPRICE:double NUMTRADES:int64 VOLTODAY:int64
    VALTODAY:int64 VALTODAY_USD:int64 ETFSETTLEPRICE:double TRADINGSTATUS UPDATETIME:time LASTBID:double LASTOFFER:double
    LCLOSEPRICE:double LCURRENTPRICE:double MARKETPRICE2:double NUMBIDS:int64 NUMOFFERS:int64 CHANGE:double TIME:time
    HIGHBID:double LOWOFFER:double PRICEMINUSPREVWAPRICE:double OPENPERIODPRICE:double SEQNUM:int64 SYSTIME:datetime
    CLOSINGAUCTIONPRICE:double CLOSINGAUCTIONVOLUME:double ISSUECAPITALIZATION:double
    ISSUECAPITALIZATION_UPDATETIME:time ETFSETTLECURRENCY VALTODAY_RUR:int64 TRADINGSESSION TRADE_SESSION_DATE:date
""")
DATAVERSION = parse_columns("data_version:int32 seqnum:int64 trade_date:date trade_session_date:date")
STILL_PRICED = "TATNP"
"""The untraded share that has a market price."""


def render_quotations(shares: Sequence[Share], moment: Moment) -> Blocks:
    """Return all blocks of *shares* at *moment*; without shares, the columns alone."""
    day = moment.session.isoformat()
    version = {"data_version": 4815, "seqnum": _sequence_number(moment), "trade_date": day, "trade_session_date": day}
    return {
        "securities": Block(SECURITIES, [_security_row(share, moment) for share in shares]),
        "marketdata": Block(MARKETDATA, [_marketdata_row(share, moment) for share in shares]),
        "dataversion": Block(DATAVERSION, [version]),
        "marketdata_yields": Block(parse_columns("boardid secid"), []),
    }


def _security_row(share: Share, moment: Moment) -> dict[str, Any]:
    """Return the row of *share* in `securities`, by column."""
    before = moment.previous_bar(share)
    close, average = (before.close, _average_price(share, before)) if before else (None, None)
    return {
        "SECID": share.ticker,
        "BOARDID": share.board,
        "SHORTNAME": share.short_name,
        "PREVPRICE": close,
        "LOTSIZE": share.lot,
        "FACEVALUE": 1.0,
        "STATUS": "A",
        "BOARDNAME": BOARDS[share.board],
        "DECIMALS": share.decimals,
        "SECNAME": share.name,
        "MARKETCODE": "FNDT",
        "INSTRID": "EQIN",
        "MINSTEP": 10.0**-share.decimals,
        "PREVWAPRICE": average,
        "FACEUNIT": "SUR",
        "PREVDATE": before.begin.date().isoformat() if before else None,
        "ISSUESIZE": share.volume * 500,
        "ISIN": make_isin(share),
        "LATNAME": share.latin_name,
        "REGNUMBER": "1-01-00001-A",
        "PREVLEGALCLOSEPRICE": close,
        "CURRENCYID": "SUR",
        "SECTYPE": share_type(share),
        "LISTLEVEL": 1,
        "SETTLEDATE": (moment.session + timedelta(days=1)).isoformat(),
    }


def _marketdata_row(share: Share, moment: Moment) -> dict[str, Any]:
    """Return the row of *share* in `marketdata`, by column; absent columns are served as null.

    LASTCHANGE is against the previous trade, CHANGE against the previous day. Without a trade CHANGE is null and the
    other changes are 0, as on the exchange.
    """
    today, before = moment.current_bar(share), moment.previous_bar(share)
    row = {
        "SECID": share.ticker,
        "BOARDID": share.board,
        "LASTCHANGE": 0,
        "LASTCHANGEPRCNT": 0,
        "LASTCNGTOLASTWAPRICE": 0,
        "LASTTOPREVPRICE": 0,
        "NUMTRADES": 0,
        "VOLTODAY": 0,
        "VALTODAY": 0,
        "VALTODAY_RUR": 0,
        "TRADINGSTATUS": "T",
        "TRADINGSESSION": "1",
        "UPDATETIME": f"{moment.published_until:%H:%M:%S}",
        "SEQNUM": _sequence_number(moment),
        "SYSTIME": f"{moment.now:%Y-%m-%d %H:%M:%S}",
        "TRADE_SESSION_DATE": moment.session.isoformat(),
    }
    if before is not None and (today is not None or share.ticker == STILL_PRICED):
        row["MARKETPRICE"] = _average_price(share, before)
    return row | (_trade_columns(share, today, before, moment) if today is not None else {})


def share_type(share: Share) -> str:
    """Return the exchange's code of the class of *share*.

    2 is a preferred one, whose ticker has a P more than the four letters of the ordinary one.
    """
    return "2" if len(share.ticker) > len("SBER") and share.ticker.endswith("P") else "1"


def make_isin(share: Share) -> str:
    """Return an invented ISIN, made from the ticker."""
    return f"RU00{share.ticker:0>7}0"


def _trade_columns(share: Share, today: Bar, before: Bar | None, moment: Moment) -> dict[str, Any]:
    """Return the columns that only a share with trades today has."""
    step, average = 10.0**-share.decimals, _average_price(share, today)
    return _change_columns(share, today, before) | {
        "BID": share.round_price(today.close - step),
        "OFFER": today.close,
        "SPREAD": step,
        "OPEN": today.open,
        "LOW": today.low,
        "HIGH": today.high,
        "LAST": today.close,
        "LASTCHANGE": -step,
        "LASTCHANGEPRCNT": 0,
        "QTY": share.lot,
        "VALUE": round(share.lot * today.close, 2),
        "WAPRICE": average,
        "LCURRENTPRICE": average,
        "NUMTRADES": today.volume // share.lot // 4 + 1,
        "VOLTODAY": today.volume,
        "VALTODAY": round(today.value),
        "VALTODAY_RUR": round(today.value),
        "TIME": f"{moment.last_trade_time():%H:%M:%S}",
        "OPENPERIODPRICE": today.open,
        "ISSUECAPITALIZATION": round(share.volume * 500 * today.close),
        "ISSUECAPITALIZATION_UPDATETIME": f"{moment.published_until:%H:%M:%S}",
    }


def _change_columns(share: Share, today: Bar, before: Bar | None) -> dict[str, Any]:
    """Return the changes since the previous day; null without one."""
    if before is None:
        return dict.fromkeys(("CHANGE", "LASTTOPREVPRICE", "LASTCNGTOLASTWAPRICE", "PRICEMINUSPREVWAPRICE"))
    change = today.close - before.close
    since_average = share.round_price(today.close - _average_price(share, before))
    return {
        "CHANGE": share.round_price(change),
        "LASTTOPREVPRICE": round(change / before.close * 100, 2),
        "LASTCNGTOLASTWAPRICE": since_average,
        "PRICEMINUSPREVWAPRICE": since_average,
    }


def _average_price(share: Share, bar: Bar) -> float:
    """Return the weighted average price of *bar*."""
    return share.round_price(bar.value / bar.volume)


def _sequence_number(moment: Moment) -> int:
    return int(f"{moment.now:%Y%m%d%H%M%S}")
