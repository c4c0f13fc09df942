"""Handlers of moex-iss-mcp, on the exchange's information server (ISS).

The models have no fields for the properties that the schemas only allow (`additionalProperties`). `model_copy` adds
these.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from generated.moex.errors import NoData
from generated.moex.iss.models import (
    GetIndexConstituentsMetricsRequest,
    GetIndexConstituentsMetricsResult,
    GetIndexConstituentsMetricsResultDataItem,
    GetIndexConstituentsMetricsResultMetadata,
    GetIndexConstituentsMetricsResultMetrics,
    GetOhlcvTimeseriesRequest,
    GetOhlcvTimeseriesResult,
    GetOhlcvTimeseriesResultDataItem,
    GetOhlcvTimeseriesResultMetadata,
    GetOhlcvTimeseriesResultMetrics,
    GetSecuritySnapshotRequest,
    GetSecuritySnapshotResult,
    GetSecuritySnapshotResultData,
    GetSecuritySnapshotResultMetadata,
    GetSecuritySnapshotResultMetrics,
    ListSecuritiesRequest,
    ListSecuritiesResult,
    ListSecuritiesResultDataItem,
    ListSecuritiesResultMetadata,
    PromptCompareSecuritiesRequest,
    PromptExplainIndexRequest,
    PromptSecurityOverviewRequest,
    ReadBoardsRequest,
    ReadBoardsResult,
    ReadCalendarRequest,
    ReadCalendarResult,
)
from generated.moex.iss.server import IssCall
from handlers.moex import formulas
from handlers.moex.candles import fetch_candles
from handlers.moex.indices import SECTORS, fetch_composition, fetch_sectors
from handlers.moex.moscow import is_over, read_moscow_time, today
from handlers.moex.schedule import fetch_boards, fetch_calendar
from handlers.moex.securities import (
    Price,
    fetch_listings,
    fetch_names,
    fetch_quotation,
    fetch_quotations,
    read_basis,
    read_price,
)
from handlers.moex.steps import Steps
from handlers.moex.tables import Number, Row, read_amount, read_text
from handlers.moex.workflows import compare_securities, describe_security, explain_index
from toolaccord import Provisional
from toolaccord.content import Message

MAIN_BOARD = "TQBR"
"""The board with the prices of the members of an index."""
TOP = 5
FIRST_YEAR = 2010
"""The first year of the calendar, as in the contract."""
OVERVIEW = timedelta(days=30)
"""The time before today of an overview."""


async def get_security_snapshot(request: GetSecuritySnapshotRequest, call: IssCall, /) -> GetSecuritySnapshotResult:
    """Return the price of a security, its change since the previous day, and the day's figures.

    Raises InvalidTicker, NoData, RateLimited, IssTimeout and IssBadResponse.
    """
    ticker, board = request.ticker, request.board
    row = await fetch_quotation(call.iss, ticker, board)
    found = read_price(row)
    if found is None:
        raise NoData(f"{ticker} has neither a trade today on {board} nor a previous price.", ticker=ticker)
    opened, high, low = (read_amount(row, column) for column in ("OPEN", "HIGH", "LOW"))
    return GetSecuritySnapshotResult(
        metadata=GetSecuritySnapshotResultMetadata(
            source="moex-iss",
            ticker=read_text(row, "SECID"),
            board=read_text(row, "BOARDID"),
            as_of=read_moscow_time(row, "SYSTIME"),
        ),
        data=GetSecuritySnapshotResultData(
            last_price=found.last,
            price_change_abs=found.change.absolute if found.change else 0,
            price_change_pct=found.change.pct if found.change else 0,
            open_price=opened,
            high_price=high,
            low_price=low,
            volume=read_amount(row, "VOLTODAY"),
            value=read_amount(row, "VALTODAY_RUR"),
        ).model_copy(update=read_basis(row, found)),
        metrics=GetSecuritySnapshotResultMetrics(
            intraday_volatility_estimate=formulas.intraday_volatility_estimate(opened, high, low)
        ),
    )


async def get_ohlcv_timeseries(
    request: GetOhlcvTimeseriesRequest, call: IssCall, /
) -> GetOhlcvTimeseriesResult | Provisional[GetOhlcvTimeseriesResult]:
    """Return the bars of a security, oldest first, and their metrics.

    The result is provisional until its last day is over.
    Raises InvalidTicker, NoData, RateLimited, IssTimeout and IssBadResponse.
    """
    days = request.from_date, request.to_date
    found = await fetch_candles(call.iss, request.ticker, request.board, request.interval, days, progress=call.progress)
    result = GetOhlcvTimeseriesResult(
        metadata=GetOhlcvTimeseriesResultMetadata(
            source="moex-iss",
            ticker=request.ticker,
            board=request.board,
            interval=request.interval,
            from_date=request.from_date,
            to_date=request.to_date,
        ),
        data=found,
        metrics=_bar_metrics(found, request.interval),
    )
    return result if is_over(request.to_date, call.now) else Provisional(result)


async def get_index_constituents_metrics(
    request: GetIndexConstituentsMetricsRequest, call: IssCall, /
) -> GetIndexConstituentsMetricsResult:
    """Return the members of an index with today's prices, the heaviest first.

    Includes sectors if the setting `sectors` is true.
    Raises NoData, RateLimited, IssTimeout and IssBadResponse.
    """
    steps = Steps(call.progress, 2 + (len(SECTORS) if call.settings.sectors else 0))
    made = await fetch_composition(call.iss, request.index_ticker, request.as_of_date)
    await steps.done(f"The composition of {request.index_ticker}")
    board = await fetch_quotations(call.iss, MAIN_BOARD)
    await steps.done(f"The prices of {MAIN_BOARD}")
    known = await fetch_sectors(call.iss, made.day, steps) if call.settings.sectors else {}
    return GetIndexConstituentsMetricsResult(
        metadata=GetIndexConstituentsMetricsResultMetadata(
            source="moex-iss", index_ticker=request.index_ticker, as_of_date=made.day
        ),
        data=[
            _member(ticker, weight, read_price(board.get(ticker, {})), known.get(ticker))
            for ticker, weight in made.weights.items()
        ],
        metrics=GetIndexConstituentsMetricsResultMetrics(
            top5_weight_pct=formulas.top_weight_pct(made.weights.values(), TOP),
            num_constituents=len(made.weights),
        ).model_copy(
            update={
                "composition_date": made.day,
                "requested_as_of_date": request.as_of_date,
                "is_requested_date": made.day == request.as_of_date,
                "prices_as_of": _as_of(board),
            }
        ),
    )


async def list_securities(request: ListSecuritiesRequest, call: IssCall, /) -> ListSecuritiesResult:
    """Return the securities of a board with their names, by ticker.

    Raises RateLimited, IssTimeout and IssBadResponse.
    """
    found = await fetch_listings(call.iss, request.board)
    return ListSecuritiesResult(
        metadata=ListSecuritiesResultMetadata(source="moex-iss", board=request.board),
        data=[
            ListSecuritiesResultDataItem(ticker=each.ticker, share_class=each.share_class, names=each.names)
            for each in sorted(found, key=lambda listing: listing.ticker)
        ],
    )


async def read_boards(_request: ReadBoardsRequest, call: IssCall, /) -> ReadBoardsResult:
    """Return the boards for shares. Raises RateLimited, IssTimeout and IssBadResponse."""
    return ReadBoardsResult(boards=await fetch_boards(call.iss))


async def read_calendar(request: ReadCalendarRequest, call: IssCall, /) -> ReadCalendarResult:
    """Return the days and hours of trading. Raises RateLimited, IssTimeout and IssBadResponse."""
    return await fetch_calendar(call.iss, request.year)


async def complete_calendar_year(prefix: str, call: IssCall, /) -> list[str]:
    """Return the years up to the next one, the newest first."""
    years = map(str, range(call.now.year + 1, FIRST_YEAR - 1, -1))
    return [year for year in years if year.startswith(prefix)]


async def prompt_security_overview(request: PromptSecurityOverviewRequest, call: IssCall, /) -> Sequence[Message]:
    """Return the task to describe a security and its last 30 days."""
    last = today(call.now)
    return describe_security(request.ticker, (last - OVERVIEW, last), request.language)


async def complete_security_overview_ticker(call: IssCall, /) -> Mapping[str, Sequence[str]]:
    """List the tickers. Raises RateLimited, IssTimeout and IssBadResponse."""
    return await fetch_names(call.iss, MAIN_BOARD)


async def prompt_compare_securities(request: PromptCompareSecuritiesRequest, call: IssCall, /) -> Sequence[Message]:
    """Return the task to compare two securities, this year if the request has no days."""
    last = request.to_date or today(call.now)
    days = request.from_date or last.replace(month=1, day=1), last
    return compare_securities((request.first, request.second), days, request.language)


async def complete_compare_securities_first(call: IssCall, /) -> Mapping[str, Sequence[str]]:
    """List the tickers. Raises RateLimited, IssTimeout and IssBadResponse."""
    return await fetch_names(call.iss, MAIN_BOARD)


async def complete_compare_securities_second(call: IssCall, /) -> Mapping[str, Sequence[str]]:
    """List the tickers. Raises RateLimited, IssTimeout and IssBadResponse."""
    return await fetch_names(call.iss, MAIN_BOARD)


async def prompt_explain_index(request: PromptExplainIndexRequest, call: IssCall, /) -> Sequence[Message]:
    """Return the task to find the members that move an index today."""
    return explain_index(request.index_ticker, today(call.now), request.language)


def _bar_metrics(found: list[GetOhlcvTimeseriesResultDataItem], interval: str) -> GetOhlcvTimeseriesResultMetrics:
    closes = [candle.close for candle in found]
    return GetOhlcvTimeseriesResultMetrics(
        total_return_pct=formulas.total_return_pct(closes),
        annualized_volatility=formulas.annualized_volatility(closes, interval),
        avg_daily_volume=formulas.avg_daily_volume((candle.ts.date(), candle.volume) for candle in found),
    )


def _member(
    ticker: str, weight: Number, found: Price | None, sector: str | None
) -> GetIndexConstituentsMetricsResultDataItem:
    member = GetIndexConstituentsMetricsResultDataItem(
        ticker=ticker,
        weight_pct=weight,
        last_price=found.last if found else None,
        price_change_pct=found.change.pct if found and found.change else None,
        sector=sector,
    )
    return member if found is None else member.model_copy(update={"price_field": found.field})


def _as_of(board: dict[str, Row]) -> str | None:
    """Return the newest time that the exchange gave for its prices."""
    times = [read_moscow_time(row, "SYSTIME") for row in board.values() if "SYSTIME" in row]
    return max(times).isoformat() if times else None
