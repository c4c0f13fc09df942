"""Declaration of execution-mcp.

Expected prices and costs of orders, simulated from recent candles. No order is ever placed.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import PLATFORM
from generated.platform import errors
from generated.platform.execution import models, schemas
from toolaccord import Caller
from toolaccord.contract.policies import CachePolicy, RateLimit
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.sources.influxdb import Influxdb, InfluxdbSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCall:
    """Sources, settings and time that a handler of execution-mcp gets with a request."""

    influxdb: Influxdb
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of execution-mcp.

    The module `handlers.platform.execution` implements them.
    """

    async def execution_sim_quote(
        self, request: models.ExecutionSimQuoteRequest, call: ExecutionCall, /
    ) -> models.ExecutionSimQuoteResult:
        """Estimate the price, cost and fill of an order from the hour before a time.

        Nothing is traded.
        """


def server(handlers: Handlers) -> Server[ExecutionCall]:
    """Bind the tools of execution-mcp to *handlers*."""
    return Server(
        name="execution-mcp",
        title="Execution",
        version="1.1.1",
        description="Expected prices and costs of orders, simulated from recent candles. No order is ever placed.",
        instructions=(
            "Call execution.sim_quote before an order to learn its expected price and cost. "
            "Costs are in basis points of the price: 10 is 0.1 percent. Times are UTC."
        ),
        dialect=PLATFORM,
        settings=(
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
                description="Token for InfluxDB 2.x and 3.x, or user:password for 1.x; not set, InfluxDB is asked without either",
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
                env="REDIS_URL",
                description=(
                    "Address of the Redis that replicas share: redis://user:password@host:6379/0, "
                    "rediss:// with TLS, or unix:///path"
                ),
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            InfluxdbSource(
                name="influxdb",
                url="influxdb_url",
                token="influxdb_token",
                org="influxdb_org",
                bucket="influxdb_bucket",
                query_language="influxdb_query_language",
                max_connections=5,
                idle_timeout_s=60,
                connection_timeout_s=0.1,
            ),
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=0.02,
                timeout_s=0.02,
                retries=1,
            ),
        ),
        call=ExecutionCall,
        tools=(
            Tool(
                name="execution.sim_quote",
                request=models.ExecutionSimQuoteRequest,
                parameters=schemas.EXECUTION_SIM_QUOTE_PARAMETERS,
                returns=schemas.EXECUTION_SIM_QUOTE_RETURNS,
                handler=handlers.execution_sim_quote,
                timeout_ms=200,
                reads=("influxdb",),
                errors=(
                    DeclaredError(errors.InvalidArguments),
                    DeclaredError(errors.InsufficientData),
                    DeclaredError(errors.InsufficientLiquidity),
                ),
                cache=CachePolicy(ttl_s=60, precision={"timestamp": "minute"}, store="state", memory_ttl_s=1),
                rate_limit=RateLimit(calls=200, window_s=60, store="state"),
                version="1.1.1",
                title="Simulated quote",
                description="Estimate the price, cost and fill of an order from the hour before a time; nothing is traded",
                view=ViewFile("generated.platform.execution", "execution_sim_quote.json"),
            ),
        ),
    )
