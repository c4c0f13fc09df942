"""The tools of backtest-mcp: backtests over stored candles, and measured performance."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from generated.tradestream.backtest import queries
from generated.tradestream.backtest.models import (
    GetHistoricalPerformanceRequest,
    GetHistoricalPerformanceResult,
    MonthOfEquity,
    MonthOfPerformance,
    RunBacktestRequest,
    RunBacktestResult,
)
from generated.tradestream.backtest.server import BacktestCall, GetHistoricalPerformanceCall
from generated.tradestream.backtester_pb2 import BacktestResult
from generated.tradestream.errors import (
    BacktesterUnavailable,
    BacktestTimeout,
    InsufficientData,
    InvalidDateRange,
    NoPerformanceData,
    StrategyNotFound,
)
from handlers.candles.store import Bar, CandleStore
from handlers.tradestream import backtester
from handlers.tradestream.identifiers import not_found_message, parse_identifier
from handlers.tradestream.performance import MeasuredPeriod, combine_periods, first_day
from toolaccord import SourceError
from toolaccord.sources.grpc import GrpcError, GrpcTimeout

DEFAULT_RANGE = timedelta(days=30)
MAX_RANGE = timedelta(days=366)
EARLIEST = datetime.min.replace(tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FIRST_CANDLE = datetime(1970, 1, 1, tzinfo=UTC)
"""No store has older ones, and some stores reject such a query."""


async def run_backtest(request: RunBacktestRequest, call: BacktestCall) -> RunBacktestResult:
    """Run a strategy over the candles of a symbol, with its implementation's parameters."""
    strategy_id, symbol = request.strategy_id, request.symbol
    start, end = _range(request, call.now)
    known = parse_identifier(strategy_id)
    found = await queries.configuration(call.postgres, strategy_id=known) if known else None
    if found is None:
        raise StrategyNotFound(not_found_message("Strategy", strategy_id), strategy_id=strategy_id)
    ends = _month_ends(start, end) if request.by_month else []
    days = [(each - MINUTE).date() for each in (*ends, end)]
    results: list[RunBacktestResult] = []
    await call.progress(0, len(days), "Loads the candles.")
    load = partial(_load, call, symbol, start, end)
    with _declared_errors(found.name, request):
        async for answer in backtester.run_prefixes(call.backtester, found.name, found.parameters, symbol, load, ends):
            results.append(_result(answer))
            await call.progress(len(results), len(days), f"Ran to the end of {days[-len(results)]:%Y-%m}.")
    curve = _curve(days, results) if request.by_month else None
    return results[0].model_copy(update={"equity_curve": curve})


