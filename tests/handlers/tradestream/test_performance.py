"""get_historical_performance, against a second computation over the rows that a test wrote."""

import random
from calendar import monthrange
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from generated.tradestream.backtest.server import server
from generated.tradestream.errors import NoPerformanceData, StrategyNotFound
from handlers.tradestream import backtest as handlers
from handlers.tradestream.performance import MeasuredPeriod, Period, combine_periods, first_day
from tests.handlers.tradestream.conftest import Book
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.testing import ManualClock, pipeline
from toolaccord.timing.clock import SystemClock

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()
Figures = tuple[int, float, float, float]
"""Signals, accuracy, Sharpe ratio, return."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A strategy on ETH/USD and its performance."""

    postgres: Postgresql
    strategy_id: str

    async def write(self, first: date, last: date, figures: Figures) -> None:
        await self.postgres.fetch(
            "INSERT INTO strategy_performance VALUES ($1::text::uuid, $2, $3, $4, $5, $6, $7)",
            self.strategy_id,
            first,
            last,
            *figures,
        )


@pytest.fixture
async def ledger(book: Book, postgres: Postgresql) -> Ledger:
    return Ledger(postgres, str(await book.strategy("ETH/USD")))


@pytest.fixture
def served(postgres: Postgresql) -> Pipeline:
    return pipeline(server(handlers), sources={"postgres": postgres}, clock=ManualClock(NOW))


async def ask(served: Pipeline, strategy_id: str, **arguments: Any) -> Answer:
    return await served.call("get_historical_performance", {"strategy_id": strategy_id} | arguments)


def month(year: int, number: int) -> tuple[date, date]:
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


MONTHS = [month(2026 - (number > 10), number) for number in (10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 12, 11)]
"""The last twelve that are over at NOW, the newest first."""


async def a_year(ledger: Ledger, seed: int) -> list[tuple[date, date, Figures]]:
    """Write down random figures of each month, and of the two before them."""
    chance, rows = random.Random(seed), []
    for first, last in [*MONTHS, month(2025, 10), month(2025, 9)]:
        figures = (chance.randrange(0, 300), chance.random(), chance.gauss(1, 1), chance.uniform(-0.5, 1))
        await ledger.write(first, last, figures)
        rows.append((first, last, figures))
    return rows


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("period, count", [("1m", 1), ("3m", 3), ("6m", 6), ("1y", 12)])
async def test_the_figures_of_a_period_are_those_of_the_months_in_it(
    ledger: Ledger, served: Pipeline, seed: int, period: str, count: int
) -> None:
    rows = (await a_year(ledger, seed))[:count]
    data = (await ask(served, ledger.strategy_id, period=period)).body["data"]
    right = sum(signals * accuracy for _, _, (signals, accuracy, _, _) in rows)
    signals = sum(figures[0] for _, _, figures in rows)
    daily = [sharpe for first, last, (_, _, sharpe, _) in rows for _ in range((last - first).days + 1)]
    assert data.pop("performance_by_month") == [
        {"month": f"{last:%Y-%m}", "signals": signals, "return": pytest.approx(total_return)}
        | ({"accuracy": pytest.approx(accuracy)} if signals else {})
        for _, last, (signals, accuracy, _, total_return) in reversed(rows)
    ]
    assert data == {
        "total_signals": signals,
        "accuracy": pytest.approx(right / signals),
        "avg_return": pytest.approx(sum(total_return for *_, (*_, total_return) in rows) / count),
        "sharpe": pytest.approx(sum(daily) / len(daily)),
    }


async def test_the_default_period_is_three_months(ledger: Ledger, served: Pipeline) -> None:
    await a_year(ledger, 4)
    usual, three = await ask(served, ledger.strategy_id), await ask(served, ledger.strategy_id, period="3m")
    assert usual.body["data"] == three.body["data"]


async def test_a_week_has_what_was_measured_up_to_one_of_its_days(ledger: Ledger, served: Pipeline) -> None:
    await a_year(ledger, 5)
    assert (await ask(served, ledger.strategy_id, period="1w")).code == "NO_PERFORMANCE_DATA"
    await ledger.write(date(2026, 11, 8), date(2026, 11, 14), (10, 0.5, 1.25, 0.02))
    data = (await ask(served, ledger.strategy_id, period="1w", force_refresh=True)).body["data"]
    assert data == {
        "total_signals": 10,
        "accuracy": 0.5,
        "avg_return": 0.02,
        "sharpe": 1.25,
        "performance_by_month": [{"month": "2026-11", "signals": 10, "accuracy": 0.5, "return": 0.02}],
    }


