"""Plans: the calls of tools that answer a question, always the same for the same question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Literal, TypeAlias, cast

from generated.moex.iss.client import GET_INDEX_CONSTITUENTS_METRICS, GET_OHLCV_TIMESERIES, GET_SECURITY_SNAPSHOT
from generated.moex.iss.models import (
    GetIndexConstituentsMetricsRequest,
    GetOhlcvTimeseriesRequest,
    GetSecuritySnapshotRequest,
)
from handlers.agents.questions.periods import last_month
from handlers.agents.questions.questions import Question
from toolaccord.client.declarations import RemoteTool

MAX_STEPS = 5

StepRequest: TypeAlias = GetSecuritySnapshotRequest | GetOhlcvTimeseriesRequest | GetIndexConstituentsMetricsRequest


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool."""

    tool: RemoteTool[Any, Any]
    request: StepRequest

    @property
    def subject(self) -> str:
        """Ticker of the security or the index."""
        if isinstance(self.request, GetIndexConstituentsMetricsRequest):
            return self.request.index_ticker
        return self.request.ticker


def plan_steps(question: Question, today: date) -> tuple[Step, ...]:
    """Return the calls that answer *question*, at most five; none if it is rejected."""
    return tuple(islice(_steps(question, today), MAX_STEPS))


def _steps(question: Question, today: date) -> Iterator[Step]:
    for index in question.indices:
        request = GetIndexConstituentsMetricsRequest(
            index_ticker=cast("Literal['IMOEX', 'RTSI']", index),
            as_of_date=question.period.last if question.period else today,
        )
        yield Step(GET_INDEX_CONSTITUENTS_METRICS, request)
    if question.prices:
        for ticker in question.securities:
            yield Step(GET_SECURITY_SNAPSHOT, GetSecuritySnapshotRequest(ticker=ticker))
    if question.bars:
        yield from _period_steps(question, today)


def _period_steps(question: Question, today: date) -> Iterator[Step]:
    """Yield the bars of each security, of the last month if the question names no period."""
    period = question.period or last_month(today)
    for ticker in question.securities:
        request = GetOhlcvTimeseriesRequest(
            ticker=ticker,
            from_date=period.first,
            to_date=period.last,
            interval="1h" if question.hourly else "1d",
        )
        yield Step(GET_OHLCV_TIMESERIES, request)
