"""Typed client of backtest-mcp.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.backtest import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTask, RemoteTool
from toolaccord.client.tasks import TaskHandle
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

RUN_BACKTEST: Final = RemoteTool(
    name="run_backtest",
    request=models.RunBacktestRequest,
    result=models.RunBacktestResult,
    errors=(
        DeclaredError(errors.StrategyNotFound),
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidDateRange),
        DeclaredError(errors.InsufficientData),
        DeclaredError(errors.BacktestTimeout, When(occasion="deadline")),
        DeclaredError(errors.BacktesterUnavailable),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=60.0,
    parameters=schemas.RUN_BACKTEST_PARAMETERS,
    version="1.5.0",
    task=RemoteTask(ttl_s=86400),
)

GET_HISTORICAL_PERFORMANCE: Final = RemoteTool(
    name="get_historical_performance",
    request=models.GetHistoricalPerformanceRequest,
    result=models.GetHistoricalPerformanceResult,
    errors=(
        DeclaredError(errors.StrategyNotFound),
        DeclaredError(errors.InvalidPeriod, When(at=("/period",))),
        DeclaredError(errors.NoPerformanceData),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_HISTORICAL_PERFORMANCE_PARAMETERS,
    version="1.2.2",
    cache_bypass="force_refresh",
)


class BacktestClient(ServerClient):
    """Client of backtest-mcp.

    Provide access to backtest execution and historical performance data.
    """

    _server: ClassVar = RemoteServer(
        name="backtest-mcp",
        module="generated.tradestream.backtest",
        dialect=dialects.TRADESTREAM,
    )

    async def run_backtest(
        self, request: models.RunBacktestRequest, **options: Unpack[CallOptions]
    ) -> models.RunBacktestResult:
        """Run a backtest for a strategy configuration.

        May raise:
        * StrategyNotFound: Strategy with specified ID does not exist.
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidDateRange: Start date must be before end date.
        * InsufficientData: Not enough historical data for the specified range.
        * BacktestTimeout: Backtest execution exceeded time limit.
        * BacktesterUnavailable: Backtester service connection failed.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(RUN_BACKTEST, request, **options)).result

    async def start_run_backtest(
        self, request: models.RunBacktestRequest, **options: Unpack[CallOptions]
    ) -> TaskHandle[models.RunBacktestResult]:
        """Start the call as a task, and return its handle without waiting for the result."""
        return await self._start_task(RUN_BACKTEST, request, **options)

    def resume_run_backtest(self, task_id: str) -> TaskHandle[models.RunBacktestResult]:
        """Return the handle of a task by its id, perhaps one of another process."""
        return self._resume_task(RUN_BACKTEST, task_id)

    async def get_historical_performance(
        self, request: models.GetHistoricalPerformanceRequest, **options: Unpack[CallOptions]
    ) -> models.GetHistoricalPerformanceResult:
        """Get historical performance metrics for a strategy.

        May raise:
        * StrategyNotFound: Strategy with specified ID does not exist.
        * InvalidPeriod: Specified period is not supported.
        * NoPerformanceData: No performance data available for this strategy.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_HISTORICAL_PERFORMANCE, request, **options)).result
