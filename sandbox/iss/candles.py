"""The pages of a share's candles."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from sandbox.iss import sessions
from sandbox.iss.bars import Bar, day_bar, hour_bars
from sandbox.iss.moment import Moment
from sandbox.iss.shares import Share
from sandbox.iss.tables import Block, Blocks, Query, parse_columns, parse_date, parse_row_number

CANDLES = parse_columns(
    "open:double close:double high:double low:double value:double volume:double begin:datetime end:datetime"
)
CURSOR = parse_columns("INDEX:int64 TOTAL:int64 PAGESIZE:int64")
PAGE = 500
DAY = "24"
"""ISS's number of the daily interval, which is the default. Otherwise only hours have rows."""


def render_candles(share: Share | None, query: Query, moment: Moment) -> Blocks:
    """Return the page of candles that the query requests by from, till, interval and start.

    Includes a cursor, which the exchange seldom shows.
    """
    start = parse_row_number(query.get("start"))
    total, page = _page(share, query, moment, start) if share is not None else (0, [])
    cursor = {"INDEX": start, "TOTAL": total, "PAGESIZE": PAGE}
    return {"candles": Block(CANDLES, [_row(bar) for bar in page]), "candles.cursor": Block(CURSOR, [cursor])}


def _page(share: Share, query: Query, moment: Moment, start: int) -> tuple[int, list[Bar]]:
    """Return the number of requested bars, and the bars of the page; only these are computed."""
    until, days = moment.published_until, [day for day in _days(query, moment) if share.is_traded_on(day)]
    match query.get("interval", DAY):
        case "24":
            whole = (day_bar(share, day, until) for day in days[start : start + PAGE])
            return len(days), [bar for bar in whole if bar is not None]
        case "60":
            hours = [(day, hour) for day in days for hour in range(sessions.count_started_hours(day, until))]
            return len(hours), [hour_bars(share, day, until)[hour] for day, hour in hours[start : start + PAGE]]
        case _:
            return 0, []


def _days(query: Query, moment: Moment) -> Iterator[date]:
    """Yield the requested trading days; none for an invalid date."""
    first, last = parse_date(query.get("from"), sessions.FIRST_DAY), parse_date(query.get("till"), moment.session)
    return sessions.trading_days(first, min(last, moment.session)) if first and last else iter(())


def _row(bar: Bar) -> dict[str, Any]:
    return bar._asdict() | {"begin": f"{bar.begin:%Y-%m-%d %H:%M:%S}", "end": f"{bar.end:%Y-%m-%d %H:%M:%S}"}
