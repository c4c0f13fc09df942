"""Declaration of moex-iss-mcp.

Market data of the Moscow Exchange from its information and statistical server (ISS).

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from generated.dialects import MOEX
from generated.moex import errors
from generated.moex.iss import models, schemas
from toolaccord import Caller, Progress, Provisional, content
from toolaccord.contract.policies import CacheHint, CachePolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.operation import Operation
from toolaccord.declarations.prompts import Prompt
from toolaccord.declarations.resources import Completion, Resource, StaticFile
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.conditions import Ordered, Span
from toolaccord.sources.http import Http, HttpSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class IssSettings:
    """Settings of the handlers, from the environment."""

    sectors: bool
    """Look up the sectors of index members, with ten more requests a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssCall:
    """Sources, settings and time that a handler of moex-iss-mcp gets with a request."""

    iss: Http
    settings: IssSettings
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    progress: Progress
    """Sends progress to a caller that wants it, in tools whose contract declares progress."""


class Handlers(Protocol):
    """Coroutines of moex-iss-mcp.

    The module `handlers.moex.iss` implements them.
    """

    async def get_security_snapshot(
        self, request: models.GetSecuritySnapshotRequest, call: IssCall, /
    ) -> models.GetSecuritySnapshotResult:
        """Get a short snapshot for a MOEX security (last price, change, liquidity).

        last_price is the price of today's last trade. Without a trade today it is the previous price, and both
        changes are 0. data.price_field names the exchange's field: LAST or PREVPRICE. price_change_abs and
        price_change_pct (percent) compare with PREVPRICE, the last price before today; data.previous_price_date is
        its day. On the first trading day there is none: data.change_field is then NONE instead of PREVPRICE, and both
        changes are 0. Prices are in data.price_currency, value in data.value_currency (RUB); volume is in shares.
        intraday_volatility_estimate = (high_price - low_price) / open_price * 100, in percent. It is an estimate for
        one day and is not annualised. as_of is the exchange's time.
        """

    async def get_ohlcv_timeseries(
        self, request: models.GetOhlcvTimeseriesRequest, call: IssCall, /
    ) -> models.GetOhlcvTimeseriesResult | Provisional[models.GetOhlcvTimeseriesResult]:
        """Get historical OHLCV data and basic metrics for a MOEX security.

        Bars are oldest first, weekend sessions included, and not adjusted for dividends or splits; ts is the start of
        a bar, in Moscow time. volume is in shares, value in roubles. The last bar of today is not finished. All bars
        are of the requested days; ISS_BAD_RESPONSE is the answer when the exchange serves others. total_return_pct =
        (last close / first close - 1) * 100, in percent. annualized_volatility = sample standard deviation of the
        logarithmic close-to-close returns * sqrt(bars a year) * 100, in percent a year; it needs three bars. Daily
        bars (1d) are annualised by 252 trading days a year. Hourly bars (1h) are annualised by 4284 hours a year: 252
        trading days of 17 hours, 07:00 to 24:00 Moscow time, the trading hours since March 2025. Earlier days had
        fewer hours, so the estimate from their hourly bars is too high. avg_daily_volume = mean over the days that
        have bars of the day's volume, in shares, for 1h too.
        """

    async def get_index_constituents_metrics(
        self, request: models.GetIndexConstituentsMetricsRequest, call: IssCall, /
    ) -> models.GetIndexConstituentsMetricsResult:
        """Get index composition and per-constituent metrics. Members are the heaviest first.

        metrics.composition_date, which is as_of_date in metadata, is the trading day whose composition was served,
        metrics.requested_as_of_date the requested one. metrics.is_requested_date is false if they differ, as for a
        weekend. last_price and price_change_pct (percent, against the previous trading day) are today's, of the main
        board (TQBR), as of metrics.prices_as_of. A member that was not traded today has its previous price and the
        change 0; price_field is then PREVPRICE. A member without a price on that board has neither. sector is present
        if the server is configured to look it up. The weights of the whole index sum to 100 %; ISS_BAD_RESPONSE is
        the answer when the exchange serves only a part. top5_weight_pct = sum of the five largest weight_pct, in
        percent. num_constituents = number of members.
        """

    async def list_securities(
        self, request: models.ListSecuritiesRequest, call: IssCall, /
    ) -> models.ListSecuritiesResult:
        """List of securities.

        List the securities of a MOEX board with their names in Russian and English, as the exchange writes them, by
        ticker. Use it to find the ticker behind a name. share_class tells ordinary from preferred shares; other is
        anything else, such as a depositary receipt.
        """

    async def read_boards(self, request: models.ReadBoardsRequest, call: IssCall, /) -> models.ReadBoardsResult:
        """Boards on which the exchange trades shares: values of the argument board."""

    async def read_calendar(self, request: models.ReadCalendarRequest, call: IssCall, /) -> models.ReadCalendarResult:
        """Trading calendar.

        Trading hours of the exchange's stock market by day of the week, and the days of a year that differ.
        """

    async def complete_calendar_year(self, prefix: str, call: IssCall, /) -> Sequence[str]:
        """Return values of year that complete *prefix*.

        The value is a variable of moex://calendar/{year}.
        """

    async def prompt_security_overview(
        self, request: models.PromptSecurityOverviewRequest, call: IssCall, /
    ) -> Sequence[content.Message]:
        """Price and change today, and the return and volatility of the last 30 days."""

    async def complete_security_overview_ticker(self, call: IssCall, /) -> Mapping[str, Sequence[str]]:
        """Return all values of ticker, each with its other names.

        The value is an argument of the prompt security-overview.
        """

    async def prompt_compare_securities(
        self, request: models.PromptCompareSecuritiesRequest, call: IssCall, /
    ) -> Sequence[content.Message]:
        """Return, volatility and volume of two securities in the same days."""

    async def complete_compare_securities_first(self, call: IssCall, /) -> Mapping[str, Sequence[str]]:
        """Return all values of first, each with its other names.

        The value is an argument of the prompt compare-securities.
        """

    async def complete_compare_securities_second(self, call: IssCall, /) -> Mapping[str, Sequence[str]]:
        """Return all values of second, each with its other names.

        The value is an argument of the prompt compare-securities.
        """

    async def prompt_explain_index(
        self, request: models.PromptExplainIndexRequest, call: IssCall, /
    ) -> Sequence[content.Message]:
        """The members that lift and press an index today."""


