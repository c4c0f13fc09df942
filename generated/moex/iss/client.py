"""Typed client of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.moex import errors
from generated.moex.iss import models, schemas
from toolaccord import content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    Completed,
    RemoteCompletion,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
    RemoteTool,
)
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_SECURITY_SNAPSHOT: Final = RemoteTool(
    name="get_security_snapshot",
    request=models.GetSecuritySnapshotRequest,
    result=models.GetSecuritySnapshotResult,
    errors=(
        DeclaredError(errors.InvalidTicker, When(at=("/ticker",))),
        DeclaredError(errors.NoData),
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_SECURITY_SNAPSHOT_PARAMETERS,
    version="2.2.1",
)

GET_OHLCV_TIMESERIES: Final = RemoteTool(
    name="get_ohlcv_timeseries",
    request=models.GetOhlcvTimeseriesRequest,
    result=models.GetOhlcvTimeseriesResult,
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
    timeout_s=30.0,
    parameters=schemas.GET_OHLCV_TIMESERIES_PARAMETERS,
    version="1.1.2",
)

GET_INDEX_CONSTITUENTS_METRICS: Final = RemoteTool(
    name="get_index_constituents_metrics",
    request=models.GetIndexConstituentsMetricsRequest,
    result=models.GetIndexConstituentsMetricsResult,
    errors=(
        DeclaredError(errors.UnknownIndex, When(at=("/index_ticker",), keyword="enum")),
        DeclaredError(errors.NoData),
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=30.0,
    parameters=schemas.GET_INDEX_CONSTITUENTS_METRICS_PARAMETERS,
    version="1.2.1",
)

LIST_SECURITIES: Final = RemoteTool(
    name="list_securities",
    request=models.ListSecuritiesRequest,
    result=models.ListSecuritiesResult,
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
    parameters=schemas.LIST_SECURITIES_PARAMETERS,
    version="1.0.1",
)

READ_BOARDS: Final = RemoteResource(
    name="resources/read boards",
    address="moex://boards",
    result=models.ReadBoardsResult,
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

READ_CALENDAR: Final = RemoteResource(
    name="resources/read calendar",
    address="moex://calendar/{year}",
    result=models.ReadCalendarResult,
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_CALENDAR_YEAR: Final = RemoteCompletion(
    name="completion/complete calendar year",
    uri_template="moex://calendar/{year}",
    member="year",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

PROMPT_SECURITY_OVERVIEW: Final = RemotePrompt(
    name="prompts/get security-overview",
    prompt="security-overview",
    request=models.PromptSecurityOverviewRequest,
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_SECURITY_OVERVIEW_TICKER: Final = RemoteCompletion(
    name="completion/complete security-overview ticker",
    prompt="security-overview",
    member="ticker",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_SECURITY_OVERVIEW_LANGUAGE: Final = RemoteCompletion(
    name="completion/complete security-overview language",
    prompt="security-overview",
    member="language",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

PROMPT_COMPARE_SECURITIES: Final = RemotePrompt(
    name="prompts/get compare-securities",
    prompt="compare-securities",
    request=models.PromptCompareSecuritiesRequest,
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_COMPARE_SECURITIES_FIRST: Final = RemoteCompletion(
    name="completion/complete compare-securities first",
    prompt="compare-securities",
    member="first",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_COMPARE_SECURITIES_SECOND: Final = RemoteCompletion(
    name="completion/complete compare-securities second",
    prompt="compare-securities",
    member="second",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

COMPLETE_COMPARE_SECURITIES_LANGUAGE: Final = RemoteCompletion(
    name="completion/complete compare-securities language",
    prompt="compare-securities",
    member="language",
    errors=(
        DeclaredError(errors.RateLimited),
        DeclaredError(errors.IssTimeout, When(occasion="deadline")),
        DeclaredError(errors.IssUnavailable, When(occasion="source")),
        DeclaredError(errors.IssBadResponse),
    ),
    timeout_s=10.0,
)

PROMPT_EXPLAIN_INDEX: Final = RemotePrompt(
    name="prompts/get explain-index",
    prompt="explain-index",
    request=models.PromptExplainIndexRequest,
    timeout_s=5.0,
)

COMPLETE_EXPLAIN_INDEX_INDEX_TICKER: Final = RemoteCompletion(
    name="completion/complete explain-index index_ticker",
    prompt="explain-index",
    member="index_ticker",
    timeout_s=5.0,
)

COMPLETE_EXPLAIN_INDEX_LANGUAGE: Final = RemoteCompletion(
    name="completion/complete explain-index language",
    prompt="explain-index",
    member="language",
    timeout_s=5.0,
)


class IssClient(ServerClient):
    """Client of moex-iss-mcp.

    Market data of the Moscow Exchange from its information and statistical server (ISS).
    """

    _server: ClassVar = RemoteServer(
        name="moex-iss-mcp",
        module="generated.moex.iss",
        dialect=dialects.MOEX,
    )

    async def get_security_snapshot(
        self, request: models.GetSecuritySnapshotRequest, **options: Unpack[CallOptions]
    ) -> models.GetSecuritySnapshotResult:
        """Get a short snapshot for a MOEX security (last price, change, liquidity).

        last_price is the price of today's last trade. Without a trade today it is the previous price, and both
        changes are 0. data.price_field names the exchange's field: LAST or PREVPRICE. price_change_abs and
        price_change_pct (percent) compare with PREVPRICE, the last price before today; data.previous_price_date is
        its day. On the first trading day there is none: data.change_field is then NONE instead of PREVPRICE, and both
        changes are 0. Prices are in data.price_currency, value in data.value_currency (RUB); volume is in shares.
        intraday_volatility_estimate = (high_price - low_price) / open_price * 100, in percent. It is an estimate for
        one day and is not annualised. as_of is the exchange's time.

        May raise:
        * InvalidTicker: The exchange knows no such security on this board, or the ticker is malformed.
        * NoData: The security has neither a trade today nor a previous price.
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.call(GET_SECURITY_SNAPSHOT, request, **options)).result

    async def get_ohlcv_timeseries(
        self, request: models.GetOhlcvTimeseriesRequest, **options: Unpack[CallOptions]
    ) -> models.GetOhlcvTimeseriesResult:
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

        May raise:
        * InvalidTicker: The exchange knows no such security on this board, or the ticker is malformed.
        * InvalidDateRange: The last date is before the first.
        * DateRangeTooLarge: The dates are more than 730 days apart.
        * NoData: The security has no bars in this range.
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.call(GET_OHLCV_TIMESERIES, request, **options)).result

    async def get_index_constituents_metrics(
        self, request: models.GetIndexConstituentsMetricsRequest, **options: Unpack[CallOptions]
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

        May raise:
        * UnknownIndex: The index is not supported.
        * NoData: The exchange has no composition of the index for this date.
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.call(GET_INDEX_CONSTITUENTS_METRICS, request, **options)).result

    async def list_securities(
        self, request: models.ListSecuritiesRequest, **options: Unpack[CallOptions]
    ) -> models.ListSecuritiesResult:
        """List of securities.

        List the securities of a MOEX board with their names in Russian and English, as the exchange writes them, by
        ticker. Use it to find the ticker behind a name. share_class tells ordinary from preferred shares; other is
        anything else, such as a depositary receipt.

        May raise:
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.call(LIST_SECURITIES, request, **options)).result

    async def read_boards(self, **options: Unpack[CallOptions]) -> models.ReadBoardsResult:
        """Boards on which the exchange trades shares: values of the argument board.

        May raise:
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.read(READ_BOARDS, **options)).result

    async def read_calendar(
        self, request: models.ReadCalendarRequest, **options: Unpack[CallOptions]
    ) -> models.ReadCalendarResult:
        """Trading calendar.

        Trading hours of the exchange's stock market by day of the week, and the days of a year that differ.

        May raise:
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.read(READ_CALENDAR, request, **options)).result

    async def complete_calendar_year(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of year that complete *prefix*.

        The value is a variable of the resource calendar.
        """
        return (await self.complete(COMPLETE_CALENDAR_YEAR, prefix, **options)).result

    async def prompt_security_overview(
        self, request: models.PromptSecurityOverviewRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Price and change today, and the return and volatility of the last 30 days.

        May raise:
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.get_prompt(PROMPT_SECURITY_OVERVIEW, request, **options)).result

    async def complete_security_overview_ticker(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of ticker that complete *prefix*.

        The value is an argument of the prompt security-overview.
        """
        return (await self.complete(COMPLETE_SECURITY_OVERVIEW_TICKER, prefix, **options)).result

    async def complete_security_overview_language(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of language that complete *prefix*.

        The value is an argument of the prompt security-overview.
        """
        return (await self.complete(COMPLETE_SECURITY_OVERVIEW_LANGUAGE, prefix, **options)).result

    async def prompt_compare_securities(
        self, request: models.PromptCompareSecuritiesRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Return, volatility and volume of two securities in the same days.

        May raise:
        * RateLimited: The rate limit of the exchange, or of this server, allows no request before the deadline.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server is unreachable or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.get_prompt(PROMPT_COMPARE_SECURITIES, request, **options)).result

    async def complete_compare_securities_first(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of first that complete *prefix*.

        The value is an argument of the prompt compare-securities.
        """
        return (await self.complete(COMPLETE_COMPARE_SECURITIES_FIRST, prefix, **options)).result

    async def complete_compare_securities_second(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of second that complete *prefix*.

        The value is an argument of the prompt compare-securities.
        """
        return (await self.complete(COMPLETE_COMPARE_SECURITIES_SECOND, prefix, **options)).result

    async def complete_compare_securities_language(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of language that complete *prefix*.

        The value is an argument of the prompt compare-securities.
        """
        return (await self.complete(COMPLETE_COMPARE_SECURITIES_LANGUAGE, prefix, **options)).result

    async def prompt_explain_index(
        self, request: models.PromptExplainIndexRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """The members that lift and press an index today."""
        return (await self.get_prompt(PROMPT_EXPLAIN_INDEX, request, **options)).result

    async def complete_explain_index_index_ticker(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of index_ticker that complete *prefix*.

        The value is an argument of the prompt explain-index.
        """
        return (await self.complete(COMPLETE_EXPLAIN_INDEX_INDEX_TICKER, prefix, **options)).result

    async def complete_explain_index_language(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of language that complete *prefix*.

        The value is an argument of the prompt explain-index.
        """
        return (await self.complete(COMPLETE_EXPLAIN_INDEX_LANGUAGE, prefix, **options)).result
