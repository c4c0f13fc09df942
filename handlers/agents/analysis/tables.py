"""Tables of answers: the numbers as the tools gave them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from generated.agents.moex_analyst.models import Table
from generated.moex.iss.models import (
    GetIndexConstituentsMetricsResult,
    GetOhlcvTimeseriesResult,
    GetSecuritySnapshotResult,
)
from handlers.agents.analysis.depth import Depth
from handlers.agents.analysis.findings import Finding
from handlers.agents.analysis.wording import Wording

_PRICE = (
    "last_price",
    "price_currency",
    "price_change_abs",
    "price_change_pct",
    "open_price",
    "high_price",
    "low_price",
    "volume",
    "value",
)
_PERIOD = ("ticker", "first_close", "last_close", "total_return_pct", "annualized_volatility", "avg_daily_volume")
_BAR = ("ts", "open", "high", "low", "close", "volume")
_MEMBER = ("ticker", "weight_pct", "last_price", "price_change_pct")
_MEMBERS = {Depth.BRIEF: 5, Depth.STANDARD: 15, Depth.DETAILED: 1000}
_BARS = {Depth.BRIEF: 0, Depth.STANDARD: 0, Depth.DETAILED: 1000}
"""Largest number of rows; the last bars count."""


def build_tables(findings: Sequence[Finding], wording: Wording, depth: Depth) -> list[Table]:
    """Return tables of prices, periods, members of an index, and in the deepest answer of bars."""
    outcomes = [finding.outcome for finding in findings]
    prices = [each for each in outcomes if isinstance(each, GetSecuritySnapshotResult)]
    periods = [each for each in outcomes if isinstance(each, GetOhlcvTimeseriesResult) and each.data]
    indices = [each for each in outcomes if isinstance(each, GetIndexConstituentsMetricsResult)]
    return [
        *_build_prices(prices, wording),
        *(_build_index(each, wording, depth) for each in indices),
        *_build_periods(periods, wording),
        *(_build_bars(each, wording, depth) for each in periods if _BARS[depth]),
    ]


def _build_prices(results: Sequence[GetSecuritySnapshotResult], wording: Wording) -> Iterator[Table]:
    rows = [[each.metadata.ticker, *_read(each.data, _PRICE)] for each in results]
    if rows:
        yield _build(wording, wording.titles["price"], ("ticker", *_PRICE), rows)


def _build_periods(results: Sequence[GetOhlcvTimeseriesResult], wording: Wording) -> Iterator[Table]:
    rows = [
        [each.metadata.ticker, each.data[0].close, each.data[-1].close, *_read(each.metrics, _PERIOD[3:])]
        for each in results
    ]
    if rows:
        yield _build(wording, wording.titles["period"], _PERIOD, rows)


def _build_bars(result: GetOhlcvTimeseriesResult, wording: Wording, depth: Depth) -> Table:
    rows = [[each.ts.isoformat(), *_read(each, _BAR[1:])] for each in result.data[-_BARS[depth] :]]
    return _build(wording, wording.titles["bars"].format(ticker=result.metadata.ticker), _BAR, rows)


def _build_index(result: GetIndexConstituentsMetricsResult, wording: Wording, depth: Depth) -> Table:
    title = wording.titles["index"].format(index=result.metadata.index_ticker)
    return _build(wording, title, _MEMBER, [_read(each, _MEMBER) for each in result.data[: _MEMBERS[depth]]])


def _read(record: Any, names: Sequence[str]) -> list[Any]:
    """Return the members of *record*, None for each that is absent."""
    return [getattr(record, name, None) for name in names]


def _build(wording: Wording, title: str, columns: Sequence[str], rows: list[list[Any]]) -> Table:
    return Table(title=title, columns=[wording.columns[column] for column in columns], rows=rows)
