"""The handlers on captured answers of the exchange."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from generated.moex.errors import IssBadResponse
from generated.moex.iss.server import IssCall, IssSettings, server
from handlers.moex import iss
from tests.handlers.moex.exchange import UNTRADED, Recorded, answer
from toolaccord import ignore_progress
from toolaccord.testing import pipeline

CAPTURED = Path(__file__).parents[4] / "shared" / "iss_samples"
"""The captured answers, if there are any.

They belong to the exchange and are no part of this project.
"""
BASIS = {
    "price_currency": "RUB",
    "value_currency": "RUB",
    "change_field": "PREVPRICE",
    "previous_price_date": "2023-10-17",
}
"""The members of the snapshot of 2023 that say what its figures are based on."""
INDEX = "get_index_constituents_metrics"
LATER = datetime(2026, 11, 20, 12, tzinfo=UTC)


def captured(name: str) -> Any:
    if not CAPTURED.is_dir():
        pytest.skip(f"no captured answers in {CAPTURED}")
    return json.loads((CAPTURED / name).read_text(encoding="utf-8"))


def rows(document: Any, block: str) -> list[dict[str, Any]]:
    """The rows of a captured block, by column."""
    table = document[block]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


async def answered(document: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the server's answer when the exchange sends *document*."""
    outcome = await pipeline(server(iss), sources={"iss": Recorded(document)}).call(tool, arguments)
    assert not outcome.is_error, outcome.text
    body: dict[str, Any] = json.loads(outcome.text)
    return body


async def test_the_snapshot_of_2023() -> None:
    document = captured("sber_tqbr_snapshot_20231018.json")
    (security,), (market,) = rows(document, "securities"), rows(document, "marketdata")
    outcome = await answered(document, "get_security_snapshot", ticker="SBER")
    names = {
        "last_price": "LAST", "price_change_abs": "CHANGE", "price_change_pct": "LASTTOPREVPRICE", "open_price": "OPEN",
        "high_price": "HIGH", "low_price": "LOW", "volume": "VOLTODAY", "value": "VALTODAY_RUR",
    }  # fmt: skip
    expected = {name: market[column] for name, column in names.items()} | {"price_field": "LAST"} | BASIS
    assert json.dumps(outcome["data"]) == json.dumps(expected)
    assert outcome["metadata"] == {
        "source": "moex-iss", "ticker": security["SECID"], "board": security["BOARDID"],
        "as_of": f"{market['SYSTIME'].replace(' ', 'T')}+03:00",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name, offset, arguments",
    [
        (
            "candles_daily_sber_20250601_cursor.json",
            "+03:00",
            {"ticker": "SBER", "from_date": "2025-06-01", "to_date": "2025-06-02"},
        ),
        (
            "candles_hourly_gazp_like_20140609_with_metadata.json",
            "+04:00",
            {"ticker": "GAZP", "from_date": "2014-06-09", "to_date": "2014-06-10", "interval": "1h"},
        ),
    ],
)
async def test_candles_with_and_without_a_cursor(name: str, offset: str, arguments: dict[str, Any]) -> None:
    document = captured(name)
    outcome = await answered(document, "get_ohlcv_timeseries", **arguments)
    expected = [
        {"ts": f"{row['begin'].replace(' ', 'T')}{offset}"}
        | {column: row[column] for column in ("open", "high", "low", "close", "volume", "value")}
        for row in rows(document, "candles")
    ]
    assert json.dumps(outcome["data"]) == json.dumps(expected)


async def test_a_day_of_2023_without_a_trade() -> None:
    document = captured("sber_tqbr_snapshot_20231018.json")
    (security,) = rows(document, "securities")
    columns, (traded,) = document["marketdata"]["columns"], document["marketdata"]["data"]
    market = dict(zip(columns, traded, strict=True)) | UNTRADED | {"MARKETPRICE": 975}
    untraded = document | {"marketdata": {"columns": columns, "data": [[market[column] for column in columns]]}}
    outcome = await answered(untraded, "get_security_snapshot", ticker="SBER")
    assert outcome["data"] == {
        "last_price": security["PREVPRICE"], "price_change_abs": 0, "price_change_pct": 0, "price_field": "PREVPRICE",
        "volume": 0, "value": 0, **BASIS,
    }  # fmt: skip


async def test_the_composition_of_2026() -> None:
    document = captured("analytics_imoex_20260306_two_rows.json")
    *_, last = document["analytics"]["data"]
    others = round(100 - sum(row["weight"] for row in rows(document, "analytics")), 2)
    invented = dict(zip(document["analytics"]["columns"], last, strict=True)) | {"ticker": "OTHERS", "weight": others}
    document["analytics"]["data"].insert(0, list(invented.values()))

    def exchange(path: str, _query: Mapping[str, Any]) -> Any:
        return document if "analytics" in path else answer()

    outcome = await answered(exchange, INDEX, index_ticker="IMOEX", as_of_date="2026-03-08")
    expected = [(row["ticker"], row["weight"]) for row in rows(document, "analytics")]
    assert [(member["ticker"], member["weight_pct"]) for member in outcome["data"]] == expected
    assert outcome["metadata"]["as_of_date"] == "2026-03-06"


async def test_a_part_of_the_composition_of_2026_is_a_bad_response() -> None:
    document = captured("analytics_imoex_20260306_two_rows.json")
    asked = pipeline(server(iss), sources={"iss": Recorded(document)})
    outcome = await asked.call(INDEX, {"index_ticker": "IMOEX", "as_of_date": "2026-03-08"})
    assert outcome.code == "ISS_BAD_RESPONSE"


async def test_an_error_inside_success() -> None:
    document = captured("indices_error.json")
    call = IssCall(
        iss=Recorded(document),
        now=LATER,
        settings=IssSettings(sectors=False),
        progress=ignore_progress,
    )
    request = server(iss).tools[0].request.model_validate({"ticker": "SBER"})
    with pytest.raises(IssBadResponse):
        await iss.get_security_snapshot(request, call)
