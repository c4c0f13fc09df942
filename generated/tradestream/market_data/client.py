"""Typed client of market-data-mcp.

Generated from contracts/tradestream/market_data.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.market_data import models, schemas
from toolaccord import content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    Completed,
    PagedTool,
    RemoteCompletion,
    RemotePrompt,
    RemoteServer,
    RemoteTool,
)
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_CANDLES: Final = PagedTool(
    name="get_candles",
    request=models.GetCandlesRequest,
    result=models.GetCandlesResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidTimeframe, When(at=("/timeframe",))),
        DeclaredError(errors.NoData),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_CANDLES_PARAMETERS,
    version="1.1.3",
    cache_bypass="force_refresh",
)

GET_CURRENT_PRICE: Final = RemoteTool(
    name="get_current_price",
    request=models.GetCurrentPriceRequest,
    result=models.GetCurrentPriceResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.SymbolNotFound),
        DeclaredError(errors.StaleData),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_CURRENT_PRICE_PARAMETERS,
    version="1.2.2",
    cache_bypass="force_refresh",
)

GET_VOLATILITY: Final = RemoteTool(
    name="get_volatility",
    request=models.GetVolatilityRequest,
    result=models.GetVolatilityResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidTimeframe, When(at=("/timeframe",))),
        DeclaredError(errors.InsufficientData),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_VOLATILITY_PARAMETERS,
    version="1.1.3",
    cache_bypass="force_refresh",
)

PROMPT_DETECT_PATTERNS: Final = RemotePrompt(
    name="prompts/get detect-patterns",
    prompt="detect-patterns",
    request=models.PromptDetectPatternsRequest,
    timeout_s=10.0,
)

COMPLETE_DETECT_PATTERNS_SYMBOL: Final = RemoteCompletion(
    name="completion/complete detect-patterns symbol",
    prompt="detect-patterns",
    member="symbol",
    timeout_s=10.0,
)


class MarketDataClient(ServerClient):
    """Client of market-data-mcp.

    Candle data, current prices and volatility metrics from InfluxDB.
    """

    _server: ClassVar = RemoteServer(
        name="market-data-mcp",
        module="generated.tradestream.market_data",
        dialect=dialects.TRADESTREAM,
    )

    async def get_candles(
        self, request: models.GetCandlesRequest, **options: Unpack[CallOptions]
    ) -> models.GetCandlesResult:
        """Fetch OHLCV candle data for a symbol.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidTimeframe: Specified timeframe is not supported.
        * NoData: No candle data available.
        * DatabaseError: InfluxDB connection or query failed.
        """
        return (await self.call(GET_CANDLES, request, **options)).result

    async def get_current_price(
        self, request: models.GetCurrentPriceRequest, **options: Unpack[CallOptions]
    ) -> models.GetCurrentPriceResult:
        """Get the current price and recent change for a symbol.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * SymbolNotFound: No price data available for the symbol.
        * StaleData: Price data is older than acceptable threshold.
        * DatabaseError: InfluxDB connection or query failed.
        """
        return (await self.call(GET_CURRENT_PRICE, request, **options)).result

    async def get_volatility(
        self, request: models.GetVolatilityRequest, **options: Unpack[CallOptions]
    ) -> models.GetVolatilityResult:
        """Calculate volatility metrics for a symbol.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidTimeframe: Specified timeframe is not supported.
        * InsufficientData: Not enough data points to calculate volatility.
        * DatabaseError: InfluxDB connection or query failed.
        """
        return (await self.call(GET_VOLATILITY, request, **options)).result

    async def prompt_detect_patterns(
        self, request: models.PromptDetectPatternsRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Find the technical patterns in a symbol's recent prices."""
        return (await self.get_prompt(PROMPT_DETECT_PATTERNS, request, **options)).result

    async def complete_detect_patterns_symbol(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of symbol that complete *prefix*.

        The value is an argument of the prompt detect-patterns.
        """
        return (await self.complete(COMPLETE_DETECT_PATTERNS_SYMBOL, prefix, **options)).result
