"""What ISS says of the shares of a board today: the blocks `securities` and `marketdata`."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sandbox.iss.bars import Bar
from sandbox.iss.moment import Moment
from sandbox.iss.shares import BOARDS, Share
from sandbox.iss.tables import Block, Blocks, kinds

SECURITIES = kinds("""
    SECID BOARDID SHORTNAME PREVPRICE:double LOTSIZE:int32 FACEVALUE:double STATUS BOARDNAME DECIMALS:int32 SECNAME REMARKS
    MARKETCODE INSTRID SECTORID MINSTEP:double PREVWAPRICE:double FACEUNIT PREVDATE:date ISSUESIZE:int64 ISIN LATNAME
    REGNUMBER PREVLEGALCLOSEPRICE:double CURRENCYID SECTYPE LISTLEVEL:int32 SETTLEDATE:date
""")
MARKETDATA = kinds("""
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
DATAVERSION = kinds("data_version:int32 seqnum:int64 trade_date:date trade_session_date:date")
STILL_PRICED = "TATNP"
"""The share that has a market price though nobody trades it."""


def quotations(shares: Sequence[Share], moment: Moment) -> Blocks:
    """All blocks of *shares* at *moment*; without a share, the columns alone."""
    day = moment.session.isoformat()
    version = {"data_version": 4815, "seqnum": _sequence(moment), "trade_date": day, "trade_session_date": day}
    return {
        "securities": Block(SECURITIES, [security(share, moment) for share in shares]),
        "marketdata": Block(MARKETDATA, [marketdata(share, moment) for share in shares]),
        "dataversion": Block(DATAVERSION, [version]),
        "marketdata_yields": Block(kinds("boardid secid"), []),
    }


def security(share: Share, moment: Moment) -> dict[str, Any]:
    """The row of *share* in `securities`, by column."""
    before = moment.before(share)
    close, average = (before.close, _average(share, before)) if before else (None, None)
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
        "ISIN": isin(share),
        "LATNAME": share.latin_name,
        "REGNUMBER": "1-01-00001-A",
        "PREVLEGALCLOSEPRICE": close,
        "CURRENCYID": "SUR",
        "SECTYPE": "2" if share.ticker.endswith("P") else "1",
        "LISTLEVEL": 1,
        "SETTLEDATE": (moment.session + timedelta(days=1)).isoformat(),
    }


def marketdata(share: Share, moment: Moment) -> dict[str, Any]:
    """The row of *share* in `marketdata`, by column; what the exchange does not know is absent, and served as null.

    LASTCHANGE is against the previous trade, CHANGE against the previous day. Without a trade CHANGE is null and the other
    changes are 0, as the exchange has them.
    """
    today, before = moment.today(share), moment.before(share)
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
        "UPDATETIME": f"{moment.known:%H:%M:%S}",
        "SEQNUM": _sequence(moment),
        "SYSTIME": f"{moment.now:%Y-%m-%d %H:%M:%S}",
        "TRADE_SESSION_DATE": moment.session.isoformat(),
    }
    if before is not None and (today is not None or share.ticker == STILL_PRICED):
        row["MARKETPRICE"] = _average(share, before)
    return row | (_traded(share, today, before, moment) if today is not None else {})


def isin(share: Share) -> str:
    """A number in the form of an ISIN, made of the ticker: invented as the prices are."""
    return f"RU00{share.ticker:0>7}0"


def _traded(share: Share, today: Bar, before: Bar | None, moment: Moment) -> dict[str, Any]:
    """What a share has that was traded today."""
    step, average = 10.0**-share.decimals, _average(share, today)
    return _changes(share, today, before) | {
        "BID": share.rounded(today.close - step),
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
        "TIME": f"{moment.traded_at():%H:%M:%S}",
        "OPENPERIODPRICE": today.open,
        "ISSUECAPITALIZATION": round(share.volume * 500 * today.close),
        "ISSUECAPITALIZATION_UPDATETIME": f"{moment.known:%H:%M:%S}",
    }


def _changes(share: Share, today: Bar, before: Bar | None) -> dict[str, Any]:
    """The changes since the previous day; null where there was none."""
    if before is None:
        return dict.fromkeys(("CHANGE", "LASTTOPREVPRICE", "LASTCNGTOLASTWAPRICE", "PRICEMINUSPREVWAPRICE"))
    change = today.close - before.close
    since_average = share.rounded(today.close - _average(share, before))
    return {
        "CHANGE": share.rounded(change),
        "LASTTOPREVPRICE": round(change / before.close * 100, 2),
        "LASTCNGTOLASTWAPRICE": since_average,
        "PRICEMINUSPREVWAPRICE": since_average,
    }


def _average(share: Share, bar: Bar) -> float:
    """The weighted average price of *bar*."""
    return share.rounded(bar.value / bar.volume)


def _sequence(moment: Moment) -> int:
    return int(f"{moment.now:%Y%m%d%H%M%S}")
