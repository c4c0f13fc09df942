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
from handlers.agents.analysis.periods import last_month
from handlers.agents.analysis.questions import Kind, Question
from toolpact.client.declarations import RemoteTool

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
    """Return the calls that answer *question*, at most five; none if nothing answers it."""
    return tuple(islice(_steps(question, today), MAX_STEPS))


def _steps(question: Question, today: date) -> Iterator[Step]:
    if question.kind in (Kind.UNKNOWN, Kind.FUTURE):
        return
    if question.index is not None:
        index = cast("Literal['IMOEX', 'RTSI']", question.index)
        last = question.period.last if question.period else today
        request = GetIndexConstituentsMetricsRequest(index_ticker=index, as_of_date=last)
        yield Step(GET_INDEX_CONSTITUENTS_METRICS, request)
        if question.period is None or question.period.first == today:
            return
    if question.kind in (Kind.PRICE, Kind.OVERVIEW):
        yield from (
            Step(GET_SECURITY_SNAPSHOT, GetSecuritySnapshotRequest(ticker=each)) for each in question.securities
        )
    if question.kind is not Kind.PRICE:
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
