from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from sandbox.iss import serve
from sandbox.iss.shares import board

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
LEAN = "iss.meta=off&iss.only=securities,marketdata"


@pytest.fixture(scope="module")
def iss() -> Iterator[httpx.Client]:
    with serve(now=lambda: NOON) as url, httpx.Client(base_url=url) as client:
        yield client


def security(iss: httpx.Client, ticker: str, query: str = LEAN, *, board: str = "TQBR") -> httpx.Response:
    return iss.get(f"/engines/stock/markets/shares/boards/{board}/securities/{ticker}.json?{query}")


def row(iss: httpx.Client, ticker: str) -> dict[str, Any]:
    """The columns of both blocks of *ticker*."""
    blocks = security(iss, ticker).raise_for_status().json()
    tables = (blocks["marketdata"], blocks["securities"])
    return {name: value for table in tables for name, value in zip(table["columns"], table["data"][0], strict=True)}


def test_the_base_url_is_on_loopback_and_ends_in_iss() -> None:
    with serve() as url:
        parts = httpx.URL(url)
    assert (parts.scheme, parts.host, parts.path) == ("http", "127.0.0.1", "/iss")


def test_two_stand_ins_run_side_by_side() -> None:
    with serve() as one, serve() as two:
        assert one != two
        assert all(httpx.get(f"{url}/none").status_code == 404 for url in (one, two))


def test_nobody_answers_after_the_end() -> None:
    with serve() as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_the_blocks_are_those_of_the_exchange(iss: httpx.Client) -> None:
    assert list(security(iss, "SBER", "").json()) == ["securities", "marketdata", "dataversion", "marketdata_yields"]


def test_iss_only_chooses_blocks_and_the_column_filter_columns(iss: httpx.Client) -> None:
    blocks = security(iss, "SBER", "iss.only=marketdata&marketdata.columns=LAST,SYSTIME").json()
    assert list(blocks) == ["marketdata"]
    assert sorted(blocks["marketdata"]["columns"]) == ["LAST", "SYSTIME"]


@pytest.mark.parametrize("query, present", [("", True), ("iss.meta=on", True), ("iss.meta=off", False)])
def test_iss_meta_decides_about_metadata(iss: httpx.Client, query: str, *, present: bool) -> None:
    table = security(iss, "SBER", query).json()["marketdata"]
    assert ("metadata" in table) == present
    assert not present or set(table["metadata"]) == set(table["columns"])


def test_the_order_of_columns_differs_by_ticker_and_not_by_request(iss: httpx.Client) -> None:
    orders = [security(iss, ticker).json()["marketdata"]["columns"] for ticker in ("SBER", "SBER", "GAZP")]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_a_traded_share_has_the_changes_that_the_exchange_computes(iss: httpx.Client) -> None:
    sber = row(iss, "SBER")
    assert (sber["LAST"], sber["PREVPRICE"], sber["CHANGE"], sber["LASTTOPREVPRICE"]) == (266.79, 270, -3.21, -1.19)


@pytest.mark.parametrize("ticker", sorted(board().shares))
def test_every_share_is_consistent_in_itself(iss: httpx.Client, ticker: str) -> None:
    share = row(iss, ticker)
    assert (share["SECID"], share["BOARDID"]) == (ticker, "TQBR")
    if share["LAST"] is None:
        assert share["CHANGE"] is share["LASTTOPREVPRICE"] is None
        assert share["VOLTODAY"] == share["VALTODAY"] == 0
    else:
        assert share["LOW"] <= min(share["OPEN"], share["LAST"]) <= max(share["OPEN"], share["LAST"]) <= share["HIGH"]


def test_the_clock_of_the_exchange_is_moscow_time_without_offset(iss: httpx.Client) -> None:
    sber = row(iss, "SBER")
    assert (sber["SYSTIME"], sber["TIME"]) == ("2026-11-20 15:00:00", "14:45:00")


@pytest.mark.parametrize("ticker, board", [("NOPE", "TQBR"), ("SBER", "TQTF")])
def test_an_unknown_security_has_columns_and_no_rows(iss: httpx.Client, ticker: str, board: str) -> None:
    answer = security(iss, ticker, board=board)
    tables = [answer.json()[block] for block in ("securities", "marketdata")]
    assert answer.status_code == 200
    assert all(table["columns"] and table["data"] == [] for table in tables)


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_a_status_can_be_asked_for(iss: httpx.Client, status: int) -> None:
    assert security(iss, f"HTTP{status}").status_code == status


def test_slow_answers_nothing_for_a_while(iss: httpx.Client) -> None:
    with pytest.raises(httpx.ReadTimeout):
        iss.get("/engines/stock/markets/shares/boards/TQBR/securities/SLOW.json", timeout=0.05)


@pytest.mark.parametrize("ticker", ["BROKENJSON", "NOTJSON"])
def test_an_answer_can_be_no_json_at_all(iss: httpx.Client, ticker: str) -> None:
    answer = security(iss, ticker)
    assert answer.status_code == 200
    with pytest.raises(ValueError, match="Expecting"):
        answer.json()


def test_an_error_can_come_inside_http_200(iss: httpx.Client) -> None:
    answer = security(iss, "ERRORBLOCK")
    assert answer.status_code == 200
    assert answer.json()[1] == {"securities": [{"error": "Error while acquiring data."}]}


def test_an_answer_can_lack_its_blocks(iss: httpx.Client) -> None:
    assert security(iss, "NOBLOCKS").json() == {}


def test_prices_can_be_absurd(iss: httpx.Client) -> None:
    columns, rows = security(iss, "ABSURD").json()["marketdata"].values()
    market = dict(zip(columns, rows[0], strict=True))
    assert market["HIGH"] - market["LOW"] == float("inf")
