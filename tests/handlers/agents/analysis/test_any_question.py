"""Any question on any results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated.moex.iss.client import IssClient
from handlers.agents.questions.period_reading import read_period
from handlers.agents.questions.planner import MAX_STEPS
from handlers.agents.questions.reading import Reading
from tests.handlers.agents.analysis.analyst import Analyst, RecordingConnection
from tests.handlers.agents.analysis.listings import LISTINGS
from toolaccord.client.connection import ToolResponse
from toolaccord.errors import ServerGone
from toolaccord.json_values import JsonObject

NUMBERS = st.floats(-1e9, 1e9).map(lambda number: round(number, 6)) | st.integers(0, 10**12)
WORDS = st.sampled_from(
    [
        "SBER",
        "GAZP",
        "X5",
        "T",
        "QQQQ",
        "A7B2",
        "Сбербанк",
        "ВТБ",
        "преф",
        "IMOEX",
        "РТС",
        "индекс",
        "состав",
        "вес",
        "за",
        "с",
        "по",
        "в",
        "последний",
        "прошлый",
        "этот",
        "месяц",
        "год",
        "неделю",
        "3",
        "15",
        "2025",
        "октября",
        "may",
        "октябрь",
        "01.10.2026",
        "2026-10-31",
        "31.02.2026",
        "цена",
        "сравни",
        "динамика",
        "вчера",
        "сегодня",
        "почасовые",
        "price",
        "compare",
        "over",
        "last",
        "month",
        "since",
        "October",
        "1-15",
        "Q3",
        "кв",
        "99999",
        "years",
        "назад",
        "торговых",
        "дня",
        "между",
        "завтра",
        "Monday",
        "понедельника",
        "Лукйол",
        "AT&T",
        "дивиденды",
        "кроме",
        "лет",
        "2031",
        "году",
        "½",
        "٣",
        "%",
    ]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=60)
ROLES = st.sampled_from(["trader", "CEO"]) | st.text(max_size=20)
KNOWN = ("SBER", "SBER за год", "SBER или T за год", "состав IMOEX", "вес X5 в IMOEX")
ERRORS = ("INVALID_TICKER", "NO_DATA", "RATE_LIMITED", "ISS_TIMEOUT", "SOMETHING_NEW", None)


@dataclass
class InventedTools:
    """A server whose tools answer with numbers from a test, or fail."""

    numbers: list[float]
    """The numbers of its results; the next one is anyone's of them."""
    choice: Random
    fails: bool

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def call(self, tool: str, arguments: JsonObject, _meta: JsonObject, _timeout_s: float) -> ToolResponse:
        """Return an invented response."""
        if tool != "list_securities" and self.fails and self._toss():
            code = self.choice.choice(ERRORS)
            if code is None:
                raise ServerGone("nobody answers on port 4711")
            error = {"error_type": code, "message": "12345 and 678", "details": {}}
            body: JsonObject = {"metadata": {"source": "moex-iss"}, "data": None, "metrics": None, "error": error}
            return ToolResponse(text=json.dumps(body), is_error=True, corr_id="abc")
        build = {
            "get_security_snapshot": self._snapshot,
            "get_ohlcv_timeseries": self._bars,
            "list_securities": _list_securities,
        }.get(tool, self._index)
        return ToolResponse(text=json.dumps(build(arguments)), is_error=False, corr_id="abc")

    def _snapshot(self, arguments: Mapping[str, Any]) -> JsonObject:
        names = (
            "last_price",
            "price_change_abs",
            "price_change_pct",
            "open_price",
            "high_price",
            "low_price",
            "volume",
            "value",
        )
        data = {name: self.choice.choice(self.numbers) for name in names} | {
            "price_field": self.choice.choice(("LAST", "PREVPRICE"))
        }
        as_of = "2026-11-20T14:45:00+03:00"
        metadata = {"source": "moex-iss", "ticker": arguments["ticker"], "board": "TQBR", "as_of": as_of}
        return {"metadata": metadata, "data": data, "metrics": self._metrics("intraday_volatility_estimate")}

    def _bars(self, arguments: Mapping[str, Any]) -> JsonObject:
        days = self.choice.randint(0, 3)
        bars = [
            {
                "ts": f"2026-10-0{day + 1}T00:00:00+03:00",
                **{name: self.choice.choice(self.numbers) for name in ("open", "high", "low", "close")},
            }
            for day in range(days)
        ]
        metadata = {
            "source": "moex-iss",
            **{name: arguments[name] for name in ("ticker", "from_date", "to_date")},
            "interval": "1d",
        }
        names = ("total_return_pct", "annualized_volatility", "avg_daily_volume")
        return {"metadata": metadata, "data": bars, "metrics": self._metrics(*names)}

    def _index(self, arguments: Mapping[str, Any]) -> JsonObject:
        tickers = self.choice.sample(("SBER", "GAZP", "X5", "T", "VTBR"), self.choice.randint(0, 5))
        members = [
            {"ticker": each, "weight_pct": self.choice.choice(self.numbers), **self._metrics("price_change_pct")}
            for each in tickers
        ]
        metadata = {
            "source": "moex-iss",
            "index_ticker": arguments["index_ticker"],
            "as_of_date": arguments["as_of_date"],
        }
        metrics = {"num_constituents": len(members), "prices_as_of": "2026-11-20T14:45:00+03:00"}
        return {"metadata": metadata, "data": members, "metrics": metrics | self._metrics("top5_weight_pct")}

    def _toss(self) -> bool:
        return self.choice.random() < 0.5

    def _metrics(self, *names: str) -> JsonObject:
        """Return some of *names* with numbers."""
        return {name: self.choice.choice(self.numbers) for name in names if self._toss()}


