"""Ten questions over A2A, with each number of the answers computed from the exchange's rows."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import log, sqrt
from statistics import mean, stdev
from typing import Any

import pytest
from a2a.types import Part

from tests.handlers.agents.analysis.analyst import AGENT, NOON, analyst_on
from tests.handlers.agents.analysis.test_answers import BOARD, bars, rows, total_return
from tests.services.exchange import Exchange
from tests.toolaccord.agent.a2a.served import BINDINGS, Served, describe, events, message, result_of, serve
from toolaccord.testing import ManualClock

DATE = re.compile(r"(\d{2}\.\d{2}\.\d{4}|\d{4}-\d{2}-\d{2})( \d{2}:\d{2})?")
NUMBERS = {
    "ru": re.compile(r"[+\u2212]?\d+(?:\u00a0\d{3})*(?:,\d+)?"),
    "en": re.compile(r"[+\u2212]?\d+(?:,\d{3})*(?:\.\d+)?"),
}
OCTOBER, SEPTEMBER = ("2026-10-01", "2026-10-31"), ("2026-09-01", "2026-09-30")
MONTH, YEAR = ("2026-10-20", "2026-11-20"), ("2026-01-01", "2026-11-20")
Recompute = Callable[[Exchange], list[float]]


@pytest.fixture(scope="module")
def exchange() -> Iterator[Exchange]:
    with Exchange(lambda: NOON).running() as running:
        yield running


@pytest.fixture
async def served(exchange: Exchange) -> AsyncIterator[Served]:
    async with (
        analyst_on(exchange.url) as analyst,
        serve(AGENT, {}, {"iss": analyst.client}, ManualClock(NOON)) as agent,
    ):
        yield agent


def price(ticker: str) -> Recompute:
    """Return the price, the change in percent and in roubles, and the range of the day."""

    def recompute(exchange: Exchange) -> list[float]:
        (market,) = rows(exchange, f"{BOARD}/{ticker}", "marketdata")
        changes = [abs(market["LASTTOPREVPRICE"]), abs(market["CHANGE"])]
        return [market["LAST"], *changes, market["LOW"], market["HIGH"]]

    return recompute


def period(ticker: str, days: tuple[str, str], *, in_depth: bool = False) -> Recompute:
    """Return the first and last close, the return and the volatility; in depth also the volume."""

    def recompute(exchange: Exchange) -> list[float]:
        found = bars(exchange, ticker, *days)
        closes = [day["close"] for day in found]
        return_numbers = [closes[0], closes[-1], total_return(found), volatility(closes)]
        return return_numbers + ([mean(day["volume"] for day in found)] if in_depth else [])

    return recompute


def volatility(closes: list[float]) -> float:
    """Return the volatility of daily closes, in percent a year."""
    return stdev(log(after / before) for before, after in pairwise(closes)) * sqrt(252) * 100


def comparison(days: tuple[str, str], *tickers: str, in_depth: bool = False) -> Recompute:
    """Return the numbers of each period, and the lowest volatility."""

    def recompute(exchange: Exchange) -> list[float]:
        each = [period(ticker, days, in_depth=in_depth)(exchange) for ticker in tickers]
        return [number for numbers in each for number in numbers] + [min(numbers[3] for numbers in each)]

    return recompute


def index(ticker: str) -> Recompute:
    """Return the number of members, the weight of the top five, and the moves of the leaders."""

    def recompute(exchange: Exchange) -> list[float]:
        path = f"statistics/engines/stock/markets/index/analytics/{ticker}"
        members = rows(exchange, path, "analytics", date="2026-11-20", limit="100")
        changes = {row["SECID"]: row["LASTTOPREVPRICE"] or 0 for row in rows(exchange, BOARD, "marketdata")}
        moves = sorted(
            (row["weight"] * changes.get(row["ticker"], 0), changes.get(row["ticker"], 0), row["weight"])
            for row in members
        )
        leaders = [*reversed(moves[-5:]), *moves[:5]]
        top = sum(sorted(row["weight"] for row in members)[-5:])
        return [len(members), top, *(number for _, change, weight in leaders for number in (change, weight))]

    return recompute


@dataclass(frozen=True)
class Question:
    """A question, and the computation of its answer's numbers."""

    text: str
    expected: tuple[Recompute, ...]
    metadata: dict[str, str] = dataclasses.field(default_factory=dict)


