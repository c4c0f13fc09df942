"""Requests and results of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field

from toolaccord.contract_model import ContractModel


class GetSecuritySnapshotRequest(ContractModel):
    """Arguments of get_security_snapshot."""

    ticker: Annotated[str, Field(max_length=16, min_length=1)]
    """Security ticker, e.g. 'SBER'."""
    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board, e.g. 'TQBR'."""


class GetSecuritySnapshotResultMetadata(ContractModel):
    source: Literal["moex-iss"]
    ticker: str
    board: str
    as_of: AwareDatetime


class GetSecuritySnapshotResultData(ContractModel):
    model_config = ConfigDict(extra="allow")
    last_price: float | int
    price_change_abs: float | int
    price_change_pct: float | int
    open_price: float | int | None = None
    high_price: float | int | None = None
    low_price: float | int | None = None
    volume: float | int | None = None
    value: float | int | None = None


class GetSecuritySnapshotResultMetrics(ContractModel):
    model_config = ConfigDict(extra="allow")
    intraday_volatility_estimate: float | int | None = None


class GetSecuritySnapshotResultError(ContractModel):
    model_config = ConfigDict(extra="allow")
    error_type: str
    message: str
    details: Any | None = None


class GetOhlcvTimeseriesRequest(ContractModel):
    """Arguments of get_ohlcv_timeseries."""

    ticker: Annotated[str, Field(max_length=16, min_length=1)]
    """Security ticker, e.g. 'SBER'."""
    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board, e.g. 'TQBR'."""
    from_date: date
    """Start date, inclusive, in ISO format (YYYY-MM-DD)."""
    to_date: date
    """End date, inclusive, in ISO format (YYYY-MM-DD)."""
    interval: Literal["1d", "1h"] = "1d"
    """Aggregation interval: 1d (daily) or 1h (hourly)."""


class GetOhlcvTimeseriesResultMetadata(ContractModel):
    source: Literal["moex-iss"]
    ticker: str
    board: str | None = None
    interval: Literal["1d", "1h"]
    from_date: date
    to_date: date


class GetOhlcvTimeseriesResultDataItem(ContractModel):
    model_config = ConfigDict(extra="allow")
    ts: AwareDatetime
    open: float | int
    high: float | int
    low: float | int
    close: float | int
    volume: float | int | None = None
    value: float | int | None = None


class GetOhlcvTimeseriesResultMetrics(ContractModel):
    model_config = ConfigDict(extra="allow")
    total_return_pct: float | int | None = None
    annualized_volatility: float | int | None = None
    avg_daily_volume: float | int | None = None


class GetOhlcvTimeseriesResultError(ContractModel):
    model_config = ConfigDict(extra="allow")
    error_type: str
    message: str
    details: Any | None = None


class GetIndexConstituentsMetricsRequest(ContractModel):
    """Arguments of get_index_constituents_metrics."""

    index_ticker: Literal["IMOEX", "RTSI"]
    """Index ticker."""
    as_of_date: date
    """Date for which index composition is requested."""


class GetIndexConstituentsMetricsResultMetadata(ContractModel):
    source: Literal["moex-iss"]
    index_ticker: str
    as_of_date: date


class GetIndexConstituentsMetricsResultDataItem(ContractModel):
    model_config = ConfigDict(extra="allow")
    ticker: str
    weight_pct: float | int
    last_price: float | int | None = None
    price_change_pct: float | int | None = None
    sector: str | None = None


class GetIndexConstituentsMetricsResultMetrics(ContractModel):
    model_config = ConfigDict(extra="allow")
    top5_weight_pct: float | int | None = None
    num_constituents: int | None = None


class GetIndexConstituentsMetricsResultError(ContractModel):
    model_config = ConfigDict(extra="allow")
    error_type: str
    message: str
    details: Any | None = None


class ListSecuritiesRequest(ContractModel):
    """Arguments of list_securities."""

    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board of at most 16 characters, by default 'TQBR', the main one."""


class ListSecuritiesResultMetadata(ContractModel):
    source: Literal["moex-iss"]
    board: str
    """The board"""


class ListSecuritiesResultDataItem(ContractModel):
    ticker: str
    """Ticker, e.g. SBER"""
    share_class: Literal["ordinary", "preferred", "other"]
    """Class of the share"""
    names: Annotated[list[str], Field(max_length=3)]
    """Names in Russian and English, e.g. Сбербанк and Sberbank"""