async def test_weeks_of_a_month_are_put_together(ledger: Ledger, served: Pipeline) -> None:
    for first, figures in ((5, (30, 0.6, 1.0, 0.1)), (12, (0, 0.9, 2.0, -0.5)), (19, (10, 0.2, 3.0, 0.2))):
        await ledger.write(date(2026, 10, first), date(2026, 10, first + 6), figures)
    data = (await ask(served, ledger.strategy_id)).body["data"]
    assert data["performance_by_month"] == [{"month": "2026-10", "signals": 40, "accuracy": 0.5, "return": -0.34}]
    assert (data["avg_return"], data["sharpe"]) == (-0.34, 2.0)


async def test_without_signals_there_is_no_accuracy(ledger: Ledger, served: Pipeline) -> None:
    await ledger.write(*month(2026, 10), (0, 0.0, 0.0, 0.0))
    data = (await ask(served, ledger.strategy_id)).body["data"]
    assert "accuracy" not in data
    assert data["performance_by_month"] == [{"month": "2026-10", "signals": 0, "return": 0.0}]


@pytest.mark.parametrize("figures", [(1, 0.5, 0.0, 1e308), (1, 0.5, 1.5e308, 0.0)])
async def test_figures_that_are_too_large_to_combine_are_a_database_error(
    ledger: Ledger, served: Pipeline, figures: Figures
) -> None:
    for number in (8, 9, 10):
        await ledger.write(*month(2026, number), figures)
    assert (await ask(served, ledger.strategy_id)).code == "DATABASE_ERROR"


async def test_a_period_that_ends_after_today_does_not_count_yet(ledger: Ledger, served: Pipeline) -> None:
    await ledger.write(*month(2026, 11), (10, 0.5, 1.0, 0.1))
    assert (await ask(served, ledger.strategy_id)).code == "NO_PERFORMANCE_DATA"


@pytest.mark.parametrize(
    "symbol, code", [("ETH/USD", None), ("BTC/USD", "NO_PERFORMANCE_DATA"), ("eth", "INVALID_PARAMETER")]
)
async def test_a_strategy_has_performance_on_its_own_symbol_alone(
    ledger: Ledger, served: Pipeline, symbol: str, code: str | None
) -> None:
    await a_year(ledger, 6)
    assert (await ask(served, ledger.strategy_id, symbol=symbol)).code == code


async def test_a_strategy_that_was_never_measured_has_no_performance(ledger: Ledger, served: Pipeline) -> None:
    answer = await ask(served, ledger.strategy_id)
    assert (answer.code, answer.http) == (NoPerformanceData.code, 404)
    assert answer.body["error"]["details"] == {"strategy_id": ledger.strategy_id}


@pytest.mark.parametrize(
    "strategy_id", ["no-such-strategy", "8b9fe606-3356-43c8-bd4d-0760a1b03757", " 8b9fe606-3356-43c8-bd4d-0760a1b03757"]
)
async def test_a_strategy_that_is_not_there_is_not_found(served: Pipeline, strategy_id: str) -> None:
    answer = await ask(served, strategy_id)
    assert (answer.code, answer.http) == (StrategyNotFound.code, 404)
    assert answer.body["error"]["details"] == {"strategy_id": strategy_id}


async def test_a_period_that_the_contract_does_not_have_is_an_invalid_period(served: Pipeline) -> None:
    assert (await ask(served, str(uuid4()), period="2y")).code == "INVALID_PERIOD"


async def test_an_answer_is_cached_for_five_minutes_unless_a_fresh_one_is_requested(
    ledger: Ledger, postgres: Postgresql
) -> None:
    clock = ManualClock(NOW)
    served = pipeline(server(handlers), sources={"postgres": postgres}, clock=clock)

    async def signals(**arguments: Any) -> int:
        data = (await ask(served, ledger.strategy_id, **arguments)).body["data"]
        return int(data["total_signals"])

    await ledger.write(*month(2026, 10), (1, 0.5, 1.0, 0.1))
    assert await signals() == 1
    await ledger.write(*month(2026, 9), (1, 0.5, 1.0, 0.1))
    clock.advance(299)
    assert await signals() == 1
    assert await signals(force_refresh=True) == 2
    await ledger.write(*month(2026, 8), (1, 0.5, 1.0, 0.1))
    clock.advance(301)
    assert await signals() == 3


