"""The candle port on the sandbox, on a real InfluxDB by InfluxQL, and on a double by Flux."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.candles.store import WIDTH_MS, Bar, CandleStore, Quote, Timeframe
from tests.handlers.candles.stores import Store, influxql_store
from tests.services.candles import Candle
from toolaccord.sources.influxdb import InfluxdbError, Row

NOW = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
DAY_START = datetime(2026, 11, 21, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SYMBOL = "ETH/USD"


@pytest.fixture
def stored(store: Store) -> CandleStore:
    return CandleStore(store.source)


def candle(at: datetime, price: float = 100.0, volume: float = 1.0, symbol: str = SYMBOL) -> Candle:
    return (symbol, int(at.timestamp()) * 1000, price, price + 2, price - 1, price + 1, volume)


def market(start: datetime, end: datetime, *, missing: float = 0.1, symbol: str = SYMBOL) -> list[Candle]:
    """Candles of whole minutes with chance prices, some of them missing."""
    chance = random.Random(f"{start} {end}")
    found, at, price = [], start.replace(second=0), 100.0
    while at < end:
        opened, price = price, round(price * chance.uniform(0.99, 1.01), 4)
        high, low = max(opened, price) + chance.random(), min(opened, price) - chance.random()
        if chance.random() >= missing:
            volume = float(chance.randrange(1, 1000))
            found.append((symbol, int(at.timestamp()) * 1000, opened, round(high, 4), round(low, 4), price, volume))
        at += MINUTE
    return found


def aggregated(rows: list[Candle], width: timedelta, now: datetime) -> list[Bar]:
    """Return the expected bars, from the minutes one after the other."""
    bars: dict[datetime, Bar] = {}
    for _, time_ms, opened, high, low, closed, volume in sorted(rows, key=lambda row: row[1]):
        at = datetime.fromtimestamp(time_ms / 1000, UTC)
        start = DAY_START + (at - DAY_START) // width * width
        if start + width > now:
            continue
        bar = bars.setdefault(start, Bar(start, opened, high, low, closed, 0.0))
        bars[start] = Bar(start, bar.open, max(bar.high, high), min(bar.low, low), closed, bar.volume + volume)
    return list(bars.values())


@pytest.mark.parametrize("timeframe", list(WIDTH_MS))
async def test_bars_are_aggregated_from_minutes_in_windows_aligned_to_utc(
    store: Store, stored: CandleStore, timeframe: Timeframe
) -> None:
    days = 3 if WIDTH_MS[timeframe] > 900_000 else 1
    rows = market(NOW - timedelta(days=days, minutes=7), NOW)
    store.write([*rows, *market(NOW - timedelta(hours=9), NOW, symbol="BTC/USD")])
    expected = aggregated(rows, timedelta(milliseconds=WIDTH_MS[timeframe]), NOW)
    page = await stored.latest(SYMBOL, timeframe, NOW, limit=50)
    assert page.total == len(expected)
    assert list(page.items) == expected[-50:]


async def test_a_bar_counts_from_the_moment_at_which_it_has_closed(store: Store, stored: CandleStore) -> None:
    store.write(candle(DAY_START + minute * MINUTE, 100.0 + minute) for minute in range(11))
    just = DAY_START + timedelta(minutes=10)
    before = await stored.latest(SYMBOL, "5m", just - timedelta(milliseconds=1), limit=10)
    after = await stored.latest(SYMBOL, "5m", just, limit=10)
    assert [bar.time.minute for bar in before.items] == [0]
    assert [bar.time.minute for bar in after.items] == [0, 5]
    assert after.items[1] == Bar(DAY_START + 5 * MINUTE, 105.0, 111.0, 104.0, 110.0, 5.0)
    minutes = await stored.latest(SYMBOL, "1m", just + timedelta(seconds=59), limit=10)
    assert (minutes.total, minutes.items[-1].time) == (10, just - MINUTE)


async def test_pages_neither_repeat_nor_lose_a_bar(store: Store, stored: CandleStore) -> None:
    rows = market(NOW - timedelta(hours=8), NOW, missing=0.4)
    store.write(rows)
    for timeframe, width in (("1m", MINUTE), ("5m", 5 * MINUTE)):
        expected = aggregated(rows, width, NOW)
        pages = [
            await stored.latest(SYMBOL, timeframe, NOW, limit=37, offset=offset)  # type: ignore[arg-type]
            for offset in range(0, len(expected), 37)
        ]
        assert {page.total for page in pages} == {len(expected)}
        assert [bar for page in reversed(pages) for bar in page.items] == expected


async def test_a_page_past_the_end_is_empty_and_still_knows_the_total(store: Store, stored: CandleStore) -> None:
    store.write([candle(NOW - timedelta(hours=3)), candle(NOW - timedelta(hours=5))])
    for offset in (2, 1_000_000):
        page = await stored.latest(SYMBOL, "1h", NOW, limit=10, offset=offset)
        assert (list(page.items), page.total) == ([], 2)


@pytest.mark.parametrize("timeframe", ["1m", "1h", "1d"])
async def test_a_page_is_full_however_long_nothing_was_traded(
    store: Store, stored: CandleStore, timeframe: Timeframe
) -> None:
    times = [NOW - timedelta(days=40 * number + 2) for number in range(6)]
    store.write(candle(at.replace(second=0), 100.0 + number) for number, at in enumerate(times))
    page = await stored.latest(SYMBOL, timeframe, NOW, limit=3, offset=1)
    assert (page.total, [bar.open for bar in page.items]) == (6, [103.0, 102.0, 101.0])


async def test_a_symbol_that_nobody_trades_has_nothing(store: Store, stored: CandleStore) -> None:
    store.write([candle(NOW - timedelta(hours=2))])
    page = await stored.latest("NOBODY/USD", "1h", NOW, limit=10)
    assert (list(page.items), page.total) == ([], 0)
    assert await stored.between("NOBODY/USD", "1m", NOW - timedelta(days=1), NOW) == []
    assert await stored.newest("NOBODY/USD", NOW) is None


async def test_minutes_between_two_times_begin_with_the_first_and_end_before_the_last(
    store: Store, stored: CandleStore
) -> None:
    rows = market(DAY_START, DAY_START + timedelta(hours=2))
    store.write(rows)
    start, end = (datetime.fromtimestamp(rows[number][1] / 1000, UTC) for number in (10, 60))
    found = await stored.between(SYMBOL, "1m", start, end)
    assert found == aggregated(rows[10:60], MINUTE, NOW)
    assert await stored.between(SYMBOL, "1m", start, start) == []
    assert await stored.between(SYMBOL, "1m", end, start) == []


@pytest.mark.parametrize("timeframe", list(WIDTH_MS))
async def test_bars_between_two_times_lie_wholly_between_them(
    store: Store, stored: CandleStore, timeframe: Timeframe
) -> None:
    width = timedelta(milliseconds=WIDTH_MS[timeframe])
    rows = market(DAY_START - 3 * width - timedelta(hours=1), DAY_START + 4 * width, missing=0.3)
    store.write(rows)
    bars = aggregated(rows, width, DAY_START + 4 * width)
    instant = timedelta(milliseconds=1)
    for start, end in (
        (DAY_START - 2 * width, DAY_START + 2 * width),
        (DAY_START - 2 * width + instant, DAY_START + 2 * width - instant),
        (DAY_START - instant, DAY_START + width),
        (DAY_START + instant, DAY_START + width),
    ):
        expected = [bar for bar in bars if start <= bar.time and bar.time + width <= end]
        assert await stored.between(SYMBOL, timeframe, start, end) == expected


async def test_a_year_is_read_in_parts_that_neither_overlap_nor_leave_a_gap(store: Store, stored: CandleStore) -> None:
    start = NOW.replace(second=0) - timedelta(days=365)
    edges = [start + timedelta(days=6 * number) + shift for number in range(61) for shift in (-MINUTE, 0 * MINUTE)]
    times = [*edges, NOW.replace(second=0) - MINUTE, NOW.replace(second=0)]
    store.write(candle(at, 100.0 + number) for number, at in enumerate(times))
    found = await stored.between(SYMBOL, "1m", start, NOW.replace(second=0))
    assert [bar.time for bar in found] == times[1:-1]
    assert [bar.open for bar in found] == [100.0 + number for number in range(1, len(times) - 1)]


async def test_more_minutes_than_an_influxdb_gives_in_one_answer_are_read_whole(
    influxdb_url: str, influx_database: str
) -> None:
    """InfluxDB 1.6 marks a complete answer of more than 10,000 rows as partial."""
    rows = market(NOW - timedelta(days=8), NOW, missing=0.0)
    async with influxql_store(influxdb_url, influx_database) as store:
        store.write(rows)
        with pytest.raises(InfluxdbError, match="cut the answer short"):
            await store.source.query("SELECT close FROM candles")
        found = await CandleStore(store.source).between(SYMBOL, "1m", NOW - timedelta(days=9), NOW + MINUTE)
    assert len(rows) > 10_000
    assert found == aggregated(rows, MINUTE, NOW + MINUTE)


async def test_the_newest_price_is_the_close_of_a_minute_that_need_not_be_over(
    store: Store, stored: CandleStore
) -> None:
    now = DAY_START + timedelta(minutes=30, seconds=10)
    store.write(candle(DAY_START + minute * MINUTE, 100.0 + minute) for minute in range(60))
    assert await stored.newest(SYMBOL, now) == Quote(DAY_START + 30 * MINUTE, 131.0)
    assert await stored.newest(SYMBOL, DAY_START) == Quote(DAY_START, 101.0)
    assert await stored.newest(SYMBOL, DAY_START - timedelta(milliseconds=1)) is None


async def test_a_price_an_hour_or_a_day_ago_is_the_last_of_the_hour_before(store: Store, stored: CandleStore) -> None:
    at = DAY_START
    ages = {0: 100.0, 61: 200.0, 70: 300.0, 24 * 60: 400.0, 24 * 60 + 1: 500.0, 25 * 60: 600.0}
    store.write(candle(at - age * MINUTE, price, volume=float(age + 1)) for age, price in ages.items())
    day = await stored.day_before(SYMBOL, Quote(at, 100.0))
    assert (day.price_1h_ago, day.price_24h_ago) == (201.0, 401.0)
    assert day.volume == 1 + 62 + 71  # what opened exactly a day ago is the minute before these 24 hours


async def test_a_price_that_is_not_there_is_none(store: Store, stored: CandleStore) -> None:
    store.write(candle(DAY_START - age * MINUTE) for age in (0, 59, 120, 1439, 1500))
    day = await stored.day_before(SYMBOL, Quote(DAY_START, 100.0))
    assert (day.price_1h_ago, day.price_24h_ago, day.volume) == (None, None, 4.0)


class Refusing:
    """A source that must not be called."""

    kind = "influxdb"
    bucket = "candles"

    def __init__(self, language: Any) -> None:
        self.language = language

    async def query(self, text: str) -> list[Row]:
        raise AssertionError(text)

    async def start(self) -> None: ...

    async def check(self) -> None: ...

    async def close(self) -> None: ...


HOSTILE = ["ETH/USD' OR '1'='1", 'ETH/USD" or true', "ETH/USD\n", "ETH/USD;", "ETH/", "eth/usd", "ETH/${x}", "ETH/USD\0", "É/USD", "", "A/B/C"]  # fmt: skip


@given(st.one_of(st.text(), st.sampled_from(HOSTILE), st.from_regex(r"[A-Z]{3}/[A-Z]{3}.+", fullmatch=True)))
async def test_nothing_but_one_or_two_names_gets_into_a_query(symbol: str) -> None:
    names = symbol.split("/")
    letters = {*"".join(names)} <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    if letters and len(names) <= 2 and all(1 <= len(name) <= 20 for name in names):
        return
    for language in ("flux", "influxql"):
        stored = CandleStore(Refusing(language))
        for asking in (
            stored.latest(symbol, "1h", NOW, 1),
            stored.between(symbol, "1h", DAY_START, NOW),
            stored.newest(symbol, NOW),
            stored.day_before(symbol, Quote(NOW, 1.0)),
        ):
            with pytest.raises(ValueError, match="a symbol is a name of capitals"):
                await asking


async def test_the_symbols_are_those_that_have_candles(store: Store, stored: CandleStore) -> None:
    assert await stored.symbols(NOW) == []
    store.write([candle(DAY_START, symbol=symbol) for symbol in ("SOL/USD", "ETH/USD", "BTC/USD", "eth-usd")])
    store.write([candle(DAY_START + MINUTE)])
    assert await stored.symbols(NOW) == ["BTC/USD", "ETH/USD", "SOL/USD"]
