"""Calls of tools that come before the plan: names of securities, and trading days."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from generated.moex.iss.client import GET_OHLCV_TIMESERIES, LIST_SECURITIES, IssClient
from generated.moex.iss.models import GetOhlcvTimeseriesRequest, ListSecuritiesRequest
from handlers.agents.questions.catalogue import Catalogue, build_catalogue, read_listings
from handlers.agents.questions.periods import Period
from handlers.agents.questions.questions import Question

_HOLIDAYS = timedelta(days=14)
"""The longest time without trading."""


async def fetch_catalogue(iss: IssClient) -> Catalogue:
    """Return the exchange's list of securities. Raises ToolError and CallFailed."""
    result = (await iss.call(LIST_SECURITIES, ListSecuritiesRequest())).result
    return build_catalogue(read_listings(result.data))


async def settle_days(question: Question, today: date, iss: IssClient) -> Question:
    """Return *question* with the dates of its last trading days.

    These are the days with bars of its first security. Raises ToolError and CallFailed.
    """
    if question.sessions is None or not question.securities:
        return question
    earliest = today - timedelta(days=2 * question.sessions) - _HOLIDAYS
    request = GetOhlcvTimeseriesRequest(ticker=question.securities[0], from_date=earliest, to_date=today)
    bars = (await iss.call(GET_OHLCV_TIMESERIES, request)).result.data
    days = sorted({bar.ts.date() for bar in bars})[-question.sessions :]
    return replace(question, period=Period(min(days, default=today), today))