ENGLISH = {"locale": "en"}
QUESTIONS = (
    Question("Сколько стоит Сбербанк?", (price("SBER"),)),
    Question("What is the price of GAZP?", (price("GAZP"),), ENGLISH),
    Question("Как менялся Газпром в октябре?", (period("GAZP", OCTOBER, in_depth=True),), {"user_role": "аналитик"}),
    Question("How did LKOH change in September 2026?", (period("LKOH", SEPTEMBER),), ENGLISH),
    Question("Расскажи про Лукойл", (price("LKOH"), period("LKOH", MONTH))),
    Question("Tell me about Yandex", (price("YDEX"), period("YDEX", MONTH)), ENGLISH),
    Question("Сравни SBER и VTBR с начала года", (comparison(YEAR, "SBER", "VTBR"),)),
    Question(
        "Compare GAZP and LKOH in October",
        (comparison(OCTOBER, "GAZP", "LKOH", in_depth=True),),
        ENGLISH | {"user_role": "trader"},
    ),
    Question("Кто тянет IMOEX вверх?", (index("IMOEX"),)),
    Question("What are the leaders of RTSI?", (index("RTSI"),), ENGLISH),
)


@pytest.mark.parametrize("number", range(10))
async def test_each_number_of_an_answer_is_that_of_the_exchange(
    number: int, served: Served, exchange: Exchange
) -> None:
    question, (binding, version) = QUESTIONS[number], BINDINGS[number % 3]
    client = await served.client(binding, version)
    stream = await events(client, message(Part(text=question.text), metadata=question.metadata))
    assert describe(stream[-1]) == "completed"
    output: dict[str, Any] = result_of(stream[-2])["output"]
    language = question.metadata.get("locale", "ru")
    found = [read_number(each, language) for each in NUMBERS[language].findall(DATE.sub("", output["text"]))]
    expected = [value for recompute in question.expected for value in recompute(exchange)]
    assert found == [round_like(value, shown) for value, shown in zip(expected, found, strict=True)]
    steps = [describe(event).removeprefix("working: ") for event in stream[2:-2]]
    assert sorted(steps) == sorted(output["debug"]["plan"])
    assert len(steps) == len(output["debug"]["tool_calls"]) <= 5


async def test_a_conversation_keeps_its_subject(served: Served) -> None:
    client = await served.client()
    first = await events(client, message(Part(text="Сколько стоит Сбербанк?")))
    again = await events(client, message(Part(text="А в октябре?"), context_id=first[0].task.context_id))
    assert result_of(again[-2])["output"]["text"].startswith("SBER с 01.10.2026 по 31.10.2026")


async def test_an_error_of_a_tool_is_a_sentence_of_a_completed_task(served: Served, exchange: Exchange) -> None:
    with exchange.unreachable():
        stream = await events(await served.client(), message(Part(text="What is the price of SBER?"), metadata=ENGLISH))
    assert describe(stream[-1]) == "completed"
    assert describe(stream[-2]) == "artifact: The list of securities: the exchange is unavailable now; ask again later."


def read_number(text: str, language: str) -> Decimal:
    """Return the number that *text* writes."""
    text = text.replace("\u00a0", "").replace(",", ".") if language == "ru" else text.replace(",", "")
    return Decimal(text.replace("\u2212", "-"))


def round_like(value: float, shown: Decimal) -> Decimal:
    """Return *value* with as many decimals as *shown* has."""
    return Decimal(f"{value:.{-int(shown.as_tuple().exponent)}f}")
