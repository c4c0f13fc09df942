"""Typed client of forecast-mcp.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo.forecast import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTool

FORECAST: Final = RemoteTool(
    name="forecast",
    request=models.ForecastRequest,
    result=models.ForecastResult,
    errors=(),
    timeout_s=8.0,
    nullable_arguments=False,
    parameters=schemas.FORECAST_PARAMETERS,
    version="2.0.0",
    cache_bypass="fresh",
)
"""Get the weather of a place."""


class ForecastClient(ServerClient):
    """Client of forecast-mcp.

    The weather of places.
    """

    _server: ClassVar = RemoteServer(
        name="forecast-mcp",
        module="tests.toolaccord.generated.demo.forecast",
        dialect=dialects.LIBRARY,
    )

    async def forecast(self, request: models.ForecastRequest, **options: Unpack[CallOptions]) -> models.ForecastResult:
        """Get the weather of a place."""
        return (await self.call(FORECAST, request, **options)).result
