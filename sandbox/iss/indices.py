"""The indices of the stand-in: their members, weights and values."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from sandbox.iss import sessions
from sandbox.iss.bars import price_at
from sandbox.iss.moment import Moment
from sandbox.iss.shares import Share, all_shares
from sandbox.iss.tables import Block, Blocks, Query, parse_columns, parse_date, parse_row_number

ANALYTICS = parse_columns("""
    indexid tradedate:date ticker shortnames secids weight:double tradingsession:int32 trade_session_date:date
""")
CURSOR = parse_columns("INDEX:int64 TOTAL:int64 PAGESIZE:int64 PREV_DATE:date NEXT_DATE:date")
DATES = parse_columns("from:date till:date")
LIMITS = {"20": 20, "100": 100}
"""The lengths of a page that a query can request; any other gives the first."""
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
"""The index of all shares with a weight; it has more members than a page of a hundred."""
NAMES = {"IMOEX": "Индекс МосБиржи", "RTSI": "Индекс РТС", BROAD: "Индекс широкого рынка", **SECTORS}
LARGE = {"IMOEX", "RTSI"}
"""The indices of the heaviest shares."""
REFERENCE_VALUE = 2750.0
"""The value of an index when every share has its reference price."""
SECURITIES = parse_columns("""
    SECID BOARDID NAME DECIMALS:int32 SHORTNAME ANNUALHIGH:double ANNUALLOW:double CURRENCYID CALCMODE
""")
MARKETDATA = parse_columns("""
    SECID BOARDID LASTVALUE:double OPENVALUE:double CURRENTVALUE:double LASTCHANGE:double LASTCHANGETOOPENPRC:double
    LASTCHANGETOOPEN:double UPDATETIME:time LASTCHANGEPRC:double VALTODAY:double MONTHCHANGEPRC:double
    YEARCHANGEPRC:double SEQNUM:int64 SYSTIME:datetime TIME:time HIGH:double LOW:double TRADEDATE:date
    TRADINGSESSION VOLTODAY:int64 TRADE_SESSION_DATE:date
