"""Results of the tools behind a signal, and those that could not be had."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from generated.tradestream.errors import InvalidSymbol, NoSignal, StrategyNotFound, SymbolNotFound
from generated.tradestream.market_data.client import GET_CANDLES, GET_CURRENT_PRICE, GET_VOLATILITY, MarketDataClient
from generated.tradestream.market_data.models import (
    GetCandlesRequest,
    GetCandlesResult,
    GetCurrentPriceRequest,
    GetCurrentPriceResult,
    GetVolatilityRequest,
    GetVolatilityResult,
)
from generated.tradestream.strategy.client import GET_STRATEGY_SIGNAL, GET_TOP_STRATEGIES, StrategyClient
from generated.tradestream.strategy.models import (
    GetStrategySignalRequest,
    GetStrategySignalResult,
    GetTopStrategiesRequest,
    GetTopStrategiesResult,
    Strategy,
)
from handlers.agents.synthesis import Votes, count_votes
from toolaccord.client.base import ServerClient
from toolaccord.client.declarations import RemoteTool
from toolaccord.errors import CallFailed, ToolError, find_type

_LOG = logging.getLogger(__name__)

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)

CANDLES = 25
"""Hourly candles for the volume ratio: the last closed one, and the 24 before it."""


class CallerSettings(Protocol):
    """Settings of a caller."""

    @property
    def max_strategies(self) -> int:
        """Number of top strategies behind a signal."""


class Caller(Protocol):
    """The agent, or a server that judges as it does."""

    @property
    def strategy(self) -> StrategyClient:
        """Client of strategy-mcp."""

    @property
    def market_data(self) -> MarketDataClient:
        """Client of market-data-mcp."""

    @property
    def settings(self) -> CallerSettings:
        """Its settings."""

    @property
    def now(self) -> datetime:
        """Time of the request, in UTC."""

    @property
    def read_clock(self) -> Callable[[], datetime]:
        """Clock of the present, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Result]):
    """Outcome of a call: a result or an error."""

    tool: RemoteTool[Any, Result]
    """The called tool."""
    result: Result | None = None
    """Its result; None if it failed."""
    error: ToolError | CallFailed | None = None
    """Its error; None if there is a result."""
    stale_age_s: float | None = None
    """Age in seconds of a cached result that replaces a failed call's; None of any other."""
    as_of: datetime
    """Time of its data, in UTC.

    Its server had them no later than this, by this machine's clock and by the times in the data.
    """

    @property
    def is_missing(self) -> bool:
        """True if the tool failed, also if an old result replaces its own.

        A strategy without a current signal, or one deleted since it was ranked, is an answer and no failure.
        """
        failed = self.error is not None and not isinstance(self.error, NoSignal | StrategyNotFound)
        return failed or self.stale_age_s is not None

    @property
    def reason(self) -> str:
        """Code of its error, or the class of one without a code; empty without an error."""
        return find_type(self.error) if self.error else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Outcomes of the calls behind one signal, which follows from them alone."""

    symbol: str
    requested_at: datetime
    """Time for which the signal is requested, in UTC; its minute identifies the signal."""
    ranking: Outcome[GetTopStrategiesResult]
    """The symbol's best strategies."""
    signals: tuple[Outcome[GetStrategySignalResult], ...]
    """The current signal of each of them, in their order."""
    price: Outcome[GetCurrentPriceResult]
    candles: Outcome[GetCandlesResult]
    volatility: Outcome[GetVolatilityResult]

    @property
    def outcomes(self) -> tuple[Outcome[Any], ...]:
        """All outcomes, in the order of the workflow."""
        return (self.ranking, *self.signals, self.price, self.candles, self.volatility)

    @property
    def as_of(self) -> datetime:
        """Time of the newest data, in UTC."""
        return max(outcome.as_of for outcome in self.outcomes)

    @property
    def ranked(self) -> tuple[tuple[Strategy, GetStrategySignalResult | None], ...]:
        """The requested strategies with their current signal, None without one; best first."""
        strategies = self.ranking.result.items if self.ranking.result else ()
        return tuple((each, outcome.result) for each, outcome in zip(strategies, self.signals, strict=True))

    @property
    def voters(self) -> tuple[tuple[Strategy, GetStrategySignalResult], ...]:
        """The strategies that have a current signal, with that signal; best first."""
        return tuple((strategy, current) for strategy, current in self.ranked if current is not None)

    @property
    def votes(self) -> Votes:
        """The votes of the requested strategies."""
        return count_votes((current.signal for _, current in self.voters), len(self.signals))

    @property
    def has_failed_strategies(self) -> bool:
        """True if a call of strategy-mcp failed."""
        return self.ranking.is_missing or any(outcome.is_missing for outcome in self.signals)

    @property
    def missing(self) -> tuple[RemoteTool[Any, Any], ...]:
        """The tools whose data are missing.

        The market context includes the volatility, which therefore counts only if the rest of the context is there.
        """
        lacks_context = self.price.is_missing or self.candles.is_missing
        failed = [each for each in self.outcomes if each.is_missing and not (lacks_context and each is self.volatility)]
        silent = () if self.votes.has_quorum else (GET_STRATEGY_SIGNAL,)
        return (*silent, *(outcome.tool for outcome in failed))