async def _load(call: BacktestCall, symbol: str, start: datetime, end: datetime) -> Sequence[Bar]:
    bars = await _bars(call, symbol, start, end)
    # Half of the minutes: a pair that is seldom traded has gaps, but a result must be about the requested range.
    if 2 * len(bars) < max((end - start) // MINUTE, 2):
        raise backtester.TooFewCandlesError(len(bars))
    return bars


@contextmanager
def _declared_errors(strategy: str, request: RunBacktestRequest) -> Iterator[None]:
    """Raise the errors of the backtester as those of the tool."""
    strategy_id, symbol = request.strategy_id, request.symbol
    try:
        yield
    except backtester.UnknownStrategyError as error:
        message = f"The backtester cannot run {strategy} with the parameters of the strategy with ID '{strategy_id}'."
        raise StrategyNotFound(message, strategy_id=strategy_id) from error
    except backtester.TooFewCandlesError as error:
        message = f"There are {error.available} candles of {symbol} in this range, which is not enough."
        raise InsufficientData(message, symbol=symbol, available=error.available) from error
    except GrpcTimeout as error:
        raise BacktestTimeout("The backtester did not finish in time.") from error
    except GrpcError as error:
        raise BacktesterUnavailable("The backtester did not answer.") from error


async def get_historical_performance(
    request: GetHistoricalPerformanceRequest, call: GetHistoricalPerformanceCall
) -> GetHistoricalPerformanceResult:
    """Return the measured performance of a strategy in a period that ends today, also by month."""
    strategy_id, today = request.strategy_id, call.now.date()
    known = parse_identifier(strategy_id)
    symbol = await queries.strategy_symbol(call.postgres, strategy_id=known) if known else None
    if known is None or symbol is None:
        raise StrategyNotFound(not_found_message("Strategy", strategy_id), strategy_id=strategy_id)
    periods: list[queries.MeasuredPeriodsRow] = []
    if request.symbol in {None, symbol}:
        first = first_day(request.period, today)
        periods = await queries.measured_periods(call.postgres, strategy_id=known, first=first, last=today)
    performance = combine_periods(map(_period, periods))
    if not performance.periods:
        message = "Nothing was measured of this strategy in this period, or on this symbol."
        raise NoPerformanceData(message, strategy_id=strategy_id)
    months = performance.by_month()
    average = sum(month.total_return for month in months.values()) / len(months)
    figures = [figure for part in (performance, *months.values()) for figure in (part.total_return, part.sharpe)]
    if not all(map(math.isfinite, [average, *figures])):
        raise SourceError(f"the measured figures of the strategy {strategy_id} are too large to combine")
    return GetHistoricalPerformanceResult(
        total_signals=performance.signals,
        accuracy=performance.accuracy,
        avg_return=average,
        sharpe=performance.sharpe,
        performance_by_month=[
            MonthOfPerformance(month=name, signals=month.signals, accuracy=month.accuracy, return_=month.total_return)
            for name, month in months.items()
        ],
    )


def _range(request: RunBacktestRequest, now: datetime) -> tuple[datetime, datetime]:
    """Return the start and the exclusive end of the backtest: minutes that are over by *now*."""
    this_minute = now.replace(second=0, microsecond=0)
    end = this_minute if request.end_date is None else _midnight(request.end_date)
    start = (
        max(end, EARLIEST + DEFAULT_RANGE) - DEFAULT_RANGE
        if request.start_date is None
        else _midnight(request.start_date)
    )
    if start >= end:
        raise InvalidDateRange("start_date must be before now, where end_date is not given.")
    if end - start > MAX_RANGE:
        raise InvalidDateRange(f"start_date must be at most {MAX_RANGE.days} days before the end.")
    return start, max(start, min(end, this_minute))


def _month_ends(start: datetime, end: datetime) -> list[datetime]:
    """Return the ends of the months that end between *start* and *end*."""
    months = range(12 * start.year + start.month, 12 * end.year + end.month)
    ends = (datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in months)
    return [each for each in ends if each < end]


def _curve(days: Sequence[date], results: Sequence[RunBacktestResult]) -> list[MonthOfEquity]:
    """Return the equity after *days*, of which the last have *results*, newest first."""
    newest_first = zip(reversed(days), results, strict=False)  # the first months may have none
    return [
        MonthOfEquity(
            month=f"{day:%Y-%m}", ends_on=day, equity=1 + result.total_return, max_drawdown=result.max_drawdown
        )
        for day, result in newest_first
    ][::-1]


async def _bars(call: BacktestCall, symbol: str, start: datetime, end: datetime) -> list[Bar]:
    if end <= FIRST_CANDLE:
        return []
    return await CandleStore(call.influxdb).between(symbol, "1m", max(start, FIRST_CANDLE), end)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _result(answer: BacktestResult) -> RunBacktestResult:
    """Return the answer as a result; without trades, the figures of trades are None."""
    traded = answer.number_of_trades > 0
    if not (
        answer.ListFields()  # an empty message would read as a result of zeros
        and -1 <= answer.cumulative_return < math.inf
        and 0 <= answer.max_drawdown <= 1
        and answer.number_of_trades >= 0
        and (not traded or 0 <= answer.win_rate <= 1)
    ):
        figures = f"return {answer.cumulative_return}, drawdown {answer.max_drawdown}, win rate {answer.win_rate}"
        cause = SourceError(f"the result is impossible: {figures}, {answer.number_of_trades} trades")
        raise BacktesterUnavailable("The backtester sent an invalid result.") from cause
    return RunBacktestResult(
        total_return=answer.cumulative_return,
        sharpe_ratio=answer.sharpe_ratio if traded and math.isfinite(answer.sharpe_ratio) else None,
        max_drawdown=answer.max_drawdown,
        win_rate=answer.win_rate if traded else None,
        trades=answer.number_of_trades,
    )


def _period(row: queries.MeasuredPeriodsRow) -> MeasuredPeriod:
    return MeasuredPeriod(
        first=row.period_start,
        last=row.period_end,
        signals=row.signals_count,
        accuracy=row.accuracy,
        sharpe=row.sharpe,
        total_return=row.total_return,
    )