""")


def render_composition(index: str, query: Query, moment: Moment, size: int) -> Blocks:
    """Return the page of members that the query requests by date, limit and start, by ticker.

    *size* is the number of members of the large indices. A future day or a weekend gives the last working day before
    it; a holiday has no rows.
    """
    last = _last_working_day(moment)
    requested = parse_date(query.get("date"), last)
    day = _served_day(min(requested, last)) if requested is not None else None
    found = _find_members(index, day, size) if day is not None else []
    start, page = parse_row_number(query.get("start")), LIMITS.get(query.get("limit", ""), LIMITS["20"])
    shown = _compute_weights(found, day)[start : start + page] if day is not None else []
    cursor = {"INDEX": start, "TOTAL": len(found), "PAGESIZE": page} | _adjacent_days(day, last)
    return {
        "analytics": Block(ANALYTICS, [_member(index, day, share, weight) for share, weight in shown]),
        "analytics.cursor": Block(CURSOR, [cursor]),
        "analytics.dates": Block(DATES, [{"from": sessions.FIRST_DAY.isoformat(), "till": last.isoformat()}]),
    }


def _find_members(index: str, day: date, size: int) -> list[Share]:
    """Return the members of *index* on *day*, by ticker; none for an unknown index."""
    listed = [share for share in all_shares().values() if share.weight and share.since <= day]
    if index in SECTORS:
        listed = [share for share in listed if share.sector == index]
    elif index in LARGE:
        listed = sorted(listed, key=lambda share: -share.weight)[:size]
    elif index != BROAD:
        listed = []
    return sorted(listed, key=lambda share: share.ticker)


def _compute_weights(found: Sequence[Share], day: date) -> list[tuple[Share, float]]:
    """Return each of *found* with its weight on *day*, in percent."""
    worth = [share.weight / share.price * price_at(share, sessions.session_end(day)) for share in found]
    return [(share, round(each / sum(worth) * 100, 2)) for share, each in zip(found, worth, strict=True)]


def render_quotation(index: str | None, moment: Moment, size: int) -> Blocks:
    """Return the blocks of *index* at *moment*; without an index, the columns alone."""
    known = [index] if index is not None else []
    return {
        "securities": Block(SECURITIES, [_security(each) for each in known]),
        "marketdata": Block(MARKETDATA, [_marketdata(each, moment, size) for each in known]),
        "dataversion": Block(
            parse_columns("data_version:int32 seqnum:int64"), [{"data_version": 4815, "seqnum": 162342}]
        ),
    }


def board_of(index: str) -> str:
    """Return the board of *index*."""
    return "RTSI" if index == "RTSI" else "SNDX"


def _security(index: str) -> dict[str, Any]:
    return {
        "SECID": index,
        "BOARDID": board_of(index),
        "NAME": NAMES[index],
        "DECIMALS": 2,
        "SHORTNAME": NAMES[index],
        "CURRENCYID": "USD" if index == "RTSI" else "RUB",
        "CALCMODE": "P",
    }


def _marketdata(index: str, moment: Moment, size: int) -> dict[str, Any]:
    """Return the row of *index* in `marketdata`; VOLTODAY is absent, as on the exchange."""
    found = _find_members(index, moment.session, size)
    hours = (datetime.combine(moment.session, time(hour)) for hour in sessions.trading_hours(moment.session))
    day = [_index_value(found, hour) for hour in hours if hour < moment.published_until]
    before, now = (
        _index_value(found, sessions.session_end(_last_working_day(moment))),
        _index_value(found, moment.last_trade_time()),
    )
    return {
        "SECID": index,
        "BOARDID": board_of(index),
        "LASTVALUE": before,
        "OPENVALUE": day[0],
        "CURRENTVALUE": now,
        "LASTCHANGE": round(now - before, 2),
        "LASTCHANGEPRC": round((now / before - 1) * 100, 2),
        "LASTCHANGETOOPEN": round(now - day[0], 2),
        "LASTCHANGETOOPENPRC": round((now / day[0] - 1) * 100, 2),
        "HIGH": max(*day, now),
        "LOW": min(*day, now),
        "TIME": f"{moment.last_trade_time():%H:%M:%S}",
        "UPDATETIME": f"{moment.published_until:%H:%M:%S}",
        "SEQNUM": int(f"{moment.now:%Y%m%d%H%M%S}"),
        "SYSTIME": f"{moment.now:%Y-%m-%d %H:%M:%S}",
        "TRADEDATE": moment.session.isoformat(),
        "TRADE_SESSION_DATE": moment.session.isoformat(),
        "TRADINGSESSION": "1",
    }


def _index_value(found: Sequence[Share], when: datetime) -> float:
    """Return the value of an index of *found*."""
    worth = sum(share.weight * price_at(share, when) / share.price for share in found)
    return round(REFERENCE_VALUE * worth / sum(share.weight for share in found), 2)


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


def _last_working_day(moment: Moment) -> date:
    """Return the last working day that is over."""
    return _working_day(moment.session - sessions.DAY, -sessions.DAY)


def _working_day(day: date, step: timedelta) -> date:
    """Return *day*, or the next working day in the direction of *step*."""
    while sessions.is_weekend(day) or not sessions.trading_hours(day):
        day += step
    return day


def _served_day(requested: date) -> date | None:
    """Return the day to serve for *requested*; None for a holiday, and before the first day."""
    while sessions.is_weekend(requested):
        requested -= sessions.DAY
    return requested if sessions.trading_hours(requested) else None


def _adjacent_days(day: date | None, last: date) -> dict[str, str | None]:
    """Return the working days before and after *day*, if there are any."""
    if day is None:
        return {"PREV_DATE": None, "NEXT_DATE": None}
    before = _working_day(day - sessions.DAY, -sessions.DAY) if day > sessions.FIRST_DAY else None
    after = _working_day(day + sessions.DAY, sessions.DAY) if day < last else None
    return {"PREV_DATE": before.isoformat() if before else None, "NEXT_DATE": after.isoformat() if after else None}