# --- faults --------------------------------------------------------------------------------------------------------


@pytest.fixture
async def away() -> AsyncIterator[Postgresql]:
    declared = PostgresqlSource(
        name="postgres", url="url", min_connections=0, max_connections=1, idle_timeout_s=300, connection_timeout_s=2
    )
    source = declared.open({"url": "postgresql://nobody@127.0.0.1:9/nothing"}, SystemClock())
    yield source
    await source.close()


async def test_a_database_that_is_away_is_a_database_error(away: Postgresql) -> None:
    served = pipeline(server(handlers), sources={"postgres": away}, clock=ManualClock(NOW))
    answer = await ask(served, str(uuid4()))
    assert (answer.code, answer.http) == ("DATABASE_ERROR", 500)
    assert "127.0.0.1" not in answer.text


async def test_a_missing_table_is_a_database_error_and_the_next_call_works_when_it_is_back(
    ledger: Ledger, served: Pipeline, postgres: Postgresql
) -> None:
    await a_year(ledger, 7)
    await postgres.fetch("ALTER TABLE strategy_performance RENAME TO elsewhere")
    try:
        missing = await ask(served, ledger.strategy_id)
    finally:
        await postgres.fetch("ALTER TABLE elsewhere RENAME TO strategy_performance")
    assert missing.code == "DATABASE_ERROR"
    assert (await ask(served, ledger.strategy_id)).code is None


# --- which days count ----------------------------------------------------------------------------------------------


def measured(first: int, last: int) -> MeasuredPeriod:
    """From one day of October 2026 to another, counted from 1 and on into November."""
    begin = date(2026, 9, 30)
    days = {"first": begin + timedelta(days=first), "last": begin + timedelta(days=last)}
    return MeasuredPeriod(**days, signals=1, accuracy=0.5, sharpe=1, total_return=0)


def test_no_day_is_counted_twice_and_of_two_that_overlap_the_later_and_shorter_counts() -> None:
    october, week, last_week = measured(1, 31), measured(5, 11), measured(25, 31)
    assert combine_periods([october, week, last_week]).periods == [week, last_week]
    assert combine_periods([measured(1, 20), measured(20, 31)]).periods == [measured(20, 31)]
    assert combine_periods([measured(1, 19), measured(20, 31)]).periods == [measured(1, 19), measured(20, 31)]


@pytest.mark.parametrize("seed", range(20))
def test_each_day_of_overlapping_periods_is_counted_once_at_most(seed: int) -> None:
    chance = random.Random(seed)
    rows = [measured(first, first + chance.randrange(0, 12)) for first in chance.choices(range(1, 40), k=12)]
    days = [each.first + timedelta(days=day) for each in combine_periods(rows).periods for day in range(each.days)]
    assert days == sorted(set(days))
    assert max(days) == max(each.last for each in rows)


@pytest.mark.parametrize(
    "period, today, first",
    [
        ("1w", "2026-03-04", "2026-02-25"),
        ("1m", "2026-03-31", "2026-02-28"),
        ("1m", "2026-01-15", "2025-12-15"),
        ("3m", "2026-02-28", "2025-11-28"),
        ("6m", "2026-12-31", "2026-06-30"),
        ("1y", "2024-02-29", "2023-02-28"),
    ],
)
def test_months_are_those_of_the_calendar(period: Period, today: str, first: str) -> None:
    assert first_day(period, date.fromisoformat(today)) == date.fromisoformat(first)


def test_on_every_day_as_many_months_are_over_as_the_period_has() -> None:
    months: dict[Period, int] = {"1m": 1, "3m": 3, "6m": 6, "1y": 12}
    ends = [date(year, number, monthrange(year, number)[1]) for year in range(2022, 2029) for number in range(1, 13)]
    for today in (date(2024, 1, 1) + timedelta(days=day) for day in range(4 * 365 + 1)):
        this_month = today.replace(day=1)
        over = {period: sum(first_day(period, today) <= end < this_month for end in ends) for period in months}
        assert over == months, today
