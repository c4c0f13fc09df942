"""Declaration of backtest-mcp.

Provide access to backtest execution and historical performance data.

Generated from contracts/tradestream/backtest.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from generated.dialects import TRADESTREAM
from generated.tradestream import errors
from generated.tradestream.backtest import models, schemas
from toolaccord import Caller, Progress
from toolaccord.contract.policies import CachePolicy, TaskPolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.conditions import Ordered, Span
from toolaccord.sources.grpc import Grpc, GrpcSource
from toolaccord.sources.influxdb import Influxdb, InfluxdbSource
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class BacktestCall:
    """Sources, settings and time that a handler of backtest-mcp gets with a request."""

    backtester: Grpc
    postgres: Postgresql
    influxdb: Influxdb
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    progress: Progress
    """Sends progress to a caller that wants it, in tools whose contract declares progress."""


class GetHistoricalPerformanceCall(Protocol):
    """Members of BacktestCall for get_historical_performance.

    Its `effects` in the contract name them.
    """

    @property
    def postgres(self) -> Postgresql:
        """The source postgres."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of backtest-mcp.

    The module `handlers.tradestream.backtest` implements them.
    """

    async def run_backtest(self, request: models.RunBacktestRequest, call: BacktestCall, /) -> models.RunBacktestResult:
        """Run a backtest for a strategy configuration."""

    async def get_historical_performance(
        self, request: models.GetHistoricalPerformanceRequest, call: BacktestCall, /
    ) -> models.GetHistoricalPerformanceResult:
        """Get historical performance metrics for a strategy."""


def server(handlers: Handlers) -> Server[BacktestCall]:
    """Bind the tools of backtest-mcp to *handlers*."""
    return Server(
        name="backtest-mcp",
        title="Backtests",
        version="1.5.0",
        description="Provide access to backtest execution and historical performance data.",
        dialect=TRADESTREAM,
        settings=(
            Setting(
                name="backtester_target",
                env="BACKTESTER_TARGET",
                description="The backtester's address: host:port",
                schema={"type": "string"},
                required=True,
            ),
            Setting(
                name="database_url",
                env="DATABASE_URL",
                description="PostgreSQL connection string, postgresql://user:password@host:port/database",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="influxdb_url",
                env="INFLUXDB_URL",
                description="Address of InfluxDB, http://host:8086",
                schema={"type": "string", "pattern": "^https?://[^/].*$"},
                required=True,
                secret=True,
            ),
            Setting(
                name="influxdb_token",
                env="INFLUXDB_TOKEN",
                description="Token for InfluxDB 2.x and 3.x, or user:password for 1.x. If not set, requests carry no credentials",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="influxdb_org",
                env="INFLUXDB_ORG",
                description="Organisation that owns the bucket, in InfluxDB 2.x",
                schema={"type": "string"},
                default="tradestream-org",
            ),
            Setting(
                name="influxdb_bucket",
                env="INFLUXDB_BUCKET",
                description="Bucket, in 1.x the database, that holds the candles",
                schema={"type": "string", "minLength": 1},
                default="tradestream-data",
            ),
            Setting(
                name="influxdb_query_language",
                env="INFLUXDB_QUERY_LANGUAGE",
                description="Query language of InfluxDB: influxql (1.x, 2.x, 3.x) or flux (2.x)",
                schema={"type": "string", "enum": ["influxql", "flux"]},
                default="influxql",
            ),
            Setting(
                name="redis_url",
                env="BACKTEST_REDIS_URL",
                description="Redis in which replicas keep tasks together; each keeps its own in memory without one",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
        ),
        sources=(
            GrpcSource(name="backtester", target="backtester_target", max_connections=3, max_in_flight=6),
            PostgresqlSource(
                name="postgres",
                url="database_url",
                min_connections=2,
                system="tradestream",
                tables=("strategies", "strategy_implementations", "strategy_performance", "strategy_specs"),
            ),
            InfluxdbSource(
                name="influxdb",
                url="influxdb_url",
                token="influxdb_token",
                org="influxdb_org",
                bucket="influxdb_bucket",
                query_language="influxdb_query_language",
                max_connections=5,
                idle_timeout_s=60,
                connection_timeout_s=3,
            ),
            RedisSource(name="redis", url="redis_url", connection_timeout_s=1.5, timeout_s=1.5),
        ),
        call=BacktestCall,
        tools=(
            Tool(
                name="run_backtest",
                request=models.RunBacktestRequest,
                parameters=schemas.RUN_BACKTEST_PARAMETERS,
                returns=schemas.RUN_BACKTEST_RETURNS,
                handler=handlers.run_backtest,
                timeout_ms=60000,
                reads=("backtester", "postgres", "influxdb"),
                errors=(
                    DeclaredError(errors.StrategyNotFound),
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidDateRange),
                    DeclaredError(errors.InsufficientData),
                    DeclaredError(errors.BacktestTimeout, When(occasion="deadline")),
                    DeclaredError(errors.BacktesterUnavailable),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                conditions=(
                    Ordered(pointers=("/start_date", "/end_date"), strict=True, code="INVALID_DATE_RANGE"),
                    Span(
                        pointers=("/start_date", "/end_date"),
                        at_most=timedelta(seconds=31622400),
                        code="INVALID_DATE_RANGE",
                    ),
                ),
                progress=True,
                version="1.5.0",
                title="Run a backtest",
                description="Run a backtest for a strategy configuration",
                task=TaskPolicy(
                    mode="optional",
                    store="redis",
                    timeout_s=600,
                    ttl_s=86400,
                    concurrency=3,
                ),
                view=ViewFile("generated.tradestream.backtest", "run_backtest.json"),
            ),
            Tool(
                name="get_historical_performance",
                request=models.GetHistoricalPerformanceRequest,
                parameters=schemas.GET_HISTORICAL_PERFORMANCE_PARAMETERS,
                returns=schemas.GET_HISTORICAL_PERFORMANCE_RETURNS,
                handler=handlers.get_historical_performance,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.StrategyNotFound),
                    DeclaredError(errors.InvalidPeriod, When(at=("/period",))),
                    DeclaredError(errors.NoPerformanceData),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=300, bypass="force_refresh"),
                version="1.2.2",
                title="Historical performance",
                description="Get historical performance metrics for a strategy",
                view=ViewFile("generated.tradestream.backtest", "get_historical_performance.json"),
            ),
        ),
    )