def server(handlers: Handlers) -> Server[IssCall]:
    """Bind the tools of moex-iss-mcp to *handlers*."""
    return Server(
        name="moex-iss-mcp",
        title="Moscow Exchange market data",
        version="2.6.1",
        description="Market data of the Moscow Exchange from its information and statistical server (ISS).",
        instructions=(
            "Times are Moscow time. Without a subscription the exchange reports trades 15 "
            "minutes late. Fields that end in _pct are in percent."
        ),
        dialect=MOEX,
        settings=(
            Setting(
                name="iss_base_url",
                env="MOEX_ISS_BASE_URL",
                description="Base URL of the exchange's information server, up to and including /iss",
                schema={"type": "string"},
                default="https://iss.moex.com/iss",
            ),
            Setting(
                name="sectors",
                env="MOEX_SECTORS",
                description="Look up the sectors of index members, with ten more requests a call",
                schema={"type": "boolean"},
                default=False,
            ),
            Setting(
                name="redis_url",
                env="MOEX_REDIS_URL",
                description="Redis in which replicas share the pace towards the exchange; each has its own without one",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
        ),
        sources=(
            HttpSource(
                name="iss",
                url="iss_base_url",
                max_connections=5,
                connection_timeout_s=3,
                timeout_s=8,
                requests_per_second=3,
                store="redis",
                retries=2,
                client="moex-iss-mcp/2.6.1",
            ),
            RedisSource(name="redis", url="redis_url", connection_timeout_s=1.5, timeout_s=1.5),
        ),
        call=IssCall,
        handler_settings=IssSettings,
        tools=(
            Tool(
                name="get_security_snapshot",
                request=models.GetSecuritySnapshotRequest,
                parameters=schemas.GET_SECURITY_SNAPSHOT_PARAMETERS,
                returns=schemas.GET_SECURITY_SNAPSHOT_RETURNS,
                handler=handlers.get_security_snapshot,
                timeout_ms=10000,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.InvalidTicker, When(at=("/ticker",))),
                    DeclaredError(errors.NoData),
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                cache=CachePolicy(ttl_s=30),
                version="2.2.1",
                title="Security snapshot",
                description=(
                    "Get a short snapshot for a MOEX security (last price, change, liquidity). "
                    "last_price is the price of today's last trade. Without a trade today it is the "
                    "previous price, and both changes are 0. data.price_field names the exchange's "
                    "field: LAST or PREVPRICE. price_change_abs and price_change_pct (percent) "
                    "compare with PREVPRICE, the last price before today; data.previous_price_date "
                    "is its day. On the first trading day there is none: data.change_field is then "
                    "NONE instead of PREVPRICE, and both changes are 0. Prices are in "
                    "data.price_currency, value in data.value_currency (RUB); volume is in shares. "
                    "intraday_volatility_estimate = (high_price - low_price) / open_price * 100, in "
                    "percent. It is an estimate for one day and is not annualised. as_of is the "
                    "exchange's time."
                ),
                view=ViewFile("generated.moex.iss", "get_security_snapshot.json"),
            ),
            Tool(
                name="get_ohlcv_timeseries",
                request=models.GetOhlcvTimeseriesRequest,
                parameters=schemas.GET_OHLCV_TIMESERIES_PARAMETERS,
                returns=schemas.GET_OHLCV_TIMESERIES_RETURNS,
                handler=handlers.get_ohlcv_timeseries,
                timeout_ms=30000,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.InvalidTicker, When(at=("/ticker",))),
                    DeclaredError(errors.InvalidDateRange),
                    DeclaredError(errors.DateRangeTooLarge),
                    DeclaredError(errors.NoData),
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                conditions=(
                    Ordered(pointers=("/from_date", "/to_date"), strict=False, code="INVALID_DATE_RANGE"),
                    Span(
                        pointers=("/from_date", "/to_date"),
                        at_most=timedelta(seconds=63072000),
                        code="DATE_RANGE_TOO_LARGE",
                    ),
                ),
                cache=CachePolicy(ttl_s=3600, provisional_ttl_s=30),
                progress=True,
                version="1.1.2",
                title="OHLCV time series",
                description=(
                    "Get historical OHLCV data and basic metrics for a MOEX security. Bars are "
                    "oldest first, weekend sessions included, and not adjusted for dividends or "
                    "splits; ts is the start of a bar, in Moscow time. volume is in shares, value in "
                    "roubles. The last bar of today is not finished. All bars are of the requested "
                    "days; ISS_BAD_RESPONSE is the answer when the exchange serves others. "
                    "total_return_pct = (last close / first close - 1) * 100, in percent. "
                    "annualized_volatility = sample standard deviation of the logarithmic "
                    "close-to-close returns * sqrt(bars a year) * 100, in percent a year; it needs "
                    "three bars. Daily bars (1d) are annualised by 252 trading days a year. Hourly "
                    "bars (1h) are annualised by 4284 hours a year: 252 trading days of 17 hours, "
                    "07:00 to 24:00 Moscow time, the trading hours since March 2025. Earlier days "
                    "had fewer hours, so the estimate from their hourly bars is too high. "
                    "avg_daily_volume = mean over the days that have bars of the day's volume, in "
                    "shares, for 1h too."
                ),
                view=ViewFile("generated.moex.iss", "get_ohlcv_timeseries.json"),
            ),
            Tool(
                name="get_index_constituents_metrics",
                request=models.GetIndexConstituentsMetricsRequest,
                parameters=schemas.GET_INDEX_CONSTITUENTS_METRICS_PARAMETERS,
                returns=schemas.GET_INDEX_CONSTITUENTS_METRICS_RETURNS,
                handler=handlers.get_index_constituents_metrics,
                timeout_ms=30000,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.UnknownIndex, When(at=("/index_ticker",), keyword="enum")),
                    DeclaredError(errors.NoData),
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                cache=CachePolicy(ttl_s=60),
                progress=True,
                version="1.2.1",
                title="Index constituents",
                description=(
                    "Get index composition and per-constituent metrics. Members are the heaviest "
                    "first. metrics.composition_date, which is as_of_date in metadata, is the "
                    "trading day whose composition was served, metrics.requested_as_of_date the "
                    "requested one. metrics.is_requested_date is false if they differ, as for a "
                    "weekend. last_price and price_change_pct (percent, against the previous trading "
                    "day) are today's, of the main board (TQBR), as of metrics.prices_as_of. A "
                    "member that was not traded today has its previous price and the change 0; "
                    "price_field is then PREVPRICE. A member without a price on that board has "
                    "neither. sector is present if the server is configured to look it up. The "
                    "weights of the whole index sum to 100 %; ISS_BAD_RESPONSE is the answer when "
                    "the exchange serves only a part. top5_weight_pct = sum of the five largest "
                    "weight_pct, in percent. num_constituents = number of members."
                ),
                view=ViewFile("generated.moex.iss", "get_index_constituents_metrics.json"),
            ),
            Tool(
                name="list_securities",
                request=models.ListSecuritiesRequest,
                parameters=schemas.LIST_SECURITIES_PARAMETERS,
                returns=schemas.LIST_SECURITIES_RETURNS,
                handler=handlers.list_securities,
                timeout_ms=10000,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                cache=CachePolicy(ttl_s=3600),
                version="1.0.1",
                title="List of securities",
                description=(
                    "List the securities of a MOEX board with their names in Russian and English, as "
                    "the exchange writes them, by ticker. Use it to find the ticker behind a name. "
                    "share_class tells ordinary from preferred shares; other is anything else, such "
                    "as a depositary receipt."
                ),
                view=ViewFile("generated.moex.iss", "list_securities.json"),
            ),
        ),
        resources=(
            Resource(
                name="boards",
                title="Boards",
                description="Boards on which the exchange trades shares: values of the argument board.",
                uri="moex://boards",
                mime_type="application/json",
                kind="json",
                content=Operation(
                    name="boards",
                    request=models.ReadBoardsRequest,
                    parameters=schemas.READ_BOARDS_PARAMETERS,
                    returns=schemas.READ_BOARDS_RETURNS,
                    handler=handlers.read_boards,
                    timeout_ms=10000,
                    reads=("iss",),
                    errors=(
                        DeclaredError(errors.RateLimited),
                        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                        DeclaredError(errors.IssUnavailable, When(occasion="source")),
                        DeclaredError(errors.IssBadResponse),
                    ),
                ),
                cache=CacheHint(ttl_s=3600, scope="public"),
            ),
            Resource(
                name="calendar",
                title="Trading calendar",
                description="Trading hours of the exchange's stock market by day of the week, and the days of a year that differ.",
                uri_template="moex://calendar/{year}",
                mime_type="application/json",
                kind="json",
                content=Operation(
                    name="calendar",
                    request=models.ReadCalendarRequest,
                    parameters=schemas.READ_CALENDAR_PARAMETERS,
                    returns=schemas.READ_CALENDAR_RETURNS,
                    handler=handlers.read_calendar,
                    timeout_ms=10000,
                    reads=("iss",),
                    errors=(
                        DeclaredError(errors.RateLimited),
                        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                        DeclaredError(errors.IssUnavailable, When(occasion="source")),
                        DeclaredError(errors.IssBadResponse),
                    ),
                ),
                cache=CacheHint(ttl_s=3600, scope="public"),
                completions=(Completion(member="year", handler=handlers.complete_calendar_year),),
            ),
            Resource(
                name="contract.get_security_snapshot",
                title="Contract of Security snapshot",
                description="Contract of the tool get_security_snapshot: its schemas, errors, limits and examples.",
                uri="contract://moex-iss-mcp/get_security_snapshot",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.moex.iss", "contract.get_security_snapshot.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
            Resource(
                name="contract.get_ohlcv_timeseries",
                title="Contract of OHLCV time series",
                description="Contract of the tool get_ohlcv_timeseries: its schemas, errors, limits and examples.",
                uri="contract://moex-iss-mcp/get_ohlcv_timeseries",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.moex.iss", "contract.get_ohlcv_timeseries.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
            Resource(
                name="contract.get_index_constituents_metrics",
                title="Contract of Index constituents",
                description="Contract of the tool get_index_constituents_metrics: its schemas, errors, limits and examples.",
                uri="contract://moex-iss-mcp/get_index_constituents_metrics",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.moex.iss", "contract.get_index_constituents_metrics.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
            Resource(
                name="contract.list_securities",
                title="Contract of List of securities",
                description="Contract of the tool list_securities: its schemas, errors, limits and examples.",
                uri="contract://moex-iss-mcp/list_securities",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.moex.iss", "contract.list_securities.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
        ),
        prompts=(
            Prompt(
                name="security-overview",
                title="Overview of a security",
                description="Price and change today, and the return and volatility of the last 30 days.",
                request=models.PromptSecurityOverviewRequest,
                parameters=schemas.PROMPT_SECURITY_OVERVIEW_PARAMETERS,
                handler=handlers.prompt_security_overview,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                timeout_ms=10000,
                completions=(
                    Completion(member="ticker", handler=handlers.complete_security_overview_ticker, ttl_s=3600),
                    Completion(member="language", values=("ru", "en")),
                ),
            ),
            Prompt(
                name="compare-securities",
                title="Comparison of two securities",
                description="Return, volatility and volume of two securities in the same days.",
                request=models.PromptCompareSecuritiesRequest,
                parameters=schemas.PROMPT_COMPARE_SECURITIES_PARAMETERS,
                handler=handlers.prompt_compare_securities,
                reads=("iss",),
                errors=(
                    DeclaredError(errors.RateLimited),
                    DeclaredError(errors.IssTimeout, When(occasion="deadline")),
                    DeclaredError(errors.IssUnavailable, When(occasion="source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                timeout_ms=10000,
                completions=(
                    Completion(member="first", handler=handlers.complete_compare_securities_first, ttl_s=3600),
                    Completion(member="second", handler=handlers.complete_compare_securities_second, ttl_s=3600),
                    Completion(member="language", values=("ru", "en")),
                ),
            ),
            Prompt(
                name="explain-index",
                title="Movers of an index",
                description="The members that lift and press an index today.",
                request=models.PromptExplainIndexRequest,
                parameters=schemas.PROMPT_EXPLAIN_INDEX_PARAMETERS,
                handler=handlers.prompt_explain_index,
                timeout_ms=5000,
                completions=(
                    Completion(member="index_ticker", values=("IMOEX", "RTSI")),
                    Completion(member="language", values=("ru", "en")),
                ),
            ),
        ),
    )
