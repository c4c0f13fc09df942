"""Requests and results of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class GetSecuritySnapshotRequest(BaseModel):
    """Arguments of get_security_snapshot."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ticker: Annotated[str, Field(max_length=16, min_length=1)]
    """Security ticker, e.g. 'SBER'."""
    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board, e.g. 'TQBR'."""


class GetSecuritySnapshotResultMetadata(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    source: Literal["moex-iss"]
    ticker: str
    board: str
    as_of: AwareDatetime


class GetSecuritySnapshotResultData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    last_price: float | int
    price_change_abs: float | int
    price_change_pct: float | int
    open_price: float | int | None = None
    high_price: float | int | None = None
    low_price: float | int | None = None
    volume: float | int | None = None
    value: float | int | None = None


class GetSecuritySnapshotResultMetrics(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    intraday_volatility_estimate: float | int | None = None


class GetSecuritySnapshotResultError(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    error_type: str
    message: str
    details: Any | None = None


class GetOhlcvTimeseriesRequest(BaseModel):
    """Arguments of get_ohlcv_timeseries."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
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


class GetOhlcvTimeseriesResultMetadata(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    source: Literal["moex-iss"]
    ticker: str
    board: str | None = None
    interval: Literal["1d", "1h"]
    from_date: date
    to_date: date


class GetOhlcvTimeseriesResultDataItem(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ts: AwareDatetime
    open: float | int
    high: float | int
    low: float | int
    close: float | int
    volume: float | int | None = None
    value: float | int | None = None


class GetOhlcvTimeseriesResultMetrics(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    total_return_pct: float | int | None = None
    annualized_volatility: float | int | None = None
    avg_daily_volume: float | int | None = None


class GetOhlcvTimeseriesResultError(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    error_type: str
    message: str
    details: Any | None = None


class GetIndexConstituentsMetricsRequest(BaseModel):
    """Arguments of get_index_constituents_metrics."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    index_ticker: Literal["IMOEX", "RTSI"]
    """Index ticker."""
    as_of_date: date
    """Date for which index composition is requested."""


class GetIndexConstituentsMetricsResultMetadata(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    source: Literal["moex-iss"]
    index_ticker: str
    as_of_date: date


class GetIndexConstituentsMetricsResultDataItem(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ticker: str
    weight_pct: float | int
    last_price: float | int | None = None
    price_change_pct: float | int | None = None
    sector: str | None = None


class GetIndexConstituentsMetricsResultMetrics(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    top5_weight_pct: float | int | None = None
    num_constituents: int | None = None


class GetIndexConstituentsMetricsResultError(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    error_type: str
    message: str
    details: Any | None = None


class ListSecuritiesRequest(BaseModel):
    """Arguments of list_securities."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    board: Annotated[str, Field(max_length=16, min_length=1)] = "TQBR"
    """MOEX board of at most 16 characters, by default 'TQBR', the main one."""


class ListSecuritiesResultMetadata(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    source: Literal["moex-iss"]
    board: str
    """The board"""


class ListSecuritiesResultDataItem(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ticker: str
    """Ticker, e.g. SBER"""
    share_class: Literal["ordinary", "preferred", "other"]
    """Class of the share"""
    names: Annotated[list[str], Field(max_length=3)]
    """Names in Russian and English, e.g. Сбербанк and Sberbank"""


class ListSecuritiesResultError(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    error_type: str
    message: str
    details: Any | None = None


class ReadBoardsRequest(BaseModel):
    """Variables in the URI of boards."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )


class ReadBoardsResultBoardsItem(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    board: str
    """Board, e.g. TQBR"""
    title: str
    """Name of the board, in Russian"""
    is_traded: bool
    """True if shares are traded there today"""


class ReadCalendarRequest(BaseModel):
    """Variables in the URI of calendar."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    year: Annotated[int, Field(ge=2010, le=2100)]
    """Year, e.g. 2026"""


class ReadCalendarResultWeekItem(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    week_day: Annotated[int, Field(ge=1, le=7)]
    """Day of the week; Monday is 1"""
    is_trading: bool
    """True if the market opens"""
    opens: str | None = None
    """Moscow time of the opening, HH:MM:SS; absent if closed"""
    closes: str | None = None
    """Moscow time of the close, HH:MM:SS; absent if closed"""


class ReadCalendarResultExceptionsItem(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    day: date
    """Day"""
    is_trading: bool
    """True if the market opens"""
    opens: str | None = None
    """Moscow time of the opening, HH:MM:SS; absent if closed"""
    closes: str | None = None
    """Moscow time of the close, HH:MM:SS; absent if closed"""


class PromptSecurityOverviewRequest(BaseModel):
    """Arguments of the prompt security-overview."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    ticker: str
    """Ticker on the main board, e.g. SBER; a name such as Сбербанк finds it"""
    language: Literal["ru", "en"] = "ru"
    """Language of the answer"""


class PromptCompareSecuritiesRequest(BaseModel):
    """Arguments of the prompt compare-securities."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
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


class PromptExplainIndexRequest(BaseModel):
    """Arguments of the prompt explain-index."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    index_ticker: Literal["IMOEX", "RTSI"]
    """Index"""
    language: Literal["ru", "en"] = "ru"
    """Language of the answer"""


class GetSecuritySnapshotResult(BaseModel):
    """Result of get_security_snapshot."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    metadata: GetSecuritySnapshotResultMetadata
    data: GetSecuritySnapshotResultData
    metrics: GetSecuritySnapshotResultMetrics | None = None
    error: GetSecuritySnapshotResultError | None = None


class GetOhlcvTimeseriesResult(BaseModel):
    """Result of get_ohlcv_timeseries."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    metadata: GetOhlcvTimeseriesResultMetadata
    data: list[GetOhlcvTimeseriesResultDataItem]
    metrics: GetOhlcvTimeseriesResultMetrics | None = None
    error: GetOhlcvTimeseriesResultError | None = None


class GetIndexConstituentsMetricsResult(BaseModel):
    """Result of get_index_constituents_metrics."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    metadata: GetIndexConstituentsMetricsResultMetadata
    data: list[GetIndexConstituentsMetricsResultDataItem]
    metrics: GetIndexConstituentsMetricsResultMetrics | None = None
    error: GetIndexConstituentsMetricsResultError | None = None


class ListSecuritiesResult(BaseModel):
    """Result of list_securities."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    metadata: ListSecuritiesResultMetadata
    data: Annotated[list[ListSecuritiesResultDataItem], Field(max_length=5000)]
    """Securities by ticker; empty for a board that the exchange does not know"""
    error: ListSecuritiesResultError | None = None


class ReadBoardsResult(BaseModel):
    """Content of boards."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    boards: Annotated[list[ReadBoardsResultBoardsItem], Field(max_length=1000)]


class ReadCalendarResult(BaseModel):
    """Content of calendar."""

    model_config = ConfigDict(
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        defer_build=True,
        ser_json_inf_nan="constants",
    )
    year: int
    """Year"""
    week: Annotated[list[ReadCalendarResultWeekItem], Field(max_length=7)]
    """Usual days, Monday first"""
    exceptions: Annotated[list[ReadCalendarResultExceptionsItem], Field(max_length=366)]
    """Days of the year that differ from the usual ones, the earliest first"""
