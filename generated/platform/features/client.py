"""Typed client of features-mcp.

Generated from contracts/platform/features.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.platform import errors
from generated.platform.features import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTool
from toolaccord.declarations.causes import DeclaredError

FEATURES_OHLCV_WINDOW: Final = RemoteTool(
    name="features.ohlcv_window",
    request=models.FeaturesOhlcvWindowRequest,
    result=models.FeaturesOhlcvWindowResult,
    errors=(
        DeclaredError(errors.InvalidArguments),
        DeclaredError(errors.InsufficientData),
    ),
    timeout_s=0.5,
    parameters=schemas.FEATURES_OHLCV_WINDOW_PARAMETERS,
    version="2.0.1",
)

FEATURES_LIVE_MARKET_DATA: Final = RemoteTool(
    name="features.live_market_data",
    request=models.FeaturesLiveMarketDataRequest,
    result=models.FeaturesLiveMarketDataResult,
    errors=(DeclaredError(errors.InsufficientData),),
    timeout_s=0.5,
    parameters=schemas.FEATURES_LIVE_MARKET_DATA_PARAMETERS,
    version="1.0.3",
)


class FeaturesClient(ServerClient):
    """Client of features-mcp.

    Bars and ticks of a market, and the technical features computed from them.
    """

    _server: ClassVar = RemoteServer(
        name="features-mcp",
        module="generated.platform.features",
        dialect=dialects.PLATFORM,
    )

    async def features_ohlcv_window(
        self, request: models.FeaturesOhlcvWindowRequest, **options: Unpack[CallOptions]
    ) -> models.FeaturesOhlcvWindowResult:
        """Fetch OHLCV data with technical indicators.

        May raise:
        * InvalidArguments: An argument is invalid, or the window holds no whole bar or more than 1440.
        * InsufficientData: The window holds no closed bar, or a feature needs more bars than exist.
        """
        return (await self.call(FEATURES_OHLCV_WINDOW, request, **options)).result

    async def features_live_market_data(
        self, request: models.FeaturesLiveMarketDataRequest, **options: Unpack[CallOptions]
    ) -> models.FeaturesLiveMarketDataResult:
        """Live market data.

        Read the newest ticks of the last minutes from the market's stream, oldest first, each once.

        May raise:
        * InsufficientData: No tick of the symbol arrived in these minutes.
        """
        return (await self.call(FEATURES_LIVE_MARKET_DATA, request, **options)).result