async def gather_evidence(symbol: str, call: Caller) -> Evidence:
    """Return the results of the tools for *symbol*; independent calls run at the same time.

    Raises InvalidSymbol if a tool rejects the symbol, and SymbolNotFound if it has no strategies.
    """
    async with asyncio.TaskGroup() as group:
        strategies = group.create_task(_fetch_strategies(symbol, call))
        price = group.create_task(
            _fetch(call, call.market_data, GET_CURRENT_PRICE, GetCurrentPriceRequest(symbol=symbol))
        )
        bars = GetCandlesRequest(symbol=symbol, timeframe="1h", limit=CANDLES)
        candles = group.create_task(_fetch(call, call.market_data, GET_CANDLES, bars))
        hourly = GetVolatilityRequest(symbol=symbol, timeframe="1h")
        volatility = group.create_task(_fetch(call, call.market_data, GET_VOLATILITY, hourly))
    ranking, signals = strategies.result()
    evidence = Evidence(
        symbol=symbol,
        requested_at=call.now,
        ranking=ranking,
        signals=signals,
        price=price.result(),
        candles=candles.result(),
        volatility=volatility.result(),
    )
    for outcome in evidence.outcomes:
        if isinstance(outcome.error, InvalidSymbol):
            raise outcome.error
    if isinstance(ranking.error, SymbolNotFound):
        raise ranking.error
    return evidence


async def _fetch_strategies(
    symbol: str, call: Caller
) -> tuple[Outcome[GetTopStrategiesResult], tuple[Outcome[GetStrategySignalResult], ...]]:
    """Return the best strategies of *symbol*, and the current signal of each."""
    # Accuracy is a share, and the formula of the confidence needs scores from 0 to 1.
    request = GetTopStrategiesRequest(symbol=symbol, limit=call.settings.max_strategies, metric="accuracy")
    ranking = await _fetch(call, call.strategy, GET_TOP_STRATEGIES, request)
    ids = [strategy.strategy_id for strategy in (ranking.result.items if ranking.result else ())]
    requests = [GetStrategySignalRequest(strategy_id=each, symbol=symbol) for each in ids]
    async with asyncio.TaskGroup() as group:
        signals = [group.create_task(_fetch(call, call.strategy, GET_STRATEGY_SIGNAL, each)) for each in requests]
    return ranking, tuple(task.result() for task in signals)


async def _fetch(
    call: Caller, client: ServerClient, tool: RemoteTool[Request, Result], request: Request
) -> Outcome[Result]:
    """Return the outcome of calling *tool*; log its failure."""
    try:
        answer = await client.call(tool, request)
    except (ToolError, CallFailed) as error:
        outcome = Outcome(tool=tool, error=error, as_of=call.read_clock())
        if outcome.is_missing:
            # Only people can mend a rejected token or two versions of a contract that do not fit.
            needs_people = isinstance(error, CallFailed) and not error.retryable
            _LOG.log(logging.ERROR if needs_people else logging.WARNING, "%s failed: %s", tool.name, error)
        return outcome
    received_at = call.read_clock() - timedelta(seconds=answer.age_s or 0)
    return Outcome(
        tool=tool,
        result=answer.result,
        stale_age_s=answer.age_s if answer.is_stale else None,
        as_of=max([received_at, *_list_times(answer.result)]),
    )


def _list_times(result: BaseModel) -> list[datetime]:
    """Return the times in *result*, of which a server with another clock may have later ones."""
    match result:
        case GetStrategySignalResult():
            return [result.triggered_at]
        case GetCurrentPriceResult():
            return [result.timestamp]
        case GetCandlesResult():
            return [candle.timestamp for candle in result.items]
        case _:
            return []