class ListSecuritiesResultError(ContractModel):
    model_config = ConfigDict(extra="allow")
    error_type: str
    message: str
    details: Any | None = None


class ReadBoardsRequest(ContractModel):
    """Variables in the URI of boards."""


class ReadBoardsResultBoardsItem(ContractModel):
    board: str
    """Board, e.g. TQBR"""
    title: str
    """Name of the board, in Russian"""
    is_traded: bool
    """True if shares are traded there today"""


class ReadCalendarRequest(ContractModel):
    """Variables in the URI of calendar."""

    year: Annotated[int, Field(ge=2010, le=2100)]
    """Year, e.g. 2026"""


class ReadCalendarResultWeekItem(ContractModel):
    week_day: Annotated[int, Field(ge=1, le=7)]
    """Day of the week; Monday is 1"""
    is_trading: bool
    """True if the market opens"""
    opens: str | None = None
    """Moscow time of the opening, HH:MM:SS; absent if closed"""
    closes: str | None = None
    """Moscow time of the close, HH:MM:SS; absent if closed"""


class ReadCalendarResultExceptionsItem(ContractModel):
    day: date
    """Day"""
    is_trading: bool
    """True if the market opens"""
    opens: str | None = None
    """Moscow time of the opening, HH:MM:SS; absent if closed"""
    closes: str | None = None
    """Moscow time of the close, HH:MM:SS; absent if closed"""


class PromptSecurityOverviewRequest(ContractModel):
    """Arguments of the prompt security-overview."""

    ticker: str
    """Ticker on the main board, e.g. SBER; a name such as Сбербанк finds it"""
    language: Literal["ru", "en"] = "ru"
    """Language of the answer"""


class PromptCompareSecuritiesRequest(ContractModel):
    """Arguments of the prompt compare-securities."""

    first: str
    """Ticker on the main board, e.g. SBER; a name such as Сбербанк finds it"""
    second: str
    """Ticker on the main board, e.g. SBER; a name such as Сбербанк finds it"""
    from_date: date | None = None
    """First day, e.g. 2026-01-15; without it, the first day of the year"""
    to_date: date | None = None
    """Last day, e.g. 2026-02-15; without it, today in Moscow"""
    language: Literal["ru", "en"] = "ru"
    """Language of the answer"""


class PromptExplainIndexRequest(ContractModel):
    """Arguments of the prompt explain-index."""

    index_ticker: Literal["IMOEX", "RTSI"]
    """Index"""
    language: Literal["ru", "en"] = "ru"
    """Language of the answer"""


class GetSecuritySnapshotResult(ContractModel):
    """Result of get_security_snapshot."""

    metadata: GetSecuritySnapshotResultMetadata
    data: GetSecuritySnapshotResultData
    metrics: GetSecuritySnapshotResultMetrics | None = None
    error: GetSecuritySnapshotResultError | None = None


class GetOhlcvTimeseriesResult(ContractModel):
    """Result of get_ohlcv_timeseries."""

    metadata: GetOhlcvTimeseriesResultMetadata
    data: list[GetOhlcvTimeseriesResultDataItem]
    metrics: GetOhlcvTimeseriesResultMetrics | None = None
    error: GetOhlcvTimeseriesResultError | None = None


class GetIndexConstituentsMetricsResult(ContractModel):
    """Result of get_index_constituents_metrics."""

    metadata: GetIndexConstituentsMetricsResultMetadata
    data: list[GetIndexConstituentsMetricsResultDataItem]
    metrics: GetIndexConstituentsMetricsResultMetrics | None = None
    error: GetIndexConstituentsMetricsResultError | None = None


class ListSecuritiesResult(ContractModel):
    """Result of list_securities."""

    metadata: ListSecuritiesResultMetadata
    data: Annotated[list[ListSecuritiesResultDataItem], Field(max_length=5000)]
    """Securities by ticker; empty for a board that the exchange does not know"""
    error: ListSecuritiesResultError | None = None


class ReadBoardsResult(ContractModel):
    """Content of boards."""

    boards: Annotated[list[ReadBoardsResultBoardsItem], Field(max_length=1000)]


class ReadCalendarResult(ContractModel):
    """Content of calendar."""

    year: int
    """Year"""
    week: Annotated[list[ReadCalendarResultWeekItem], Field(max_length=7)]
    """Usual days, Monday first"""
    exceptions: Annotated[list[ReadCalendarResultExceptionsItem], Field(max_length=366)]
    """Days of the year that differ from the usual ones, the earliest first"""
