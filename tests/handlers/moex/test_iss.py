"""The handlers on recorded answers."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from generated.moex.errors import InvalidTicker, IssBadResponse, NoData
from generated.moex.iss.models import (
    GetIndexConstituentsMetricsRequest,
    GetOhlcvTimeseriesRequest,
    GetSecuritySnapshotRequest,
)
from generated.moex.iss.server import IssCall, IssSettings
from handlers.moex import iss
from tests.handlers.moex.exchange import UNTRADED, Recorded, RecordedProgress, answer, block
from toolaccord import Progress, Provisional, ignore_progress

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


BASIS = {
    "change_field": "PREVPRICE",
    "previous_price_date": "2023-10-17",
    "price_currency": "RUB",
    "value_currency": "RUB",
}
"""The members of a snapshot that say what its figures are based on."""


async def snapshot(document: Any) -> dict[str, Any]:
    """Return the handler's result for *document*, as JSON."""
    call = IssCall(
        iss=Recorded(document),
        now=NOON,
        settings=IssSettings(sectors=False),
        progress=ignore_progress,
    )
    result = await iss.get_security_snapshot(GetSecuritySnapshotRequest(ticker="SBER"), call)
    body: dict[str, Any] = json.loads(result.model_dump_json(exclude_none=True))
    return body


async def test_a_snapshot_has_the_figures_of_the_day_as_the_exchange_wrote_them() -> None:
    body = await snapshot(answer())
    assert body["metadata"] == {
        "source": "moex-iss", "ticker": "SBER", "board": "TQBR", "as_of": "2023-10-18T16:25:43+03:00",
    }  # fmt: skip
    assert body["data"] == {
        "last_price": 266.79, "price_change_abs": -3.21, "price_change_pct": -1.19, "price_field": "LAST",
        "open_price": 270, "high_price": 271.19, "low_price": 266.11, "volume": 28693620, "value": 7717500748,
        **BASIS,
    }  # fmt: skip
    assert body["metrics"] == {"intraday_volatility_estimate": pytest.approx(1.8815, abs=1e-4)}


async def test_a_value_that_the_exchange_does_not_know_is_absent() -> None:
    body = await snapshot(answer(market=UNTRADED | {"VALTODAY_RUR": None}))
    assert body["data"] == {
        "last_price": 270, "price_change_abs": 0, "price_change_pct": 0, "volume": 0, "price_field": "PREVPRICE",
        **BASIS,
    }  # fmt: skip
    assert body["metrics"] == {}


async def test_a_day_without_a_trade_has_the_previous_price_and_no_change_whatever_the_market_price() -> None:
    body = await snapshot(answer(market=UNTRADED | {"MARKETPRICE": 975}))
    assert body["data"] == {
        "last_price": 270, "price_change_abs": 0, "price_change_pct": 0, "price_field": "PREVPRICE", "volume": 0, "value": 0,
        **BASIS,
    }  # fmt: skip


async def test_a_share_that_is_traded_in_dollars_has_its_price_in_dollars_and_its_value_in_roubles() -> None:
    body = await snapshot(answer(security={"CURRENCYID": "USD"}, market={"VALTODAY": 102, "VALTODAY_RUR": 9326}))
    assert (body["data"]["value"], body["data"]["value_currency"], body["data"]["price_currency"]) == (
        9326,
        "RUB",
        "USD",
    )


@pytest.mark.parametrize("column", ["CURRENCYID", "PREVDATE"])
async def test_a_currency_or_a_day_that_the_exchange_does_not_know_is_absent(column: str) -> None:
    body = await snapshot(answer(security={column: None}))
    assert BASIS.keys() - body["data"].keys() == {
        {"CURRENCYID": "price_currency", "PREVDATE": "previous_price_date"}[column]
    }


@pytest.mark.parametrize("column", ["LAST", "OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY_RUR"])
async def test_a_negative_price_or_amount_is_a_bad_response(column: str) -> None:
    with pytest.raises(IssBadResponse, match=f"{column} holds a negative number"):
        await snapshot(answer(market={column: -1}))


async def test_the_name_is_the_exchanges_and_not_the_callers() -> None:
    body = await snapshot(answer(security={"SECID": "SBERP"}, market={"SECID": "SBERP"}))
    assert body["metadata"]["ticker"] == "SBERP"


async def test_neither_a_trade_nor_a_previous_price_is_no_data() -> None:
    with pytest.raises(NoData) as raised:
        await snapshot(answer(security={"PREVPRICE": None}, market=UNTRADED))
    assert raised.value.details == {"ticker": "SBER"}


