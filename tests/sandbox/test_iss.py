import itertools
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from statistics import stdev
from typing import Any

import httpx
import pytest

from sandbox.iss import serve
from sandbox.iss.indices import NAMES, SECTORS
from sandbox.iss.shares import shares_on_board
from tests.sandbox.iss import ANALYTICS, BOARD, CANDLES, NOON, SBER, Asking, Table, asking, rows
from tests.services.exchange import Exchange

SATURDAY = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def iss() -> Iterator[Asking]:
    with asking() as each:
        yield each


def pages(iss: Asking, path: str, block: str, size: int, **query: Any) -> list[Table]:
    """All pages, until one that is not full."""
    found = []
    for start in itertools.count(0, size):
        found.append(iss.rows(path, block, start=start, **query))
        if len(found[-1]) < size:
            return found
    raise AssertionError


def flat(found: list[Table]) -> Table:
    return list(itertools.chain.from_iterable(found))


def test_the_base_url_is_on_loopback_and_ends_in_iss() -> None:
    with serve() as url:
        parts = httpx.URL(url)
    assert (parts.scheme, parts.host, parts.path) == ("http", "127.0.0.1", "/iss")


def test_two_stand_ins_run_side_by_side() -> None:
    with serve() as one, serve() as two:
        assert one != two
        assert all(httpx.get(f"{url}/none", timeout=60).status_code == 404 for url in (one, two))


def test_nobody_answers_after_the_end() -> None:
    with serve() as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_a_port_that_is_taken_is_an_error_and_leaves_nothing_behind(iss: Asking) -> None:
    taken = httpx.URL(iss.exchange.url).port
    with pytest.raises(OSError, match="in use"), Exchange(lambda: NOON, port=taken or 0).running():
        pass


@pytest.mark.parametrize("path", ["none.json", f"{BOARD}/securities/SBER.xml", f"{BOARD}/none/SBER.json"])
def test_a_path_that_is_not_served_is_not_found(iss: Asking, path: str) -> None:
    assert iss.get(path).status_code == 404


def test_the_same_clock_gives_the_same_answers_and_another_does_not() -> None:
    paths = (SBER, f"{CANDLES}?from=2026-11-01", f"{ANALYTICS}/IMOEX.json")
    with asking() as one, asking() as two, asking(NOON + timedelta(days=1)) as later:
        for path in paths:
            assert one.get(path).content == two.get(path).content != later.get(path).content


class TestTables:
    """Options of a query."""

    def test_iss_only_chooses_blocks_and_the_column_filter_columns_in_the_exchanges_order(self, iss: Asking) -> None:
        chosen = {"iss.only": "marketdata", "marketdata.columns": "SYSTIME,NONE,LAST"}
        blocks = iss.get(SBER, chosen).json()
        assert list(blocks) == ["marketdata"]
        assert blocks["marketdata"]["columns"] == ["LAST", "SYSTIME"]

    @pytest.mark.parametrize("query, present", [({}, True), ({"iss.meta": "on"}, True), ({"iss.meta": "off"}, False)])
    def test_iss_meta_decides_about_metadata(self, iss: Asking, query: dict[str, str], *, present: bool) -> None:
        for table in iss.get(SBER, query).json().values():
            assert ("metadata" in table) == present
            assert not present or list(table["metadata"]) == table["columns"]

    def test_iss_data_leaves_out_the_rows(self, iss: Asking) -> None:
        assert all("data" not in table for table in iss.json(SBER, iss_data="off").values())

    def test_the_extended_format_has_records(self, iss: Asking) -> None:
        charset, blocks = iss.json(SBER, iss_json="extended", iss_meta="off")
        assert charset == {"charsetinfo": {"name": "utf-8"}}
        assert blocks["securities"] == iss.rows(SBER, "securities")
        metadata, records = iss.json(SBER, iss_json="extended")[1]["securities"]
        assert (list(metadata["metadata"]), records) == (list(records[0]), blocks["securities"])

    def test_a_round_number_is_written_without_a_fraction(self, iss: Asking) -> None:
        assert '"LOTSIZE"' in iss.get(SBER).text
        closes = [row["close"] for row in iss.rows(CANDLES, "candles", from_="2020-01-01")]
        assert any(isinstance(close, int) for close in closes)
        assert not any(isinstance(close, float) and close.is_integer() for close in closes)


