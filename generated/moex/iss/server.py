"""moex-iss-mcp: Market data of the Moscow Exchange from its information and statistical server (ISS).

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import MOEX
from generated.moex import errors
from generated.moex.iss import models, schemas
from runtime.settings import Setting
from runtime.sources.http import Http, HttpSource
from runtime.tool import At, CachePolicy, DeclaredError, On, Server, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class IssCall:
    """What a handler of moex-iss-mcp is given beside the request."""

    iss: Http
    now: datetime
    """The time of the call, in UTC."""


class Handlers(Protocol):
    """One coroutine for each tool; `handlers.moex.iss` has them."""

    async def get_security_snapshot(
        self, request: models.GetSecuritySnapshotRequest, call: IssCall, /
    ) -> models.GetSecuritySnapshotResult:
        """Get a short snapshot for a MOEX security (last price, change, liquidity)."""


def server(handlers: Handlers) -> Server[IssCall]:
    """Bind the tools of moex-iss-mcp to *handlers*."""
    return Server(
        name="moex-iss-mcp",
        title="Moscow Exchange market data",
        version="1.0.0",
        description="Market data of the Moscow Exchange from its information and statistical server (ISS).",
        instructions=None,
        dialect=MOEX,
        settings=(
            Setting(
                name="iss_base_url",
                env="MOEX_ISS_BASE_URL",
                description="Where the exchange's information server answers, up to and including /iss",
                schema={"type": "string"},
                default="https://iss.moex.com/iss",
                required=False,
                secret=False,
            ),
        ),
        sources=(
            HttpSource(
                name="iss",
                url="iss_base_url",
                client="moex-iss-mcp/1.0.0",
                max_connections=5,
                connection_timeout_s=3,
                timeout_s=8,
            ),
        ),
        call=IssCall,
        handler_settings=None,
        tools=(
            Tool(
                name="get_security_snapshot",
                title="Security snapshot",
                version="1.0.0",
                description="Get a short snapshot for a MOEX security (last price, change, liquidity).",
                reads=("iss",),
                writes=(),
                request=models.GetSecuritySnapshotRequest,
                parameters=schemas.GET_SECURITY_SNAPSHOT_PARAMETERS,
                returns=schemas.GET_SECURITY_SNAPSHOT_RETURNS,
                output=schemas.GET_SECURITY_SNAPSHOT_OUTPUT,
                errors=(
                    DeclaredError(errors.InvalidTicker, when=At(("/ticker",))),
                    DeclaredError(errors.NoData),
                    DeclaredError(errors.IssTimeout, when=On("deadline")),
                    DeclaredError(errors.IssUnavailable, when=On("source")),
                    DeclaredError(errors.IssBadResponse),
                ),
                conditions=(),
                cache=CachePolicy(ttl_s=30, bypass=None),
                paginated=False,
                timeout_ms=10000,
                nullable_results=False,
                handler=handlers.get_security_snapshot,
            ),
        ),
    )
