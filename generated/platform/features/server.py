"""Declaration of features-mcp.

Bars and ticks of a market, and the technical features computed from them.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import PLATFORM
from generated.platform import errors
from generated.platform.features import models, schemas
from toolaccord import Caller, Provisional
from toolaccord.contract.policies import CachePolicy, RateLimit
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.operation import OlderVersion
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.version_steps import add
from toolaccord.sources.influxdb import Influxdb, InfluxdbSource
from toolaccord.sources.nats import Nats, NatsSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturesCall:
    """Sources, settings and time that a handler of features-mcp gets with a request."""

    influxdb: Influxdb
    stream: Nats
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""


class FeaturesLiveMarketDataCall(Protocol):
    """Members of FeaturesCall for features.live_market_data.

    Its `effects` in the contract name them.
    """

    @property
    def stream(self) -> Nats:
        """The source stream."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class FeaturesOhlcvWindowCall(Protocol):
    """Members of FeaturesCall for features.ohlcv_window.

    Its `effects` in the contract name them.
    """

    @property
    def influxdb(self) -> Influxdb:
        """The source influxdb."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of features-mcp.

    The module `handlers.platform.features` implements them.
    """

    async def features_ohlcv_window(
        self, request: models.FeaturesOhlcvWindowRequest, call: FeaturesCall, /
    ) -> models.FeaturesOhlcvWindowResult | Provisional[models.FeaturesOhlcvWindowResult]:
        """Fetch OHLCV data with technical indicators."""

    async def features_live_market_data(
        self, request: models.FeaturesLiveMarketDataRequest, call: FeaturesCall, /
    ) -> models.FeaturesLiveMarketDataResult:
        """Live market data.

        Read the newest ticks of the last minutes from the market's stream, oldest first, each once.
        """


def server(handlers: Handlers) -> Server[FeaturesCall]:
    """Bind the tools of features-mcp to *handlers*."""
    return Server(
        name="features-mcp",
        title="Market features",
        version="2.0.1",
        description="Bars and ticks of a market, and the technical features computed from them.",
        instructions=(
            "Call features.ohlcv_window with a window of at most 1440 bars. Stats describe "
            "the last bar of the window. Fractions are plain: 0.023 is 2.3 percent. Times "
            "are UTC."
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
            Setting(
                name="nats_url",
                env="NATS_URL",
                description="Address of NATS with JetStream: nats://token@host:4222,host:4222, or tls:// for TLS",
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
                idle_timeout_s=60,
                connection_timeout_s=0.3,
            ),
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=0.02,
                timeout_s=0.02,
                retries=1,
            ),
            NatsSource(
                name="stream",
                url="nats_url",
                connection_timeout_s=0.1,
                timeout_s=0.3,
                max_outstanding=100,
                max_pending_bytes=1048576,
                max_response_bytes=1048576,
            ),
        ),
        call=FeaturesCall,
        tools=(
            Tool(
                name="features.ohlcv_window",
                request=models.FeaturesOhlcvWindowRequest,
                parameters=schemas.FEATURES_OHLCV_WINDOW_PARAMETERS,
                returns=schemas.FEATURES_OHLCV_WINDOW_RETURNS,
                handler=handlers.features_ohlcv_window,
                timeout_ms=500,
                reads=("influxdb",),
                errors=(
                    DeclaredError(errors.InvalidArguments),
                    DeclaredError(errors.InsufficientData),
                ),
                cache=CachePolicy(ttl_s=300, provisional_ttl_s=5, store="state", memory_ttl_s=1),
                rate_limit=RateLimit(calls=100, window_s=60, store="state"),
                version="2.0.1",
                versions=(
                    OlderVersion(
                        version="1.1.0",
                        parameters=schemas.FEATURES_OHLCV_WINDOW_PARAMETERS_1_1_0,
                        returns=schemas.FEATURES_OHLCV_WINDOW_RETURNS_1_1_0,
                        parameter_steps=(),
                        result_steps=(add("/stats/by_period", []),),
                    ),
                    OlderVersion(
                        version="1.0.0",
                        parameters=schemas.FEATURES_OHLCV_WINDOW_PARAMETERS_1_0_0,
                        returns=schemas.FEATURES_OHLCV_WINDOW_RETURNS_1_0_0,
                        parameter_steps=(),
                        result_steps=(add("/stats/volume_profile", []),),
                    ),
                ),
                title="OHLCV window",
                description="Fetch OHLCV data with technical indicators",
                view=ViewFile("generated.platform.features", "features_ohlcv_window.json"),
            ),
            Tool(
                name="features.live_market_data",
                request=models.FeaturesLiveMarketDataRequest,
                parameters=schemas.FEATURES_LIVE_MARKET_DATA_PARAMETERS,
                returns=schemas.FEATURES_LIVE_MARKET_DATA_RETURNS,
                handler=handlers.features_live_market_data,
                timeout_ms=500,
                reads=("stream",),
                errors=(DeclaredError(errors.InsufficientData),),
                rate_limit=RateLimit(calls=100, window_s=60, store="state"),
                version="1.0.3",
                title="Live market data",
                description="Read the newest ticks of the last minutes from the market's stream, oldest first, each once",
                view=ViewFile("generated.platform.features", "features_live_market_data.json"),
            ),
        ),
    )