class TestQuotes:
    """Shares today."""

    def test_the_blocks_are_those_of_the_exchange(self, iss: Asking) -> None:
        assert list(iss.json(SBER)) == ["securities", "marketdata", "dataversion", "marketdata_yields"]

    def test_a_traded_share_has_the_changes_that_the_exchange_computes(self, iss: Asking) -> None:
        sber = iss.row("SBER")
        change = sber["LAST"] - sber["PREVPRICE"]
        assert sber["CHANGE"] == pytest.approx(change)
        assert sber["LASTTOPREVPRICE"] == round(change / sber["PREVPRICE"] * 100, 2)
        assert (sber["LASTCHANGE"], sber["LASTCHANGEPRCNT"]) == (-0.01, 0)

    def test_every_share_of_the_board_is_consistent_in_itself(self, iss: Asking) -> None:
        blocks = iss.json(f"{BOARD}/securities.json")
        shares, markets = rows(blocks, "securities"), rows(blocks, "marketdata")
        assert [row["SECID"] for row in shares] == [row["SECID"] for row in markets]
        assert [row["SECID"] for row in shares] == [share.ticker for share in shares_on_board("TQBR")]
        for market in markets:
            if market["LAST"] is None:
                assert market["CHANGE"] is market["OPEN"] is None
                zeros = ("LASTTOPREVPRICE", "LASTCHANGE", "LASTCHANGEPRCNT", "VOLTODAY", "VALTODAY", "VALTODAY_RUR")
                assert [market[name] for name in zeros] == [0] * len(zeros)
            else:
                assert market["LOW"] <= min(market["OPEN"], market["LAST"])
                assert max(market["OPEN"], market["LAST"]) <= market["HIGH"]
        untraded = {market["SECID"] for market in markets if market["LAST"] is None}
        assert untraded == {"KROT", "NSVZ", "TATNP"}

    def test_a_share_that_is_not_traded_has_a_previous_price_or_a_market_price_or_nothing(self, iss: Asking) -> None:
        krot, tatnp, nsvz = (iss.row(ticker) for ticker in ("KROT", "TATNP", "NSVZ"))
        assert (krot["MARKETPRICE"], krot["PREVDATE"]) == (None, "2024-03-15")
        assert krot["PREVPRICE"] > 0
        assert tatnp["MARKETPRICE"] not in {0, tatnp["PREVPRICE"]}
        assert [nsvz[name] for name in ("LAST", "LCURRENTPRICE", "MARKETPRICE", "PREVPRICE")] == [None] * 4

    def test_a_query_can_select_shares_of_a_board(self, iss: Asking) -> None:
        found = iss.rows(f"{BOARD}/securities.json", "marketdata", securities="SBER,GAZP,UGLD,NOPE")
        assert [row["SECID"] for row in found] == ["GAZP", "SBER"]

    def test_the_clock_of_the_exchange_is_moscow_time_without_offset_and_trades_are_late(self, iss: Asking) -> None:
        sber = iss.row("SBER")
        assert (sber["SYSTIME"], sber["TIME"]) == ("2026-11-20 15:00:00", "14:45:00")

    def test_before_the_first_trade_of_a_day_the_day_before_is_shown(self) -> None:
        with asking(datetime(2026, 11, 20, 4, 10, tzinfo=UTC)) as early:
            sber = early.row("SBER")
        assert (sber["SYSTIME"], sber["TRADE_SESSION_DATE"]) == ("2026-11-20 07:10:00", "2026-11-19")
        assert (sber["TIME"], sber["PREVDATE"]) == ("23:59:59", "2026-11-18")

    def test_today_is_the_candle_of_today_and_the_previous_price_the_close_before(self, iss: Asking) -> None:
        before, today = iss.rows(CANDLES, "candles", from_="2026-11-19")
        sber = iss.row("SBER")
        assert [sber[name] for name in ("OPEN", "HIGH", "LOW", "LAST")] == [
            today[name] for name in ("open", "high", "low", "close")
        ]
        assert (sber["VOLTODAY"], sber["VALTODAY_RUR"]) == (today["volume"], round(today["value"]))
        assert sber["PREVPRICE"] == before["close"]

    @pytest.mark.parametrize(
        "path", [f"{BOARD}/securities/NOPE.json", SBER.replace("TQBR", "TQTF"), f"{BOARD}/securities/UGLD.json"]
    )
    def test_an_unknown_security_has_columns_and_no_rows(self, iss: Asking, path: str) -> None:
        blocks = iss.json(path)
        for block in ("securities", "marketdata"):
            assert blocks[block]["columns"]
            assert blocks[block]["data"] == []


