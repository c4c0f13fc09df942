"""What ISS says of a share's past: candles, in pages."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from sandbox.iss import sessions
from sandbox.iss.bars import Bar, day_bar, hour_bars
from sandbox.iss.moment import Moment
from sandbox.iss.shares import Share
from sandbox.iss.tables import Block, Blocks, Query, date_of, kinds, number

CANDLES = kinds(
    "open:double close:double high:double low:double value:double volume:double begin:datetime end:datetime"
)
CURSOR = kinds("INDEX:int64 TOTAL:int64 PAGESIZE:int64")
PAGE = 500
DAY = "24"
"""The interval of a day in the exchange's words, which also stands for none; of others, only hours have rows."""


def candles(share: Share | None, query: Query, moment: Moment) -> Blocks:
    """The page of candles that from, till, interval and start ask for, with a cursor, which the exchange seldom shows."""
    start = number(query.get("start"))
    total, page = _page(share, query, moment, start) if share is not None else (0, [])
    cursor = {"INDEX": start, "TOTAL": total, "PAGESIZE": PAGE}
    return {"candles": Block(CANDLES, [_row(bar) for bar in page]), "candles.cursor": Block(CURSOR, [cursor])}


def _page(share: Share, query: Query, moment: Moment, start: int) -> tuple[int, list[Bar]]:
    """How many bars were asked for, and those of the page, the only ones to be computed."""
    until, days = moment.known, [day for day in _days(query, moment) if share.trades(day)]
    match query.get("interval", DAY):
        case "24":
            whole = (day_bar(share, day, until) for day in days[start : start + PAGE])
            return len(days), [bar for bar in whole if bar is not None]
        case "60":
            hours = [(day, hour) for day in days for hour in range(sessions.begun(day, until))]
            return len(hours), [hour_bars(share, day, until)[hour] for day, hour in hours[start : start + PAGE]]
        case _:
            return 0, []


def _days(query: Query, moment: Moment) -> Iterator[date]:
    """The days of trading that were asked for; none where a date cannot be read."""
    first, last = date_of(query.get("from"), sessions.FIRST_DAY), date_of(query.get("till"), moment.session)
    return sessions.days(first, min(last, moment.session)) if first and last else iter(())


def _row(bar: Bar) -> dict[str, Any]:
    return {
        "open": bar.open,
        "close": bar.close,
        "high": bar.high,
        "low": bar.low,
        "value": bar.value,
        "volume": bar.volume,
        "begin": f"{bar.begin:%Y-%m-%d %H:%M:%S}",
        "end": f"{bar.end:%Y-%m-%d %H:%M:%S}",
    }
