"""The indices of the stand-in: who belongs to them and with what weight on which day, and what they stand at."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from sandbox.iss import sessions
from sandbox.iss.bars import level
from sandbox.iss.moment import Moment
from sandbox.iss.shares import Share, shares
from sandbox.iss.tables import Block, Blocks, Query, date_of, kinds, number

ANALYTICS = kinds("""
    indexid tradedate:date ticker shortnames secids weight:double tradingsession:int32 trade_session_date:date
""")
CURSOR = kinds("INDEX:int64 TOTAL:int64 PAGESIZE:int64 PREV_DATE:date NEXT_DATE:date")
DATES = kinds("from:date till:date")
LIMITS = {"20": 20, "100": 100}
"""The lengths of a page that may be asked for; any other is the first."""
SECTORS = {
    "MOEXCH": "Индекс химии и нефтехимии",
    "MOEXCN": "Индекс потребительского сектора",
    "MOEXEU": "Индекс электроэнергетики",
    "MOEXFN": "Индекс финансов",
    "MOEXIT": "Индекс информационных технологий",
    "MOEXMM": "Индекс металлов и добычи",
    "MOEXOG": "Индекс нефти и газа",
    "MOEXRE": "Индекс строительных компаний",
    "MOEXTL": "Индекс телекоммуникаций",
    "MOEXTN": "Индекс транспорта",
}
BROAD = "MOEXBMI"
"""The index of everything that has a weight: more than a page of a hundred."""
NAMES = {"IMOEX": "Индекс МосБиржи", "RTSI": "Индекс РТС", BROAD: "Индекс широкого рынка", **SECTORS}
LARGE = {"IMOEX", "RTSI"}
"""The indices of the shares that weigh most."""
LEVEL = 2750.0
"""What an index stands at where every share costs what it moves around."""
SECURITIES = kinds("""
    SECID BOARDID NAME DECIMALS:int32 SHORTNAME ANNUALHIGH:double ANNUALLOW:double CURRENCYID CALCMODE
""")
MARKETDATA = kinds("""
    SECID BOARDID LASTVALUE:double OPENVALUE:double CURRENTVALUE:double LASTCHANGE:double LASTCHANGETOOPENPRC:double
    LASTCHANGETOOPEN:double UPDATETIME:time LASTCHANGEPRC:double VALTODAY:double MONTHCHANGEPRC:double
    YEARCHANGEPRC:double SEQNUM:int64 SYSTIME:datetime TIME:time HIGH:double LOW:double TRADEDATE:date
    TRADINGSESSION VOLTODAY:int64 TRADE_SESSION_DATE:date