class TestCandles:
    """The past of a share."""

    def test_pages_have_five_hundred_rows_and_no_cursor(self, iss: Asking) -> None:
        year = {"from_": "2025-01-01", "till": "2025-12-31", "interval": 60}
        found = pages(iss, CANDLES, "candles", 500, **year)
        assert [len(page) for page in found[:-1]] == [500] * (len(found) - 1)
        assert 4000 < len(flat(found)) < 5500
        begins = [row["begin"] for row in flat(found)]
        assert begins == sorted(set(begins))
        assert list(iss.json(CANDLES, **year)) == ["candles"]

    def test_a_stand_in_may_show_a_cursor(self) -> None:
        with asking(cursor=True) as iss:
            blocks = iss.json(CANDLES, from_="2020-01-01", start=1000)
            (cursor,) = rows(blocks, "candles.cursor")
        assert cursor == {"INDEX": 1000, "TOTAL": cursor["TOTAL"], "PAGESIZE": 500}
        assert cursor["TOTAL"] > 1500
        assert len(blocks["candles"]["data"]) == 500

    def test_after_the_last_page_there_is_an_empty_one(self, iss: Asking) -> None:
        assert iss.rows(CANDLES, "candles", from_="2026-11-01", start=500) == []

    def test_the_hours_of_a_day_make_the_day(self, iss: Asking) -> None:
        days = {row["begin"][:10]: row for row in iss.rows(CANDLES, "candles", from_="2026-11-01", till="2026-11-20")}
        hours = iss.rows(CANDLES, "candles", from_="2026-11-01", till="2026-11-20", interval=60)
        for day, group in itertools.groupby(hours, lambda row: row["begin"][:10]):
            each = list(group)
            assert days[day]["open"] == each[0]["open"]
            assert days[day]["close"] == each[-1]["close"]
            assert days[day]["high"] == max(row["high"] for row in each)
            assert days[day]["low"] == min(row["low"] for row in each)
            assert days[day]["volume"] == sum(row["volume"] for row in each)
            assert days[day]["value"] == pytest.approx(sum(row["value"] for row in each))

    def test_every_candle_is_consistent_in_itself(self, iss: Asking) -> None:
        for row in iss.rows(CANDLES, "candles", from_="2026-10-01", interval=60):
            assert row["low"] <= min(row["open"], row["close"]) <= max(row["open"], row["close"]) <= row["high"]
            assert row["volume"] % 10 == 0
            assert row["low"] <= row["value"] / row["volume"] <= row["high"]

    def test_an_hour_that_is_not_over_grows(self) -> None:
        query = {"from_": "2026-11-20", "interval": 60}
        with asking() as now, asking(NOON + timedelta(minutes=10)) as later:
            before, after = now.rows(CANDLES, "candles", **query), later.rows(CANDLES, "candles", **query)
        assert before[:-1] == after[:-1]
        assert (before[-1]["begin"], before[-1]["end"]) == ("2026-11-20 14:00:00", "2026-11-20 14:45:00")
        assert (before[-1]["open"], after[-1]["end"]) == (after[-1]["open"], "2026-11-20 14:55:00")
        assert before[-1]["volume"] < after[-1]["volume"]

    @pytest.mark.parametrize(
        "day, hours",
        [
            ("2014-06-09", range(10, 19)),
            ("2014-10-27", range(10, 19)),
            ("2023-10-18", range(10, 24)),
            ("2024-06-02", range(0)),
            ("2025-06-01", range(10, 19)),
            ("2025-06-02", range(7, 24)),
            ("2025-06-12", range(0)),
        ],
        ids=[
            "2014",
            "after the clocks changed",
            "evenings",
            "a Sunday of 2024",
            "a Sunday of 2025",
            "mornings",
            "a holiday",
        ],
    )
    def test_sessions_are_those_of_their_time(self, iss: Asking, day: str, hours: range) -> None:
        found = iss.rows(CANDLES, "candles", from_=day, till=day, interval=60)
        assert [row["begin"] for row in found] == [f"{day} {hour:02}:00:00" for hour in hours]
        assert [row["end"] for row in found] == [f"{day} {hour:02}:59:59" for hour in hours]

    def test_prices_move_as_those_of_shares_do(self, iss: Asking) -> None:
        closes = [row["close"] for row in iss.rows(CANDLES, "candles", from_="2024-01-01")]
        returns = [math.log(later / earlier) for earlier, later in itertools.pairwise(closes)]
        assert 0.1 < stdev(returns) * math.sqrt(252) < 0.6

    @pytest.mark.parametrize(
        "path, query",
        [
            (CANDLES.replace("SBER", "NOPE"), {}),
            (CANDLES.replace("TQBR", "TQTF"), {}),
            (CANDLES, {"from": "2030-01-01"}),
            (CANDLES, {"from": "2026-11-20", "till": "2026-11-01"}),
            (CANDLES, {"from": "1999-01-01", "till": "2005-01-01"}),
            (CANDLES, {"from": "yesterday"}),
            (CANDLES, {"interval": 5}),
            (CANDLES.replace("SBER", "X5"), {"till": "2024-12-31"}),
            (CANDLES.replace("SBER", "NSVZ"), {}),
        ],
    )
    def test_an_empty_answer_has_columns_and_no_rows(self, iss: Asking, path: str, query: dict[str, Any]) -> None:
        (table,) = iss.get(path, query).raise_for_status().json().values()
        assert (len(table["columns"]), table["data"]) == (8, [])