def _list_securities(_arguments: Mapping[str, Any]) -> JsonObject:
    """Return all securities of the stand-in."""
    data = [{"ticker": each.ticker, "share_class": each.share_class, "names": list(each.names)} for each in LISTINGS]
    return {"metadata": {"source": "moex-iss", "board": "TQBR"}, "data": data}


TOOLS = st.builds(InventedTools, st.lists(NUMBERS, min_size=1, max_size=20), st.integers().map(Random), st.booleans())


def ask(invented: InventedTools, *texts: str, **metadata: str) -> JsonObject:
    tools = RecordingConnection(invented)

    async def answer() -> JsonObject:
        async with IssClient(tools) as client:
            return await Analyst(tools, client, is_market=False).ask(*texts, **metadata)

    return asyncio.run(answer())


@settings(deadline=None)
@given(TOOLS, st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["ru", "en", "en-GB"]), ROLES)
def test_any_text_has_a_valid_answer_without_invented_numbers(
    tools: InventedTools, texts: list[str], locale: str, role: str
) -> None:
    output = ask(tools, *texts, locale=locale, user_role=role)
    assert output["text"]
    assert len(output["debug"]["plan"]) == len(output["debug"]["tool_calls"]) <= MAX_STEPS


@settings(deadline=None)
@given(TOOLS, st.sampled_from(KNOWN), st.sampled_from(["ru", "en"]))
def test_a_known_question_has_an_answer_without_invented_numbers(tools: InventedTools, text: str, locale: str) -> None:
    assert ask(tools, text, locale=locale, user_role="trader")["debug"]["plan"]


@given(TEXTS, st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_a_period_is_in_order_and_ends_today_at_the_latest(text: str, today: date) -> None:
    period = read_period(Reading(text), today).period
    if period is not None:
        assert period.first <= period.last
        assert period.last <= today


@pytest.mark.parametrize("days", [0, 58, 59, 365])
def test_every_day_has_its_month(days: int) -> None:
    today = date(2024, 1, 1) + timedelta(days=days)
    period = read_period(Reading("за месяц"), today).period
    assert period is not None
    assert 28 <= (today - period.first).days <= 31