""")


def composition(index: str, query: Query, moment: Moment, size: int) -> Blocks:
    """The page of members that date, limit and start ask for, by ticker; *size* is how many the large indices have.

    A day that is still to come and a weekend are answered with the last working day before; a holiday has no rows.
    """
    last = _last(moment)
    asked = date_of(query.get("date"), last)
    day = _served(min(asked, last)) if asked is not None else None
    found = members(index, day, size) if day is not None else []
    start, page = number(query.get("start")), LIMITS.get(query.get("limit", ""), LIMITS["20"])
    shown = weights(found, day)[start : start + page] if day is not None else []
    cursor = {"INDEX": start, "TOTAL": len(found), "PAGESIZE": page} | _neighbours(day, last)
    return {
        "analytics": Block(ANALYTICS, [_member(index, day, share, weight) for share, weight in shown]),
        "analytics.cursor": Block(CURSOR, [cursor]),
        "analytics.dates": Block(DATES, [{"from": sessions.FIRST_DAY.isoformat(), "till": last.isoformat()}]),
    }


def members(index: str, day: date, size: int) -> list[Share]:
    """The members of *index* on *day*, by ticker; none of an unknown one."""
    listed = [share for share in shares().values() if share.weight and share.since <= day]
    if index in SECTORS:
        listed = [share for share in listed if share.sector == index]
    elif index in LARGE:
        listed = sorted(listed, key=lambda share: -share.weight)[:size]
    elif index != BROAD:
        listed = []
    return sorted(listed, key=lambda share: share.ticker)


def weights(found: Sequence[Share], day: date) -> list[tuple[Share, float]]:
    """Each of *found* with its weight on *day*, in percent of them all."""
    worth = [share.weight / share.price * level(share, sessions.end(day)) for share in found]
    return [(share, round(each / sum(worth) * 100, 2)) for share, each in zip(found, worth, strict=True)]


def quotation(index: str | None, moment: Moment, size: int) -> Blocks:
    """The blocks of *index* at *moment*; without an index, the columns alone."""
    known = [index] if index is not None else []
    return {
        "securities": Block(SECURITIES, [_security(each) for each in known]),
        "marketdata": Block(MARKETDATA, [_marketdata(each, moment, size) for each in known]),
        "dataversion": Block(kinds("data_version:int32 seqnum:int64"), [{"data_version": 4815, "seqnum": 162342}]),
    }


def board(index: str) -> str:
    """The board on which *index* is shown."""
    return "RTSI" if index == "RTSI" else "SNDX"


def _security(index: str) -> dict[str, Any]:
    return {
        "SECID": index,
        "BOARDID": board(index),
        "NAME": NAMES[index],
        "DECIMALS": 2,
        "SHORTNAME": NAMES[index],
        "CURRENCYID": "USD" if index == "RTSI" else "RUB",
        "CALCMODE": "P",
    }


def _marketdata(index: str, moment: Moment, size: int) -> dict[str, Any]:
    """The row of *index* in `marketdata`, by column; VOLTODAY has none, as on the exchange."""
    found = members(index, moment.session, size)
    hours = (datetime.combine(moment.session, time(hour)) for hour in sessions.hours(moment.session))
    day = [_value(found, hour) for hour in hours if hour < moment.known]
    before, now = _value(found, sessions.end(_last(moment))), _value(found, moment.traded_at())
    return {
        "SECID": index,
        "BOARDID": board(index),
        "LASTVALUE": before,
        "OPENVALUE": day[0],
        "CURRENTVALUE": now,
        "LASTCHANGE": round(now - before, 2),
        "LASTCHANGEPRC": round((now / before - 1) * 100, 2),
        "LASTCHANGETOOPEN": round(now - day[0], 2),
        "LASTCHANGETOOPENPRC": round((now / day[0] - 1) * 100, 2),
        "HIGH": max(*day, now),
        "LOW": min(*day, now),
        "TIME": f"{moment.traded_at():%H:%M:%S}",
        "UPDATETIME": f"{moment.known:%H:%M:%S}",
        "SEQNUM": int(f"{moment.now:%Y%m%d%H%M%S}"),
        "SYSTIME": f"{moment.now:%Y-%m-%d %H:%M:%S}",
        "TRADEDATE": moment.session.isoformat(),
        "TRADE_SESSION_DATE": moment.session.isoformat(),
        "TRADINGSESSION": "1",
    }


def _value(found: Sequence[Share], when: datetime) -> float:
    """What an index of *found* stands at."""
    worth = sum(share.weight * level(share, when) / share.price for share in found)
    return round(LEVEL * worth / sum(share.weight for share in found), 2)


def _member(index: str, day: date | None, share: Share, weight: float) -> dict[str, Any]:
    traded = None if day is None else day.isoformat()
    return {
        "indexid": index,
        "tradedate": traded,
        "ticker": share.ticker,
        "shortnames": share.short_name,
        "secids": share.ticker,
        "weight": weight,
        "tradingsession": 3,
        "trade_session_date": traded,
    }


def _last(moment: Moment) -> date:
    """The last working day that is over."""
    return _working_day(moment.session - sessions.DAY, -sessions.DAY)


def _working_day(day: date, step: timedelta) -> date:
    """*day*, or the next one in the direction of *step* that trades and is no weekend."""
    while sessions.is_weekend(day) or not sessions.hours(day):
        day += step
    return day


def _served(asked: date) -> date | None:
    """The day that is served for *asked*; None for a holiday, and before the first day."""
    while sessions.is_weekend(asked):
        asked -= sessions.DAY
    return asked if sessions.hours(asked) else None


def _neighbours(day: date | None, last: date) -> dict[str, str | None]:
    """The working days around *day*, where there are any."""
    if day is None:
        return {"PREV_DATE": None, "NEXT_DATE": None}
    before = _working_day(day - sessions.DAY, -sessions.DAY) if day > sessions.FIRST_DAY else None
    after = _working_day(day + sessions.DAY, sessions.DAY) if day < last else None
    return {"PREV_DATE": before.isoformat() if before else None, "NEXT_DATE": after.isoformat() if after else None}