class TestIndices:
    """Compositions of indices."""

    @pytest.mark.parametrize("index, size", [("IMOEX", 50), ("RTSI", 50), ("MOEXBMI", 100)])
    def test_an_index_comes_in_pages_of_twenty_or_a_hundred_by_ticker(self, iss: Asking, index: str, size: int) -> None:
        path = f"{ANALYTICS}/{index}.json"
        found = flat(pages(iss, path, "analytics", 100, limit=100))
        assert flat(pages(iss, path, "analytics", 20)) == found
        assert flat(pages(iss, path, "analytics", 20, limit=50)) == found
        tickers = [row["ticker"] for row in found]
        assert tickers == sorted(set(tickers))
        assert len(tickers) == size or size == 100 < len(tickers)
        assert sum(row["weight"] for row in found) == pytest.approx(100, abs=0.5)

    def test_the_cursor_has_the_position_of_a_page_and_the_adjacent_days(self, iss: Asking) -> None:
        blocks = iss.json(f"{ANALYTICS}/IMOEX.json", date="2026-11-16", start=20)
        assert rows(blocks, "analytics.cursor") == [
            {"INDEX": 20, "TOTAL": 50, "PAGESIZE": 20, "PREV_DATE": "2026-11-13", "NEXT_DATE": "2026-11-17"}
        ]
        assert rows(blocks, "analytics.dates") == [{"from": "2010-01-11", "till": "2026-11-19"}]

    @pytest.mark.parametrize(
        "requested, served",
        [
            ("2026-11-18", "2026-11-18"),
            ("2026-11-15", "2026-11-13"),
            ("2026-11-20", "2026-11-19"),
            ("2027-06-01", "2026-11-19"),
            (None, "2026-11-19"),
        ],
        ids=["a working day", "a Sunday", "today", "a day to come", "no day"],
    )
    def test_the_day_that_is_served_is_in_every_row(self, iss: Asking, requested: str | None, served: str) -> None:
        query = {"date": requested} if requested else {}
        found = iss.rows(f"{ANALYTICS}/IMOEX.json", "analytics", **query)
        assert {row["tradedate"] for row in found} == {row["trade_session_date"] for row in found} == {served}

    @pytest.mark.parametrize(
        "index, day", [("IMOEX", "2026-11-04"), ("IMOEX", "2009-01-12"), ("IMOEX", "today"), ("NOPE", "2026-11-18")]
    )
    def test_a_holiday_and_an_unknown_index_have_columns_and_no_rows(self, iss: Asking, index: str, day: str) -> None:
        blocks = iss.json(f"{ANALYTICS}/{index}.json", date=day)
        assert blocks["analytics"]["columns"]
        assert blocks["analytics"]["data"] == []

    def test_members_and_weights_change_with_time(self, iss: Asking) -> None:
        then, now = (
            iss.rows(f"{ANALYTICS}/IMOEX.json", "analytics", limit=100, date=day)
            for day in ("2020-02-03", "2026-11-18")
        )
        assert len(then) == len(now) == 50
        assert {row["ticker"] for row in then} != {row["ticker"] for row in now}
        assert {row["ticker"]: row["weight"] for row in then} != {row["ticker"]: row["weight"] for row in now}

    def test_every_member_but_one_is_on_the_board_and_one_of_those_is_not_traded(self, iss: Asking) -> None:
        members = {row["ticker"] for row in iss.rows(f"{ANALYTICS}/IMOEX.json", "analytics", limit=100)}
        market = {row["SECID"]: row["LAST"] for row in iss.rows(f"{BOARD}/securities.json", "marketdata")}
        assert members - set(market) == {"UGLD"}
        assert {ticker for ticker in members & set(market) if market[ticker] is None} == {"TATNP"}

    def test_a_share_is_in_one_sector_at_most(self, iss: Asking) -> None:
        found = [row["ticker"] for sector in SECTORS for row in iss.rows(f"{ANALYTICS}/{sector}.json", "analytics")]
        assert len(found) == len(set(found)) > 50

    def test_the_large_indices_can_be_made_larger_than_a_page(self) -> None:
        with asking(members=120) as iss:
            found = pages(iss, f"{ANALYTICS}/IMOEX.json", "analytics", 100, limit=100)
        assert [len(page) for page in found] == [100, 20]

    @pytest.mark.parametrize("index", sorted(NAMES))
    def test_an_index_has_market_data_on_its_board(self, iss: Asking, index: str) -> None:
        board = "RTSI" if index == "RTSI" else "SNDX"
        (market,) = iss.rows(f"engines/stock/markets/index/boards/{board}/securities/{index}.json", "marketdata")
        assert market["LOW"] <= market["CURRENTVALUE"] <= market["HIGH"]
        assert market["LASTCHANGE"] == pytest.approx(market["CURRENTVALUE"] - market["LASTVALUE"])
        assert market["VOLTODAY"] is None
        assert iss.rows(f"engines/stock/markets/index/boards/NONE/securities/{index}.json", "marketdata") == []


