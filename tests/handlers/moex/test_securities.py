import asyncio
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.moex.errors import InvalidTicker, IssBadResponse, IssTimeout, NoData, RateLimited
from generated.moex.iss.server import server
from handlers.moex import iss
from handlers.moex.securities import (
    Change,
    Listing,
    Price,
    fetch_listings,
    fetch_quotation,
    fetch_quotations,
    read_price,
)
from tests.handlers.moex.exchange import MARKETDATA, SECURITIES, UNTRADED, Recorded, answer, nothing, table
from toolaccord import ToolError
from toolaccord.call.error_mapping import failure_of
from toolaccord.sources.http import HttpBadResponse, HttpRateLimited, HttpTimeout, HttpUnavailable

SBER = MARKETDATA | SECURITIES
UNTRADED_SBER = SBER | UNTRADED


def test_the_change_of_the_last_trade_is_the_exchanges_own() -> None:
    assert read_price(SBER) == Price(field="LAST", last=266.79, change=Change(absolute=-3.21, pct=-1.19))


@pytest.mark.parametrize("market_price", [None, 269.93, 975, 0.01])
@pytest.mark.parametrize("current_price", [None, 267])
def test_without_a_trade_the_previous_price_serves_and_nothing_has_changed(
    market_price: float | None, current_price: float | None
) -> None:
    row = UNTRADED_SBER | {"MARKETPRICE": market_price, "LCURRENTPRICE": current_price}
    assert read_price(row) == Price(field="PREVPRICE", last=270, change=Change(absolute=0, pct=0))


def test_the_exchanges_change_counts_only_for_the_last_trade() -> None:
    assert read_price(SBER | {"LAST": None}) == Price(field="PREVPRICE", last=270, change=Change(absolute=0, pct=0))


def test_a_change_that_the_exchange_left_out_is_recomputed_to_its_decimals() -> None:
    assert read_price(SBER | {"CHANGE": None}) == Price(
        field="LAST", last=266.79, change=Change(absolute=-3.21, pct=-1.19)
    )
    assert read_price(SBER | {"CHANGE": None, "DECIMALS": 1}) == Price(
        field="LAST", last=266.79, change=Change(absolute=-3.2, pct=-1.19)
    )


@pytest.mark.parametrize("decimals", [-1, 13, 2**63])
def test_an_impossible_number_of_decimals_is_a_bad_response(decimals: int) -> None:
    with pytest.raises(IssBadResponse, match="DECIMALS"):
        read_price(SBER | {"CHANGE": None, "DECIMALS": decimals})


@pytest.mark.parametrize("previous", [None, 0])
def test_without_a_previous_price_a_trade_has_no_change_and_no_trade_has_no_price(previous: float | None) -> None:
    assert read_price(SBER | {"PREVPRICE": previous, "CHANGE": None}) == Price(field="LAST", last=266.79, change=None)
    assert read_price(UNTRADED_SBER | {"PREVPRICE": previous}) is None


def test_the_exchanges_change_needs_no_previous_price() -> None:
    assert read_price(SBER | {"PREVPRICE": None}) == Price(
        field="LAST", last=266.79, change=Change(absolute=-3.21, pct=-1.19)
    )


nullable = st.none() | st.floats(0.01, 1e6).map(lambda value: round(value, 2))
COLUMNS = ("LAST", "PREVPRICE", "MARKETPRICE", "LCURRENTPRICE", "CHANGE", "LASTTOPREVPRICE")


@given(st.fixed_dictionaries(dict.fromkeys(COLUMNS, nullable)))
def test_no_column_but_those_of_the_last_trade_and_the_previous_price_says_what_a_share_costs(
    columns: dict[str, float | None],
) -> None:
    found, last, previous = read_price(SBER | columns), columns["LAST"], columns["PREVPRICE"]
    assert (found is None) == (last is None and previous is None)
    if found is not None:
        assert (found.field, found.last) == (("PREVPRICE", previous) if last is None else ("LAST", last))
        assert last is not None or found.change == Change(absolute=0, pct=0)