async def test_a_share_on_its_first_day_has_its_price_and_says_that_no_change_is_known() -> None:
    first = {"PREVPRICE": None, "PREVDATE": None}
    body = await snapshot(answer(security=first, market={"CHANGE": None, "LASTTOPREVPRICE": None}))
    data = body["data"]
    assert (data["last_price"], data["price_field"], data["change_field"]) == (266.79, "LAST", "NONE")
    assert (data["price_change_abs"], data["price_change_pct"]) == (0, 0)
    assert "previous_price_date" not in data


# --- candles -------------------------------------------------------------------------------------------------------

CANDLES = "open close high low value volume begin end"
SUNDAY = [308.69, 303.14, 308.69, 300.51, 3618159889.8, 11904960, "2025-06-01 00:00:00", "2025-06-01 23:59:57"]
MONDAY = [302.6, 309.63, 311.99, 302, 12643311908.8, 41216150, "2025-06-02 00:00:00", "2025-06-02 23:59:56"]
BOARDS = block("boards", "secid boardid", ["SBER", "SMAL"], ["SBER", "TQBR"])
JUNE = {"ticker": "SBER", "from_date": "2025-06-01", "to_date": "2025-06-02"}


def candles(*rows: list[Any], boards: Any = BOARDS) -> Callable[[str, Mapping[str, Any]], Any]:
    """An exchange that has these candles on one page."""
    return lambda path, _: block("candles", CANDLES, *rows) if path.endswith("candles.json") else boards


async def series(document: Any, progress: Progress = ignore_progress, **more: Any) -> dict[str, Any]:
    """Return the handler's result for *document*, as JSON."""
    call = IssCall(
        iss=Recorded(document),
        now=NOON,
        settings=IssSettings(sectors=False),
        progress=progress,
    )
    result = await iss.get_ohlcv_timeseries(GetOhlcvTimeseriesRequest.model_validate(JUNE | more), call)
    assert not isinstance(result, Provisional)
    body: dict[str, Any] = json.loads(result.model_dump_json(exclude_none=True))
    return body


async def test_bars_have_moscow_time_and_the_numbers_that_the_exchange_wrote() -> None:
    body = await series(candles(SUNDAY, MONDAY))
    assert body["metadata"] == {"source": "moex-iss", "board": "TQBR", "interval": "1d"} | JUNE
    assert json.dumps(body["data"]) == json.dumps(
        [
            {
                "ts": "2025-06-01T00:00:00+03:00", "open": 308.69, "high": 308.69, "low": 300.51, "close": 303.14,
                "volume": 11904960, "value": 3618159889.8,
            },
            {
                "ts": "2025-06-02T00:00:00+03:00", "open": 302.6, "high": 311.99, "low": 302, "close": 309.63,
                "volume": 41216150, "value": 12643311908.8,
            },
        ]
    )  # fmt: skip
    assert body["metrics"] == {
        "total_return_pct": pytest.approx((309.63 / 303.14 - 1) * 100),
        "avg_daily_volume": (11904960 + 41216150) / 2,
    }


async def test_hours_before_the_end_of_october_2014_are_four_hours_ahead() -> None:
    hours = [
        [144.02, 143.89, 144.78, 143.03, 599770205.4, 4171150, "2014-10-24 18:00:00", "2014-10-24 18:59:59"],
        [143.86, 144.97, 145.26, 143.57, 1206317361, 8338580, "2014-10-27 10:00:00", "2014-10-27 10:59:59"],
    ]
    body = await series(candles(*hours), from_date="2014-10-24", to_date="2014-10-27", interval="1h")
    assert [bar["ts"] for bar in body["data"]] == ["2014-10-24T18:00:00+04:00", "2014-10-27T10:00:00+03:00"]


async def test_a_volume_beyond_what_a_float_holds_is_exact() -> None:
    body = await series(candles([*SUNDAY[:5], 2**53 + 1, *SUNDAY[6:]]))
    assert body["data"][0]["volume"] == 2**53 + 1


async def test_a_bar_without_prices_is_left_out_and_one_without_a_volume_stays() -> None:
    untraded = [None, None, None, None, 0, 0, *SUNDAY[6:]]
    unmeasured = [*MONDAY[:4], None, None, *MONDAY[6:]]
    body = await series(candles(untraded, unmeasured))
    assert [sorted(bar) for bar in body["data"]] == [["close", "high", "low", "open", "ts"]]
    assert body["metrics"] == {}


async def test_columns_that_are_missing_are_left_out() -> None:
    body = await series(block("candles", "begin close open high low", [SUNDAY[6], 303.14, 308.69, 308.69, 300.51]))
    assert body["data"] == [
        {"ts": "2025-06-01T00:00:00+03:00", "open": 308.69, "high": 308.69, "low": 300.51, "close": 303.14}
    ]