class TestDescriptions:
    """Descriptions of securities."""

    def test_a_share_is_described_and_its_board_named(self, iss: Asking) -> None:
        blocks = iss.json("securities/UGLD.json")
        assert {row["name"]: row["value"] for row in rows(blocks, "description")}["SECID"] == "UGLD"
        assert [(row["boardid"], row["is_traded"]) for row in rows(blocks, "boards")] == [("TQPI", 1)]

    def test_a_share_that_is_no_longer_traded_has_its_last_day(self, iss: Asking) -> None:
        (board,) = iss.rows("securities/KROT.json", "boards")
        assert (board["is_traded"], board["history_till"]) == (0, "2024-03-15")

    def test_an_unknown_security_has_neither(self, iss: Asking) -> None:
        blocks = iss.json("securities/NOPE.json")
        assert [table["data"] for table in blocks.values()] == [[], []]


def test_weekends_have_a_session_of_their_own() -> None:
    with asking(SATURDAY) as iss:
        sber, (friday, saturday) = iss.row("SBER"), iss.rows(CANDLES, "candles", from_="2026-11-20")
    assert date.fromisoformat(sber["TRADE_SESSION_DATE"]).weekday() == 5
    assert (sber["LAST"], sber["PREVPRICE"]) == (saturday["close"], friday["close"])