@given(st.sets(st.sampled_from(["OPEN", "HIGH", "LOW", "VOLTODAY", "VALTODAY_RUR"])), st.randoms())
def test_neither_the_order_of_columns_nor_one_that_is_missing_matters(missing: set[str], chance: Random) -> None:
    columns = [name for name in MARKETDATA if name not in missing]
    chance.shuffle(columns)
    shuffled = answer() | {"marketdata": table(MARKETDATA, columns)}
    row = asyncio.run(fetch_quotation(Recorded(shuffled), "SBER", "TQBR"))
    assert read_price(row) == Price(field="LAST", last=266.79, change=Change(absolute=-3.21, pct=-1.19))
    assert {name for name in row if name in missing} == set()


async def test_only_the_needed_columns_are_requested() -> None:
    exchange = Recorded(answer())
    await fetch_quotation(exchange, "SBER", "TQBR")
    [(path, query)] = exchange.requests
    assert path == "engines/stock/markets/shares/boards/TQBR/securities/SBER.json"
    assert (query["iss.meta"], query["iss.only"]) == ("off", "securities,marketdata")
    assert str(query["marketdata.columns"]).split(",")[:2] == ["SECID", "LAST"]


async def test_a_whole_board_is_one_request_and_a_security_without_market_data_is_there_too() -> None:
    board = {
        "securities": {"columns": ["BOARDID", "SECID", "PREVPRICE"], "data": [["TQBR", "SBER", 270], ["TQBR", "X", 5]]},
        "marketdata": {"columns": ["SECID", "LAST", "SYSTIME"], "data": [["SBER", 271, "2023-10-18 16:25:43"]]},
    }
    exchange = Recorded(board)
    found = await fetch_quotations(exchange, "TQBR")
    assert found["X"] == {"BOARDID": "TQBR", "SECID": "X", "PREVPRICE": 5}
    assert (found["SBER"]["LAST"], found["SBER"]["PREVPRICE"]) == (271, 270)
    assert [path for path, _ in exchange.requests] == ["engines/stock/markets/shares/boards/TQBR/securities.json"]


async def test_a_snapshot_reads_the_whole_board_only_while_requests_wait() -> None:
    free, queueing = Recorded(answer()), Recorded(answer(), is_queueing=True)
    assert await fetch_quotation(free, "SBER", "TQBR") == await fetch_quotation(queueing, "SBER", "TQBR")
    boards = "engines/stock/markets/shares/boards/TQBR"
    assert [path for path, _ in free.requests] == [f"{boards}/securities/SBER.json"]
    assert [path for path, _ in queueing.requests] == [f"{boards}/securities.json"]


async def test_only_a_request_of_its_own_shows_that_a_security_is_unknown() -> None:
    exchange = Recorded(lambda path, _: nothing() if path.endswith("/NOPE.json") else answer(), is_queueing=True)
    with pytest.raises(InvalidTicker):
        await fetch_quotation(exchange, "NOPE", "TQBR")
    assert [path.rpartition("/")[2] for path, _ in exchange.requests] == ["securities.json", "NOPE.json"]


async def test_an_unknown_security_is_an_invalid_ticker() -> None:
    with pytest.raises(InvalidTicker) as raised:
        await fetch_quotation(Recorded(nothing()), "NOPE", "TQBR")
    assert raised.value.details == {"ticker": "NOPE", "board": "TQBR"}


@pytest.mark.parametrize(
    "ticker, board",
    [
        ("../../x", "TQBR"),
        ("SBER?a=b", "TQBR"),
        ("..", "TQBR"),
        ("SBER", "."),
        ("СБЕР", "TQBR"),
        ("SB ER", "TQBR"),
        ("SBER\n", "TQBR"),
    ],
)
async def test_an_impossible_ticker_or_board_never_reaches_the_exchange(ticker: str, board: str) -> None:
    exchange = Recorded(answer())
    with pytest.raises(InvalidTicker):
        await fetch_quotation(exchange, ticker, board)
    assert exchange.requests == []