@pytest.mark.parametrize("column", [0, 1, 2, 3, 4, 5])
async def test_a_negative_number_in_a_bar_is_a_bad_response(column: int) -> None:
    row = [*SUNDAY[:column], -1, *SUNDAY[column + 1 :]]
    with pytest.raises(IssBadResponse, match="negative"):
        await series(candles(row))


@pytest.mark.parametrize(
    "days", [("2025-06-02", "2025-06-02"), ("2025-06-01", "2025-06-01"), ("2025-06-03", "2025-06-30")]
)
async def test_bars_of_other_days_than_the_requested_ones_are_a_bad_response(days: tuple[str, str]) -> None:
    with pytest.raises(IssBadResponse, match="requested days"):
        await series(candles(SUNDAY, MONDAY), from_date=days[0], to_date=days[1])


@pytest.mark.parametrize("rows", [(MONDAY, SUNDAY), (SUNDAY, SUNDAY)])
async def test_bars_that_are_not_in_order_are_a_bad_response(rows: tuple[list[Any], ...]) -> None:
    with pytest.raises(IssBadResponse, match="order"):
        await series(candles(*rows))


async def test_a_security_that_is_listed_and_was_not_traded_has_no_data() -> None:
    with pytest.raises(NoData, match="not traded on TQBR from 2025-06-01 to 2025-06-02"):
        await series(candles())


@pytest.mark.parametrize("board, boards", [("TQTF", BOARDS), ("TQBR", block("boards", "secid boardid"))])
async def test_a_security_that_is_not_listed_is_an_invalid_ticker(board: str, boards: Any) -> None:
    with pytest.raises(InvalidTicker):
        await series(candles(boards=boards), board=board)


@pytest.mark.parametrize("to_date, is_provisional", [("2026-11-19", False), ("2026-11-20", True), ("2026-11-30", True)])
async def test_a_series_is_provisional_until_its_last_day_is_over(to_date: str, *, is_provisional: bool) -> None:
    request = GetOhlcvTimeseriesRequest(ticker="SBER", from_date=date(2026, 11, 2), to_date=date.fromisoformat(to_date))
    bar = [*SUNDAY[:6], "2026-11-02 00:00:00", "2026-11-02 23:59:57"]
    call = IssCall(
        iss=Recorded(candles(bar)),
        now=NOON,
        settings=IssSettings(sectors=False),
        progress=ignore_progress,
    )
    assert isinstance(await iss.get_ohlcv_timeseries(request, call), Provisional) is is_provisional


async def test_the_number_of_bars_is_reported_as_progress() -> None:
    recorded = RecordedProgress()
    await series(candles(SUNDAY, MONDAY), recorded)
    assert recorded.reports == [(2, None)]


# --- indices -------------------------------------------------------------------------------------------------------

ANALYTICS = "indexid tradedate ticker shortnames secids weight tradingsession"
GAZP = ["IMOEX", "2026-03-06", "GAZP", "Газпром", "GAZP", 41.2, 3]
SBER = ["IMOEX", "2026-03-06", "SBER", "Сбербанк", "SBER", 58.8, 3]
ALONE = [*SBER[:5], 100, 3]


def index(*rows: list[Any], columns: str = ANALYTICS) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return an exchange whose index has these members; only finance has a member, SBER."""

    def body(path: str, _query: Mapping[str, Any]) -> Any:
        if path.endswith("boards/TQBR/securities.json"):
            return answer()
        if path.endswith("IMOEX.json"):
            return block("analytics", columns, *rows)
        return block("analytics", columns, *([ALONE] if "MOEXFN" in path else []))

    return body


async def constituents(
    document: Any, *, sectors: bool = False, progress: Progress = ignore_progress
) -> tuple[dict[str, Any], Recorded]:
    """Return the handler's result for *document*, as JSON, and the source."""
    exchange = Recorded(document)
    call = IssCall(iss=exchange, now=NOON, settings=IssSettings(sectors=sectors), progress=progress)
    request = GetIndexConstituentsMetricsRequest(index_ticker="IMOEX", as_of_date=date(2026, 3, 8))
    result = await iss.get_index_constituents_metrics(request, call)
    return json.loads(result.model_dump_json(exclude_none=True)), exchange


async def test_members_are_the_heaviest_first_and_joined_with_the_prices_of_the_board() -> None:
    body, exchange = await constituents(index(GAZP, SBER))
    assert body == {
        "metadata": {"source": "moex-iss", "index_ticker": "IMOEX", "as_of_date": "2026-03-06"},
        "data": [
            {"ticker": "SBER", "weight_pct": 58.8, "last_price": 266.79, "price_change_pct": -1.19, "price_field": "LAST"},
            {"ticker": "GAZP", "weight_pct": 41.2},
        ],
        "metrics": {
            "top5_weight_pct": 100, "num_constituents": 2,
            "composition_date": "2026-03-06", "requested_as_of_date": "2026-03-08", "is_requested_date": False,
            "prices_as_of": "2023-10-18T16:25:43+03:00",
        },
    }  # fmt: skip
    assert len(exchange.requests) == 2
    query = dict(exchange.requests[0][1])
    assert (query["date"], query["limit"], query["start"]) == ("2026-03-08", 100, 0)


