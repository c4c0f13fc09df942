"""Declaration of forecast-mcp.

The weather of places.

Generated from tests/toolaccord/contracts/demo/forecast.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo.forecast import models, schemas
from tests.toolaccord.generated.dialects import LIBRARY
from toolaccord import Provisional
from toolaccord.declarations.tool import OlderVersion, Server, Tool
from toolaccord.semantics.policies import CachePolicy
from toolaccord.semantics.settings import Setting
from toolaccord.semantics.version_steps import move
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastCall:
    """Sources, settings and time that a handler of forecast-mcp gets with a request."""

    state: Redis
    now: datetime
    """Time of the call, in UTC."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.forecast`."""

    async def forecast(
        self, request: models.ForecastRequest, call: ForecastCall, /
    ) -> models.ForecastResult | Provisional[models.ForecastResult]:
        """Get the weather of a place."""


def server(handlers: Handlers) -> Server[ForecastCall]:
    """Bind the tools of forecast-mcp to *handlers*."""
    return Server(
        name="forecast-mcp",
        title="Forecast",
        version="1.0.0",
        description="The weather of places.",
        instructions=None,
        dialect=LIBRARY,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Redis of all replicas",
                schema={"type": "string"},
                default="redis://127.0.0.1:1/0",
                secret=True,
            ),
        ),
        sources=(
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=1.5,
                timeout_s=1.5,
            ),
        ),
        call=ForecastCall,
        handler_settings=None,
        tools=(
            Tool(
                name="forecast",
                title=None,
                version="2.0.0",
                description="Get the weather of a place",
                reads=(),
                writes=(),
                request=models.ForecastRequest,
                parameters=schemas.FORECAST_PARAMETERS,
                returns=schemas.FORECAST_RETURNS,
                output=schemas.FORECAST_OUTPUT,
                errors=(),
                conditions=(),
                cache=CachePolicy(
                    ttl_s=60,
                    bypass="fresh",
                    provisional_ttl_s=10,
                    store="state",
                    memory_ttl_s=5,
                ),
                paginated=False,
                timeout_ms=8000,
                nullable_results=False,
                handler=handlers.forecast,
                versions=(
                    OlderVersion(
                        version="1.0.0",
                        released_on=None,
                        deprecated_on=None,
                        sunset_on=None,
                        parameters=schemas.FORECAST_PARAMETERS_1_0_0,
                        returns=schemas.FORECAST_RETURNS_1_0_0,
                        parameter_steps=(move("/city", "/place"),),
                        result_steps=(),
                    ),
                ),
            ),
        ),
    )
