"""Candles in InfluxDB, by the query language of the source.

One-minute bars are stored (measurement `candles`, tag `currency_pair`, time = opening) and never change once their
minute is over. The store aggregates larger bars from them, in windows that start at midnight UTC.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from handlers.candles.flux import FluxQueries
from handlers.candles.influxql import InfluxqlQueries
from toolaccord import Page, SourceError
from toolaccord.sources.influxdb import Influxdb, Language, Row

Timeframe: TypeAlias = Literal["1m", "5m", "15m", "1h", "4h", "1d"]

MINUTE_MS = 60_000
WIDTH_MS: dict[Timeframe, int] = {
    "1m": MINUTE_MS,
    "5m": 5 * MINUTE_MS,
    "15m": 15 * MINUTE_MS,
    "1h": 60 * MINUTE_MS,
    "4h": 240 * MINUTE_MS,
    "1d": 1440 * MINUTE_MS,
}
HOUR_MS = WIDTH_MS["1h"]
DAY_MS = WIDTH_MS["1d"]
MAX_QUERY_BARS = 8640
"""The most bars of a query; InfluxDB 1.x flags answers above 10,000 rows as partial."""
LEAST, MOST = 1e-30, 1e30
"""The bounds of plausible prices; results computed from prices within them are finite."""
VALUES_OF = itemgetter("open", "high", "low", "close", "volume")
SYMBOL = re.compile(r"[A-Z0-9]{1,20}(/[A-Z0-9]{1,20})?")


class Bar(NamedTuple):
    """A bar of any width; a tuple, because a year has half a million minutes."""

    time: datetime
    """The opening, in UTC."""
    open: float
    high: float
    low: float
    close: float
    volume: float


@dataclass(frozen=True, slots=True)
class Quote:
    """The newest price."""

    time: datetime
    """The opening of the minute whose close is the price."""
    price: float


@dataclass(frozen=True, slots=True)
class DayBefore:
    """The day before a quote; None where there is no such value."""

    price_1h_ago: float | None
    """The last close at least an hour before the quote's minute, and at most two."""
    price_24h_ago: float | None
    """The same for 24 hours."""
    volume: float
    """The volume of the 24 hours that end with the quote's minute."""


class Queries(Protocol):
    """The queries of one language.

    Times are whole milliseconds since 1970; *end* is exclusive. *symbol* is checked, and quoted all the same.
    """

    def page(self, symbol: str, width_ms: int, since: int, end: int, limit: int, offset: int) -> str:
        """Return the query of a page of bars, newest first, and of `total`, the bars before *end*.

        The page may omit bars before *since*, where a bar begins. The total may not.
        """

    def between(self, symbol: str, width_ms: int, start: int, end: int) -> str:
        """Return the query of bars, oldest first; a bar begins at *start* and at *end*."""

    def count(self, symbol: str, start: int, end: int) -> str:
        """Return the query of `total`, the number of stored minutes, which may be missing."""

    def newest(self, symbol: str, end: int) -> str:
        """Return the query of `time` and `close` of the newest minute before *end*."""

    def day(self, symbol: str, opened: int) -> str:
        """Return the query of `before_1h`, `before_24h` and `volume`, each of which may be missing."""

    def symbols(self, end: int) -> str:
        """Return the query of `value`, the symbols with candles before *end*, and maybe later ones."""


QUERIES: Mapping[Language, Callable[[str], Queries]] = {"flux": FluxQueries, "influxql": InfluxqlQueries}