async def test_sectors_come_from_their_indices_of_the_day_that_was_served() -> None:
    body, exchange = await constituents(index(GAZP, SBER), sectors=True)
    assert [member.get("sector") for member in body["data"]] == ["Finance", None]
    assert len(exchange.requests) == 2 + 10
    assert {query["date"] for _, query in exchange.requests[2:]} == {"2026-03-06"}


@pytest.mark.parametrize("sectors, steps", [(False, 2), (True, 2 + 10)])
async def test_each_request_for_an_index_is_reported_as_a_step(*, sectors: bool, steps: int) -> None:
    recorded = RecordedProgress()
    await constituents(index(GAZP, SBER), sectors=sectors, progress=recorded)
    assert recorded.reports == [(step, steps) for step in range(1, steps + 1)]


async def test_a_day_without_a_composition_is_no_data() -> None:
    with pytest.raises(NoData) as raised:
        await constituents(index())
    assert raised.value.details == {"ticker": "IMOEX"}


@pytest.mark.parametrize(
    "rows",
    [
        (SBER, SBER),
        (SBER, ["IMOEX", "2026-03-05", *GAZP[2:]]),
        (SBER, [*GAZP[:5], None, 3]),
        (
            ["IMOEX", "2026-03-06", "LKOH", "ЛУКОЙЛ", "LKOH", 41.2, 3],
            SBER,
            [*GAZP[:5], -41.2, 3],
            [*GAZP[:2], "TATN", *GAZP[3:]],
        ),
        (SBER, [*GAZP[:5], "41.2", 3]),
        (["IMOEX", "6 March", *ALONE[2:]],),
    ],
)
async def test_a_composition_that_cannot_be_is_a_bad_response(rows: tuple[list[Any], ...]) -> None:
    with pytest.raises(IssBadResponse):
        await constituents(index(*rows))


async def test_a_member_that_was_not_traded_today_has_the_previous_price_and_no_change() -> None:
    board = answer(market=UNTRADED | {"MARKETPRICE": 975})
    members = index(ALONE)
    body, _ = await constituents(lambda path, query: board if "boards/TQBR" in path else members(path, query))
    assert body["data"] == [
        {"ticker": "SBER", "weight_pct": 100, "last_price": 270, "price_change_pct": 0, "price_field": "PREVPRICE"}
    ]


@pytest.mark.parametrize("weights", [(58.81, 41.2), (58.79, 41.2), (58.8, 41.21)])
async def test_weights_may_miss_a_hundred_by_what_was_rounded(weights: tuple[float, float]) -> None:
    sber, gazp = ([*row[:5], weight, 3] for row, weight in zip((SBER, GAZP), weights, strict=True))
    body, _ = await constituents(index(sber, gazp))
    assert [member["weight_pct"] for member in body["data"]] == list(weights)


@pytest.mark.parametrize("weights", [(58.8, 41.17), (58.8, 41.23), (14, 9.8), (100, 41.2)])
async def test_a_composition_whose_weights_are_not_a_hundred_percent_is_a_bad_response_and_the_log_says_why(
    weights: tuple[float, float],
) -> None:
    sber, gazp = ([*row[:5], weight, 3] for row, weight in zip((SBER, GAZP), weights, strict=True))
    with pytest.raises(IssBadResponse, match="IMOEX is incomplete") as raised:
        await constituents(index(sber, gazp))
    assert str(raised.value.__cause__) == f"The 2 weights of IMOEX sum to {sum(weights):g} %, not to 100 %."


async def test_a_sector_that_is_not_whole_leaves_no_member_silently_without_one() -> None:
    whole = index(GAZP, SBER)

    def body(path: str, query: Mapping[str, Any]) -> Any:
        return block("analytics", ANALYTICS, SBER) if "MOEXFN" in path else whole(path, query)

    with pytest.raises(IssBadResponse, match="MOEXFN is incomplete"):
        await constituents(body, sectors=True)


async def test_a_member_with_a_price_and_no_previous_one_has_no_change() -> None:
    board = answer(security={"PREVPRICE": None}, market={"CHANGE": None})
    members = index(ALONE)
    body, _ = await constituents(lambda path, query: board if "boards/TQBR" in path else members(path, query))
    assert body["data"] == [{"ticker": "SBER", "weight_pct": 100, "last_price": 266.79, "price_field": "LAST"}]
