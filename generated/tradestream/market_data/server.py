"""Declaration of market-data-mcp.

Candle data, current prices and volatility metrics from InfluxDB.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import TRADESTREAM
from generated.tradestream import errors
from generated.tradestream.market_data import models, schemas
from toolaccord import Caller, Page, Row
from toolaccord.contract.policies import CachePolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.prompts import Prompt, TextMessage
from toolaccord.declarations.resources import Completion
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.sources.influxdb import Influxdb, InfluxdbSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketDataSettings:
    """Settings of the handlers, from the environment."""

    price_max_age_s: int
    """Age in seconds, from the opening of its minute, above which a price is stale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketDataCall:
    """Sources, settings and time that a handler of market-data-mcp gets with a request."""

    influxdb: Influxdb
    settings: MarketDataSettings
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of market-data-mcp.

    The module `handlers.tradestream.market_data` implements them.
    """

    async def get_candles(
        self, request: models.GetCandlesRequest, call: MarketDataCall, /
    ) -> Page[models.Candle | Row]:
        """Fetch OHLCV candle data for a symbol."""

    async def get_current_price(
        self, request: models.GetCurrentPriceRequest, call: MarketDataCall, /
    ) -> models.GetCurrentPriceResult:
        """Get the current price and recent change for a symbol."""

    async def get_volatility(
        self, request: models.GetVolatilityRequest, call: MarketDataCall, /
    ) -> models.GetVolatilityResult:
        """Calculate volatility metrics for a symbol."""

    async def complete_detect_patterns_symbol(self, call: MarketDataCall, /) -> Mapping[str, Sequence[str]]:
        """Return all values of symbol, each with its other names.

        The value is an argument of the prompt detect-patterns.
        """


def server(handlers: Handlers) -> Server[MarketDataCall]:
    """Bind the tools of market-data-mcp to *handlers*."""
    return Server(
        name="market-data-mcp",
        title="Candles, prices and volatility",
        version="1.4.1",
        description="Candle data, current prices and volatility metrics from InfluxDB.",
        instructions=(
            "Start with get_current_price; get_candles returns the history and "
            "get_volatility the variation of the price. Changes and returns are fractions: "
            "0.023 is 2.3 percent. Times are UTC."
        ),
        dialect=TRADESTREAM,
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
                name="price_max_age_s",
                env="PRICE_MAX_AGE",
                description="Age in seconds, from the opening of its minute, above which a price is stale",
                schema={"type": "integer", "minimum": 1},
                default=300,
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
                connection_timeout_s=3,
            ),
        ),
        call=MarketDataCall,
        handler_settings=MarketDataSettings,
        tools=(
            Tool(
                name="get_candles",
                request=models.GetCandlesRequest,
                parameters=schemas.GET_CANDLES_PARAMETERS,
                returns=schemas.GET_CANDLES_RETURNS,
                handler=handlers.get_candles,
                timeout_ms=10000,
                reads=("influxdb",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidTimeframe, When(at=("/timeframe",))),
                    DeclaredError(errors.NoData),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=60, bypass="force_refresh"),
                paginated=True,
                version="1.1.3",
                title="Candles",
                description="Fetch OHLCV candle data for a symbol",
                view=ViewFile("generated.tradestream.market_data", "get_candles.json"),
            ),
            Tool(
                name="get_current_price",
                request=models.GetCurrentPriceRequest,
                parameters=schemas.GET_CURRENT_PRICE_PARAMETERS,
                returns=schemas.GET_CURRENT_PRICE_RETURNS,
                handler=handlers.get_current_price,
                timeout_ms=10000,
                reads=("influxdb",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.SymbolNotFound),
                    DeclaredError(errors.StaleData),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=5, bypass="force_refresh"),
                version="1.2.2",
                title="Current price",
                description="Get the current price and recent change for a symbol",
                view=ViewFile("generated.tradestream.market_data", "get_current_price.json"),
            ),
            Tool(
                name="get_volatility",
                request=models.GetVolatilityRequest,
                parameters=schemas.GET_VOLATILITY_PARAMETERS,
                returns=schemas.GET_VOLATILITY_RETURNS,
                handler=handlers.get_volatility,
                timeout_ms=10000,
                reads=("influxdb",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidTimeframe, When(at=("/timeframe",))),
                    DeclaredError(errors.InsufficientData),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=30, bypass="force_refresh"),
                version="1.1.3",
                title="Volatility",
                description="Calculate volatility metrics for a symbol",
                view=ViewFile("generated.tradestream.market_data", "get_volatility.json"),
            ),
        ),
        prompts=(
            Prompt(
                name="detect-patterns",
                title="Detect patterns",
                description="Find the technical patterns in a symbol's recent prices.",
                request=models.PromptDetectPatternsRequest,
                parameters=schemas.PROMPT_DETECT_PATTERNS_PARAMETERS,
                messages=(
                    TextMessage(
                        "user",
                        (
                            "Call get_candles for {symbol} with the timeframe 1h and limit {candles}, and "
                            "find the patterns in them:\n\n- Trend: up, down or sideways.\n- Momentum: it "
                            "accelerates, decelerates or reverses.\n- Volume: it confirms a breakout, or "
                            "diverges from the price.\n- Support and resistance: the price is near a level at "
                            "which it turned before.\n\nSummarize in a few sentences what you found, with "
                            "times and prices. Name what you did not find."
                        ),
                    ),
                ),
                timeout_ms=10000,
                completions=(Completion(member="symbol", handler=handlers.complete_detect_patterns_symbol, ttl_s=300),),
            ),
        ),
    )