class CandleStore:
    """The candles that *source* holds.

    All methods raise SourceError if it does not answer, or sends impossible candles.
    """

    def __init__(self, source: Influxdb) -> None:
        self._source = source
        self._queries = QUERIES[source.language](source.bucket)

    async def latest(self, symbol: str, timeframe: Timeframe, now: datetime, limit: int, offset: int = 0) -> Page[Bar]:
        """Return the newest *limit* closed bars after *offset*, oldest first, and the total."""
        width_ms = WIDTH_MS[timeframe]
        end = _ms(now) // width_ms * width_ms

        async def since(begin: int) -> Page[Bar]:
            text = self._queries.page(_check_symbol(symbol), width_ms, begin, end, limit, offset)
            rows = await self._source.query(text)
            with _check_rows(symbol):
                bars, total = _bars(rows[::-1], begin, end), _total(rows)
                if len(bars) > limit:
                    raise ValueError("there are more candles than requested")
            return Page(bars, total)

        # Reading the time of a page is much faster than reading all; with missing minutes it is too short.
        page = await since(max(0, end - (offset + limit) * width_ms))
        return page if len(page.items) >= min(limit, page.total - offset) else await since(0)

    async def between(self, symbol: str, timeframe: Timeframe, start: datetime, end: datetime) -> list[Bar]:
        """Return the bars that lie wholly between *start* and *end*, oldest first."""
        found: list[Bar] = []
        width_ms = WIDTH_MS[timeframe]
        first, last = -(-_ms(start) // width_ms) * width_ms, _ms(end) // width_ms * width_ms
        for begin in range(first, last, MAX_QUERY_BARS * width_ms):
            until = min(begin + MAX_QUERY_BARS * width_ms, last)
            rows = await self._source.query(self._queries.between(_check_symbol(symbol), width_ms, begin, until))
            with _check_rows(symbol):
                found += _bars(rows, begin, until)
        return found

    async def count_minutes(self, symbol: str, start: datetime, end: datetime) -> int:
        """Return the number of stored minutes that open from *start*, before *end*."""
        rows = await self._source.query(self._queries.count(_check_symbol(symbol), _ms(start), _ms(end)))
        with _check_rows(symbol):
            return _total(rows)

    async def newest(self, symbol: str, now: datetime) -> Quote | None:
        """Return the newest price at *now*, of a minute that may be open; None without candles."""
        rows = await self._source.query(self._queries.newest(_check_symbol(symbol), _ms(now) + 1))
        with _check_rows(symbol):
            for row in rows:
                if row.get("close") is not None:
                    quote = Quote(_moment(row["time"]), _number(row["close"]))
                    if quote.time > now:
                        raise ValueError("the newest candle is in the future")
                    return quote
        return None

    async def day_before(self, symbol: str, quote: Quote) -> DayBefore:
        """Return prices and volume of the 24 hours before *quote*."""
        rows = await self._source.query(self._queries.day(_check_symbol(symbol), _ms(quote.time)))
        values = {name: value for row in rows for name, value in row.items() if value is not None}
        before_1h, before_24h = values.get("before_1h"), values.get("before_24h")
        with _check_rows(symbol):
            return DayBefore(
                None if before_1h is None else _number(before_1h),
                None if before_24h is None else _number(before_24h),
                _number(values.get("volume", 0.0), least=0),
            )

    async def symbols(self, now: datetime) -> list[str]:
        """Return the symbols that have candles, in alphabetical order."""
        rows = await self._source.query(self._queries.symbols(_ms(now) + 1))
        found = {value for row in rows if isinstance(value := row.get("value"), str)}
        return sorted(symbol for symbol in found if SYMBOL.fullmatch(symbol))


def _check_symbol(symbol: str) -> str:
    """Return *symbol*; raise ValueError unless it is safe within a query."""
    if not SYMBOL.fullmatch(symbol):
        raise ValueError("a symbol is a name of capitals and digits, or two with a slash between them")
    return symbol


@contextmanager
def _check_rows(symbol: str) -> Iterator[None]:
    """Raise what a conversion of malformed rows raises as SourceError."""
    try:
        yield
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
        raise SourceError(f"a candle of {symbol} is invalid") from error


def _bars(rows: Iterable[Row], start: int, end: int) -> Sequence[Bar]:
    """Return the bars among *rows*, which open from *start*, before *end*, oldest first."""
    bars = [_bar(row) for row in rows if row.get("open") is not None or row.get("close") is not None]
    if any(earlier.time >= later.time for earlier, later in pairwise(bars)):
        raise ValueError("the candles are not in order")
    if bars and not start <= _ms(bars[0].time) <= _ms(bars[-1].time) < end:
        raise ValueError("a candle is not of the requested time")
    return bars


def _bar(row: Row) -> Bar:
    opened, high, low, close, volume = VALUES_OF(row)
    if low > high:
        raise ValueError("the low is above the high")
    return Bar(
        _moment(row["time"]), _number(opened), _number(high), _number(low), _number(close), _number(volume, least=0)
    )


def _total(rows: Iterable[Row]) -> int:
    """Return the total that a query counts, 0 without one."""
    total = next((row["total"] for row in rows if row.get("total") is not None), 0)
    if type(total) is not int or total < 0:
        raise ValueError("the total is no count")
    return total


def _number(value: Any, least: float = LEAST) -> float:
    """Return a price or, from 0, a volume.

    Raises TypeError for another type, ValueError for an implausible number.
    """
    if type(value) is not float and type(value) is not int:
        raise TypeError(f"{type(value).__name__} instead of a number")
    if not least <= value < MOST:
        raise ValueError("a number is implausibly large or small")
    return float(value)


def _moment(value: int | datetime) -> datetime:
    """Return the time of a row; Flux has times, the others milliseconds."""
    return value.astimezone(UTC) if isinstance(value, datetime) else datetime.fromtimestamp(value / 1000, UTC)


def _ms(moment: datetime) -> int:
    """Return the whole milliseconds from 1970 to *moment*."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