async def test_a_security_that_is_not_traded_on_its_board_has_no_data() -> None:
    silent = answer() | {"marketdata": table(None, list(MARKETDATA))}
    with pytest.raises(NoData):
        await fetch_quotation(Recorded(silent), "SBER", "TQBR")


async def test_a_day_without_trades_is_a_quotation_like_any_other() -> None:
    row = await fetch_quotation(Recorded(answer(market=UNTRADED)), "SBER", "TQBR")
    assert read_price(row) == Price(field="PREVPRICE", last=270, change=Change(absolute=0, pct=0))


@pytest.mark.parametrize(
    "failure, error",
    [
        (HttpTimeout("8 s"), IssTimeout),
        (HttpBadResponse("no JSON"), IssBadResponse),
        (HttpRateLimited("429", status=429), RateLimited),
        (HttpRateLimited("no slot"), RateLimited),
    ],
)
async def test_a_failure_with_a_code_of_its_own_becomes_it(failure: Exception, error: type[ToolError]) -> None:
    with pytest.raises(error) as raised:
        await fetch_quotation(Recorded(failure), "SBER", "TQBR")
    assert raised.value.__cause__ is failure


async def test_any_other_failure_is_left_to_the_runtime() -> None:
    with pytest.raises(HttpUnavailable):
        await fetch_quotation(Recorded(HttpUnavailable("503", status=503)), "SBER", "TQBR")


async def test_a_listing_has_the_exchanges_names_and_the_class_of_the_share() -> None:
    columns = ["SECID", "SHORTNAME", "SECNAME", "LATNAME", "SECTYPE"]
    rows = [
        ["SBER", "Сбербанк", "Сбербанк России", "Sberbank", "1"],
        ["SBERP", "Сбербанк-п", "Сбербанк России", "Sberbank (P)", "2"],
        ["AGRO", "RusAgro", "Ros Agro", None, "D"],
    ]
    document = {"securities": {"columns": columns, "data": rows}}
    assert await fetch_listings(Recorded(document), "TQBR") == [
        Listing(ticker="SBER", share_class="ordinary", names=["Сбербанк", "Сбербанк России", "Sberbank"]),
        Listing(ticker="SBERP", share_class="preferred", names=["Сбербанк-п", "Сбербанк России", "Sberbank (P)"]),
        Listing(ticker="AGRO", share_class="other", names=["RusAgro", "Ros Agro"]),
    ]


async def test_a_list_without_the_class_of_a_share_is_a_bad_response() -> None:
    document = {"securities": {"columns": ["SECID", "SHORTNAME", "SECNAME", "LATNAME"], "data": []}}
    with pytest.raises(IssBadResponse):
        await fetch_listings(Recorded(document), "TQBR")


@pytest.mark.parametrize(
    "failure, text, retry_after_s",
    [
        (HttpRateLimited("429", status=429), "The exchange limits the rate of requests; call again later.", None),
        (
            HttpRateLimited("429", status=429, retry_after_s=1.2),
            "The exchange limits the rate of requests; call again in 2 s.",
            2,
        ),
        (
            HttpRateLimited("no slot", retry_after_s=6.1),
            "This server's own limit of requests to the exchange has no slot before the deadline; call again in 7 s.",
            7,
        ),
    ],
)
async def test_a_rejection_says_whose_limit_it_is_and_when_to_call_again(
    failure: HttpRateLimited, text: str, retry_after_s: int | None
) -> None:
    with pytest.raises(RateLimited, match=f"^{re.escape(text)}$") as raised:
        await fetch_quotation(Recorded(failure), "SBER", "TQBR")
    declared = server(iss)
    tool = next(tool for tool in declared.tools if tool.name == "get_security_snapshot")
    answered = failure_of(tool, declared.dialect, raised.value)
    assert (answered.code, answered.message, answered.retry_after_s) == ("RATE_LIMITED", text, retry_after_s)
